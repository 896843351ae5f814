#pragma once
// Random layers over random rectangles, with seeded weights, filled caches and states.

#include <random>
#include <string>

#include "kernels/emulate/seeded/seeded_layer.hpp"
#include "models/layer.hpp"

namespace waferline::tests {

using LayerCase = kernels::emulate::SeededLayerSpec;
using LayerRun = kernels::emulate::SeededLayer;

/// A layer of the Llama kind: grouped queries, gated FFN or experts.
LayerCase random_layer(std::mt19937& random, std::int64_t most_rows, std::int64_t most_cols);

/// The same around another mixer.
LayerCase random_layer_with(std::mt19937& random, models::MixerKind kind, std::int64_t most_rows,
                            std::int64_t most_cols);

/// The same with experts in place of the feed-forward block, most of them dealt out over bands of PEs, some in a latent
/// space, weights swept for each token or once.
LayerCase random_experts(std::mt19937& random, std::int64_t most_rows, std::int64_t most_cols);

/// All matrices stored as `dtype`; block scales as the emulator has them (32 inputs, 16 bits) for int8 and int4.
void store_as(LayerCase& of, DType dtype);

/// Every step of the last run counts what the closed form says. Where counts depend on which experts the router chose,
/// that is the closed form of that choice, and none exceeds that of the worst one.
void check_counters(const LayerRun& run);

/// All counters of a step, for comparison and messages.
std::string shown(const kernels::emulate::StepCounters& counters);

/// Mesh, sizes and kinds, for messages.
std::string shown(const LayerCase& of);

}  // namespace waferline::tests
