#pragma once
// Collectives on a line or rectangle of PEs: how they are arranged, what they count, how long they take.
//
// A line reduces by folding towards a root; every fold is a software stage: a PE takes a wavelet from the ramp,
// combines it with its own, and sends the sum on. Distribution back is multicast by the routers and involves no
// software on the way.

#include <array>
#include <cstdint>

#include "arch/region.hpp"
#include "arch/units.hpp"

namespace waferline::kernels {

enum class Algorithm : std::uint8_t {
  chain,   ///< one fold from end to end
  k_tree,  ///< `levels` folds: groups of groups[0] PEs, then groups[1] of their roots, ... (two-phase: levels = 2)
  star,    ///< every PE sends to the root
  ring     ///< reduce-scatter and all-gather around the line and back
};

/// Where the partial sums of a group meet.
enum class Root : std::uint8_t {
  end,    ///< at the group's first PE: the fold runs one way
  middle  ///< at the group's middle PE: both halves fold towards it at once
};

/// One arrangement of a reduction over a line of PEs.
struct CollectivePlan {
  static constexpr int kMaxLevels = 4;
  Algorithm algorithm = Algorithm::k_tree;
  Root root = Root::middle;
  int levels = 1;
  std::array<std::int64_t, kMaxLevels>
      groups{};  ///< PEs (then group roots) per group at each level; the product covers the line
  bool operator==(const CollectivePlan&) const = default;
};

/// Exact integers of one collective, independent of any rate. Time is a weighted sum of them (F5).
struct CollectiveCounts {
  std::int64_t stages = 0;         ///< software combine-and-forward stages on the critical path
  std::int64_t hops = 0;           ///< link traversals on the critical path
  std::int64_t ramps = 0;          ///< ramp traversals (router to PE or PE to router) on the critical path
  std::int64_t payload_slots = 0;  ///< cycles for which the payload holds the busiest link or ramp on the critical path
  std::int64_t link_wavelets = 0;  ///< wavelets on the busiest link over the whole collective
  std::int64_t combines = 0;       ///< words combined by the busiest PE
  bool operator==(const CollectiveCounts&) const = default;
};

/// Cycles per counted thing.
struct CollectiveRates {
  double hop_cycles = 1;
  double ramp_cycles = 2;
  double stage_cycles = 1;    ///< one combine-and-forward, the add itself included, ramps excluded
  double startup_cycles = 0;  ///< once per collective
};

/// F5: slots + hops x hop_cycles + ramps x ramp_cycles + stages x stage_cycles + startup_cycles.
Cycles time(const CollectiveCounts& counts, const CollectiveRates& rates);

/// Counts of a reduction of `wavelets` per PE over a line of `pes`; the result is at the root.
CollectiveCounts count_reduce(const CollectivePlan& plan, std::int64_t pes, std::int64_t wavelets);

/// Counts of a multicast of `wavelets` from the PE at `root_index` of a line of `pes` to all others.
CollectiveCounts count_multicast(std::int64_t pes, std::int64_t root_index, std::int64_t wavelets);

/// Counts of a reduction followed by a multicast from its root: every PE ends with the result.
CollectiveCounts count_allreduce(const CollectivePlan& plan, std::int64_t pes, std::int64_t wavelets);

/// Counts of a 2-D broadcast from a corner of `extent`.
CollectiveCounts count_broadcast_2d(Extent extent, std::int64_t wavelets);

/// The k-tree with at most `max_levels` levels whose all-reduce takes least time at these rates.
CollectivePlan best_plan(std::int64_t pes, std::int64_t wavelets, const CollectiveRates& rates, int max_levels = 2);

/// The k-tree with given group sizes. Errors: ConfigError if a group is below 1 or above the line, or levels exceed
/// kMaxLevels.
CollectivePlan k_tree_plan(std::int64_t pes, std::initializer_list<std::int64_t> groups, Root root);

}  // namespace waferline::kernels
