#pragma once
// What a pass computes and what the software chooses, apart from the model and the hardware.

#include <cstdint>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/software.hpp"

namespace waferline::kernels {

/// Tokens that go through together, and how much they look back on.
struct Pass {
  std::int64_t batch = 1;           ///< tokens, each the newest of its own sequence
  std::int64_t context_tokens = 1;  ///< positions of each sequence, the new token included
  std::int64_t sample_top_k = 1;    ///< candidates kept by sampling; 1 is greedy
};

/// What one band of experts has to do in a pass.
struct ExpertLoad {
  std::int64_t choices = 0;   ///< pairs of a token and an expert of the band that it chose
  std::int64_t distinct = 0;  ///< experts of the band that any token chose
  bool operator==(const ExpertLoad&) const = default;
};

/// Choices of the software. All are explicit inputs of an estimate.
struct ScheduleOptions {
  LoopOrder loop = LoopOrder::per_input;
  DType activation = DType::fp16;       ///< vectors in SRAM
  DType accumulate = DType::fp16;       ///< partial sums in SRAM and on the fabric
  DType kv = DType::fp16;               ///< key, value and latent caches
  DType state = DType::fp32;            ///< recurrent state
  bool weights_once_per_batch = false;  ///< a weight is read once for all tokens of a pass, not once for each
  bool sum_with_values = false;         ///< the softmax sum travels with A*V: one all-reduce less
  std::int64_t latent_copies =
      1;                          ///< copies of a latent cache along x; each serves a share of the heads (divides them)
  std::int64_t expert_bands = 1;  ///< bands of columns that share out the experts; 1: every expert over all PEs
  std::int64_t distinct_experts = 0;         ///< chosen by any token of a pass; 0: as many as there can be
  std::int64_t experts_in_busiest_band = 0;  ///< of the chosen ones; 0: all of them, the worst case
  std::vector<ExpertLoad> expert_loads;  ///< of each band, once a pass has chosen; empty: as the two numbers above say
};

}  // namespace waferline::kernels
