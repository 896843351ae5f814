#pragma once
// A reduction over a line of PEs as the emulator does it: combine by combine, in the order of its plan.

#include <cstdint>
#include <span>
#include <vector>

#include "arch/dtype.hpp"
#include "kernels/collective.hpp"
#include "kernels/numerics/simd.hpp"

namespace waferline::kernels::emulate {

/// PE `from` sends its sum to PE `to`, which combines it with its own, or (`store`) keeps it because its own is already
/// part of another sum.
struct Combine {
  std::int64_t from = 0;
  std::int64_t to = 0;
  bool store = false;
  bool operator==(const Combine&) const = default;
};

/// The combines of one line, in an order in which each PE's own are done. Every PE but the root sends once.
struct Fold {
  std::int64_t pes = 1;
  std::int64_t root = 0;
  std::vector<Combine> combines;
  /// The same as one pass over the line's local sums, each formed when the first combine needs it and gone when it was
  /// sent: `slots` of them exist at a time, and `root_slot` holds the sum in the end.
  std::vector<simd::SumStep> steps;
  std::int64_t slots = 1;
  std::int64_t root_slot = 0;
};

/// The fold of a chain, k-tree or star over `pes`. Errors: ConfigError if the plan does not cover the line, or is a
/// ring, which has no single order for all words.
Fold fold_of(const CollectivePlan& plan, std::int64_t pes);

enum class Reduction : std::uint8_t { sum, maximum };

/// Combines `values` (pes, lanes) to the root's row; each combine rounds to the type that travels.
/// Returns the root's row, which lies in `values`.
std::span<const float> run_fold(const Fold& fold, Reduction reduction, DType wire, simd::InstructionSet set,
                                std::span<float> values, std::int64_t lanes);

/// Local products of all PEs of a line on one panel and their sum in the order of `fold`: each local sum is rounded to
/// the type that travels after each term, and so is each combine. Returns the root's 64 sums, which lie in `scratch`.
std::span<const float> sum_products(const Fold& fold, std::span<const simd::PanelTerm> terms, DType wire,
                                    bool fp16_accumulation, simd::InstructionSet set, std::vector<float>& scratch);

/// What a fold of `wavelets` did to links and PEs, counted message by message, with the multicast back if there is one.
struct FoldTraffic {
  std::int64_t link_wavelets = 0;  ///< on the busiest directed link
  std::int64_t combines = 0;       ///< wavelets combined by the busiest PE
  std::int64_t messages = 0;       ///< sends of all PEs
};
FoldTraffic traffic_of(const Fold& fold, std::int64_t wavelets, bool multicast);

/// Wavelets of every PE and link of a line.
struct LineTraffic {
  explicit LineTraffic(std::int64_t pes);
  std::vector<std::int64_t> forwards;   ///< on the link from PE i to PE i + 1
  std::vector<std::int64_t> backwards;  ///< on the link from PE i to PE i - 1
  std::vector<std::int64_t> combined;   ///< combined by PE i
  std::vector<std::int64_t> sent;       ///< up the ramp of PE i
  std::vector<std::int64_t> received;   ///< down the ramp of PE i

  void multicast(std::int64_t root, std::int64_t wavelets);
};
LineTraffic line_traffic(const Fold& fold, std::int64_t wavelets, bool multicast);
LineTraffic multicast_traffic(std::int64_t pes, std::int64_t root, std::int64_t wavelets);

}  // namespace waferline::kernels::emulate
