#pragma once
// From a model's layers to what a GPU moves and computes for one token.

#include <cstdint>

#include "estimate/gpu.hpp"
#include "models/model.hpp"

namespace waferline {

/// Bytes and multiplies of one decode step of `model` at `context_tokens`.
/// Weights: all but routed experts are read each step, the head included, the embedding (one row) not; `weights_kept`
/// adds the embedding, and leaves out multi-token-prediction and vision parts, which decoding text does not load.
/// Cache:   what is needed: windows cut it, layers that share a cache own none, MLA keeps its latent once for all
/// heads.
///          Recurrent state is read and written each step, in 32 bit.
/// Model:   F40, F41, F45.
/// Errors:  std::invalid_argument for a negative context.
GpuWorkload gpu_workload(const models::Model& model, std::int64_t context_tokens);

}  // namespace waferline
