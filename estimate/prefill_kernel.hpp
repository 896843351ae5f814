#pragma once
// Time of a prompt in WaferLLM's prefill kernel.

#include <cstdint>

#include "arch/units.hpp"

namespace waferline::estimate {

/// One layer over one prompt on a square region.
struct PrefillKernelCase {
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t pes_per_side = 0;
  double macs_per_cycle = 4;
};

/// Counts that the two constants of the kernel multiply, and what needs none. F30.
struct PrefillKernelCounts {
  double instructions = 0;  ///< vector instructions of a PE over all rotations
  double rotations = 0;     ///< steps in which every PE passes its operands on
  double arithmetic = 0;    ///< cycles
};
PrefillKernelCounts count_prefill(const PrefillKernelCase& of);

/// F30: arithmetic + instructions x instruction_overhead + rotations x rotation_overhead.
Cycles prefill_time(const PrefillKernelCounts& counts, Cycles instruction_overhead, Cycles rotation_overhead);

}  // namespace waferline::estimate
