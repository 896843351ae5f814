#pragma once
// Parameter counts of a model that has been read.

#include "arch/error.hpp"
#include "models/model.hpp"

namespace waferline::models {

/// Fills `model.parameters` from the weight lists. Model: F54.
void count_parameters(Model& model);

/// A problem if the model has more than kMostParameters parameters; throws it.
void refuse_oversized(const Model& model, Problems& problems);

}  // namespace waferline::models
