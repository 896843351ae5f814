#pragma once
// Sparse attention: which positions the newest token attends to.

#include "kernels/builder.hpp"

namespace waferline::kernels {

/// Scores of all positions by the index heads, and the threshold above which `index_topk` positions lie, found by a
/// radix select with one round for each bit of a score (F15). `q_low` is the compressed query along x. Index keys are
/// cached with dimensions along x and positions along y, in as many copies along x as the latent cache has.
void append_indexer(Builder& b, const models::Mixer& mixer, TensorId hidden, TensorId q_low);

}  // namespace waferline::kernels
