#pragma once
// What a step did, tallied while it ran. The counter's closed form (kernels/count.hpp) must say the same, integer by
// integer.

#include <algorithm>
#include <cstdint>

#include "kernels/schedule.hpp"

namespace waferline::kernels::emulate {

/// Work of one PE in one step.
struct PeWork {
  std::int64_t instructions = 0;
  std::int64_t longest = 0;  ///< elements of its longest vector instruction
  std::int64_t macs = 0;
  std::int64_t exponentials = 0;
  std::int64_t specials = 0;

  void instruction(std::int64_t elements, std::int64_t count = 1) {
    instructions += count;
    longest = std::max(longest, elements);
  }
};

/// One step: each number is that of the PE, or link, that has most of it.
struct StepCounters {
  std::int64_t instructions = 0;
  std::int64_t length = 0;
  std::int64_t macs = 0;
  std::int64_t exponentials = 0;
  std::int64_t specials = 0;
  std::int64_t weight_bytes = 0;
  std::int64_t dequantised = 0;
  std::int64_t line = 1;           ///< PEs of the longest line that communicated
  std::int64_t words = 0;          ///< elements that a PE sent or held ready
  std::int64_t wavelets = 0;       ///< the same, packed into 32 bits
  std::int64_t link_wavelets = 0;  ///< on the busiest directed link
  std::int64_t combines = 0;       ///< wavelets combined by the busiest PE
  std::int64_t repeats = 1;        ///< times that the step was done; the other numbers are those of one time
  bool operator==(const StepCounters&) const = default;

  void observe(const PeWork& work) {
    instructions = std::max(instructions, work.instructions);
    length = std::max(length, work.longest);
    macs = std::max(macs, work.macs);
    exponentials = std::max(exponentials, work.exponentials);
    specials = std::max(specials, work.specials);
  }
};

/// The same numbers as the counter has them in the step.
inline StepCounters closed_form(const Step& step) {
  StepCounters counters;
  counters.instructions = step.instructions;
  counters.length = step.instructions > 0 ? step.length : 0;
  counters.macs = step.macs;
  counters.exponentials = step.exponentials;
  counters.specials = step.specials;
  counters.weight_bytes = step.weight_bytes;
  counters.dequantised = step.dequantised;
  counters.line = step.line;
  counters.words = step.words;
  counters.wavelets = step.wavelets;
  counters.link_wavelets = step.traffic.link_wavelets;
  counters.combines = step.traffic.combines;
  counters.repeats = step.repeats;
  return counters;
}

/// The step with what was counted in place of the closed form, for the function that turns counts into cycles. What is
/// not tallied (port bytes beside the weights, the critical path of a collective) stays.
inline Step with_counted(Step step, const StepCounters& counters) {
  step.instructions = counters.instructions;
  step.length = counters.length;
  step.macs = counters.macs;
  step.exponentials = counters.exponentials;
  step.specials = counters.specials;
  step.weight_bytes = counters.weight_bytes;
  step.dequantised = counters.dequantised;
  step.line = counters.line;
  step.words = counters.words;
  step.wavelets = counters.wavelets;
  step.traffic.link_wavelets = counters.link_wavelets;
  step.traffic.combines = counters.combines;
  step.repeats = counters.repeats;
  return step;
}

}  // namespace waferline::kernels::emulate
