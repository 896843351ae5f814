#pragma once
// Multi-token-prediction layers that checkpoints hold beside the decoder.

#include "models/family.hpp"

namespace waferline::models {

/// Adds the prediction layers that the keys state, or that the family's checkpoints hold without a key, to the model.
/// Call after the decoder's layers are there: a prediction layer has the shape of the last one with full attention.
/// Model: F57.
void add_prediction_layers(Build& build);

}  // namespace waferline::models
