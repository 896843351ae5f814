// Follows: WaferLLM (arXiv 2502.04563), section 5; docs/model/20-wafer.md, F30.
#include "estimate/prefill_kernel.hpp"

#include <cmath>

namespace waferline::estimate {

PrefillKernelCounts count_prefill(const PrefillKernelCase& of) {
  const std::int64_t side = of.pes_per_side;
  const auto d = static_cast<double>(ceil_div(of.hidden_size, side));
  const auto f = static_cast<double>(ceil_div(of.intermediate_size, side));
  const auto s = static_cast<double>(ceil_div(of.prompt_tokens, side));
  // Nine matrix products a layer: Q, K, V and output (d x d), scores and values (s x d), gate, up and down (d x f).
  constexpr double kProducts = 9;
  PrefillKernelCounts counts;
  counts.instructions = static_cast<double>(side) * (4 * d * d + 2 * s * d + 3 * d * f);
  counts.rotations = kProducts * static_cast<double>(side);
  counts.arithmetic = counts.instructions * std::ceil(s / of.macs_per_cycle);
  return counts;
}

Cycles prefill_time(const PrefillKernelCounts& counts, Cycles instruction_overhead, Cycles rotation_overhead) {
  return Cycles{counts.arithmetic} + instruction_overhead * counts.instructions + rotation_overhead * counts.rotations;
}

}  // namespace waferline::estimate
