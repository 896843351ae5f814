#pragma once
// Collectives on a line or rectangle of PEs: how they are arranged, what they count, how long they take.
//
// A line reduces by folding towards a root; every fold is a software stage: a PE takes a wavelet from the ramp,
// combines it with its own, and sends the sum on. Distribution back is multicast by the routers and involves no
// software on the way.
//
// The counts are those of the critical path, so that their weighted sum (F5) is the exact time. Where two paths compete
// (ragged groups, or payloads shorter than a group) the rates decide which is critical; where groups are equal and the
// root is in the middle they do not matter. The stepped fabric (kernels/fabric) agrees to the cycle.

#include <array>
#include <cstdint>
#include <initializer_list>

#include "arch/region.hpp"
#include "arch/units.hpp"

namespace waferline::kernels {

enum class Algorithm : std::uint8_t {
  chain,   ///< one fold: from end to end, or from both ends to the middle
  k_tree,  ///< `levels` folds: groups of groups[0] PEs, then groups[1] of their roots, ... (two-phase: levels = 2)
  star,    ///< every PE sends to the root
  ring     ///< reduce-scatter and all-gather around the line and back; chunks are padded to equal size
};

/// Where the partial sums of a group meet, and how a level hands over to the next.
enum class Root : std::uint8_t {
  end,    ///< at the group's first PE: the fold runs one way, and the outermost group's sum streams on (HPDC 2024)
  middle  ///< at the middle PE of the group's span: both halves fold towards it, sums are stored between levels
          ///< (WaferLLM)
};

/// One arrangement of a reduction over a line of PEs.
struct CollectivePlan {
  static constexpr int kMaxLevels = 4;
  Algorithm algorithm = Algorithm::k_tree;
  Root root = Root::middle;
  int levels = 1;
  /// PEs (then group roots) in a group at each level; the product covers the line. A level of n items has ceil(n /
  /// group) groups, whose sizes differ by one at most, larger ones first.
  std::array<std::int64_t, kMaxLevels> groups{};
  bool operator==(const CollectivePlan&) const = default;
};

/// Exact integers of one collective. Time is a weighted sum of them (F5).
struct CollectiveCounts {
  std::int64_t stages = 0;         ///< software combine-and-forward stages on the critical path
  std::int64_t hops = 0;           ///< link traversals on the critical path
  std::int64_t ramps = 0;          ///< ramp traversals (router to PE or PE to router) on the critical path
  std::int64_t payload_slots = 0;  ///< cycles for which the payload holds the busiest link or ramp on the critical path
  std::int64_t link_wavelets = 0;  ///< wavelets on the busiest directed link over the whole collective
  std::int64_t combines = 0;       ///< words combined by the busiest PE
  std::int64_t switches = 0;       ///< times that a PE on the critical path ends one operation and starts its next
  bool operator==(const CollectiveCounts&) const = default;
};

/// Cycles per counted thing.
struct CollectiveRates {
  double hop_cycles = 1;
  double ramp_cycles = 2;
  double stage_cycles = 1;    ///< one combine-and-forward, the add itself included, ramps excluded
  double startup_cycles = 0;  ///< once per collective
  double switch_cycles = 0;   ///< from the end of one operation of a PE to the start of its next
};

/// F5: slots + hops x hop_cycles + ramps x ramp_cycles + stages x stage_cycles + switches x switch_cycles +
/// startup_cycles; nothing at all if nothing moves (one PE or no wavelets).
Cycles time(const CollectiveCounts& counts, const CollectiveRates& rates);

/// Counts of a reduction of `wavelets` per PE over a line of `pes`; the result is at the root (a ring leaves it
/// everywhere). Model: F70 (chain), F71 and F72 (k-tree), F73 (star), F74 (ring). Errors: ConfigError if the plan does
/// not cover the line.
CollectiveCounts count_reduce(const CollectivePlan& plan, std::int64_t pes, std::int64_t wavelets,
                              const CollectiveRates& rates = {});

/// Counts of a multicast of `wavelets` from the PE at `root_index` of a line of `pes` to all others. Model: F75.
CollectiveCounts count_multicast(std::int64_t pes, std::int64_t root_index, std::int64_t wavelets);

/// Counts of a reduction followed by a multicast from its root: every PE ends with the result. Model: F76.
CollectiveCounts count_allreduce(const CollectivePlan& plan, std::int64_t pes, std::int64_t wavelets,
                                 const CollectiveRates& rates = {});

/// Counts of a 2-D broadcast from a corner of `extent`. Model: F77.
CollectiveCounts count_broadcast_2d(Extent extent, std::int64_t wavelets);

/// Index of the PE that holds the result of a reduction over `pes` PEs. Errors: ConfigError as count_reduce.
std::int64_t root_index(const CollectivePlan& plan, std::int64_t pes);

/// The tree with its roots in the middle and at most `max_levels` levels whose all-reduce takes least time at these
/// rates. Costs a few microseconds for two levels: callers with many layers remember the answer.
CollectivePlan best_plan(std::int64_t pes, std::int64_t wavelets, const CollectiveRates& rates, int max_levels = 2);

/// The k-tree with given group sizes. Errors: ConfigError if a group is below 1 or above the line, if levels exceed
/// kMaxLevels or are none, or if the groups together do not cover the line.
CollectivePlan k_tree_plan(std::int64_t pes, std::initializer_list<std::int64_t> groups, Root root);

}  // namespace waferline::kernels
