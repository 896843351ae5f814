// Follows: Luczynski et al., HPDC 2024, chain, star, two-phase reduce and multicast; ring: Patarasuk and Yuan, JPDC
// 2009.
#include "kernels/collective.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/error.hpp"
#include "kernels/critical_path.hpp"
#include "kernels/tree_layout.hpp"

namespace waferline::kernels {
namespace {

bool is_tree(Algorithm algorithm) {
  return algorithm == Algorithm::chain || algorithm == Algorithm::k_tree;
}

void check_line(std::int64_t pes, std::int64_t wavelets) {
  if (pes < 1) throw ConfigError(fmt::format("collective: a line of {} PEs (permitted: 1 and more)", pes));
  if (wavelets < 0) throw ConfigError(fmt::format("collective: {} wavelets (permitted: 0 and more)", wavelets));
}

/// `sources` PEs at distances 1, 2, ... send to the root, the nearest first; the root's ramp or the farthest PE is
/// critical.
CriticalPath star_side(std::int64_t sources, std::int64_t wavelets, const CollectiveRates& rates) {
  CriticalPath path(rates);
  CriticalPath farthest(rates);
  return path.fold(1).payload(sources * wavelets).join(farthest.fold(sources).payload(wavelets));
}

CriticalPath star_path(Root root, std::int64_t pes, std::int64_t wavelets, const CollectiveRates& rates) {
  const std::int64_t left = root == Root::middle ? pes / 2 : 0;
  const std::int64_t right = pes - 1 - left;
  const std::int64_t first = std::max(left, right);
  const std::int64_t second = std::min(left, right);
  CriticalPath path = star_side(first, wavelets, rates);
  if (second > 0) path.task_switch().payload(second * wavelets).join(star_side(second, wavelets, rates));
  return path;
}

/// Every PE sends its own chunk, then takes 2 (P - 1) chunks from its neighbour. A path waits for a chunk to pass at
/// one PE or follows it to the next PE; the way back from the line's end to its start is P - 1 links long and is taken
/// once a lap. The sum is linear in the number of PEs followed except at a lap, so four candidates contain the longest
/// path.
CriticalPath ring_path(std::int64_t pes, std::int64_t chunk, const CollectiveRates& rates) {
  const std::int64_t rounds = 2 * (pes - 1);
  CriticalPath longest(rates);
  for (const std::int64_t followed : {std::int64_t{1}, pes + 1, rounds}) {
    if (followed > rounds) continue;
    const std::int64_t laps = 1 + (followed - 1) / pes;
    CriticalPath path(rates);
    path.folds(followed, followed - laps + laps * (pes - 1)).payload((rounds - followed + 1) * chunk);
    longest.join(path);
  }
  return longest;
}

CollectiveCounts count_ring(std::int64_t pes, std::int64_t wavelets, const CollectiveRates& rates) {
  const std::int64_t chunk = ceil_div(wavelets, pes);
  CollectiveCounts counts = ring_path(pes, chunk, rates).counts();
  counts.link_wavelets = 2 * (pes - 1) * chunk;
  counts.combines = (pes - 1) * chunk;
  return counts;
}

CriticalPath reduce_path(const CollectivePlan& plan, std::int64_t pes, std::int64_t wavelets,
                         const CollectiveRates& rates) {
  if (plan.algorithm == Algorithm::star) return star_path(plan.root, pes, wavelets, rates);
  return tree_path(TreeLayout(plan, pes), wavelets, rates);
}

/// Fills in what the critical path does not know: the busiest link and PE.
CollectiveCounts with_traffic(CollectiveCounts counts, const CollectivePlan& plan, std::int64_t pes,
                              std::int64_t wavelets, bool multicast) {
  if (plan.algorithm == Algorithm::star) {
    const std::int64_t farthest = plan.root == Root::middle ? pes / 2 : pes - 1;
    counts.link_wavelets = farthest * wavelets;
    counts.combines = (pes - 1) * wavelets;
  } else {
    const TreeTraffic traffic = tree_traffic(TreeLayout(plan, pes), multicast);
    counts.link_wavelets = traffic.link_payloads * wavelets;
    counts.combines = traffic.combined_payloads * wavelets;
  }
  return counts;
}

CollectiveCounts count_delivery(std::int64_t farthest, std::int64_t wavelets) {
  if (farthest == 0 || wavelets == 0) return {};
  CollectiveCounts counts = CriticalPath(CollectiveRates{}).payload(wavelets).delivery(farthest).counts();
  counts.link_wavelets = wavelets;
  return counts;
}

}  // namespace

Cycles time(const CollectiveCounts& counts, const CollectiveRates& rates) {
  if (counts.payload_slots == 0) return Cycles{0};
  return Cycles{static_cast<double>(counts.payload_slots) + static_cast<double>(counts.hops) * rates.hop_cycles +
                static_cast<double>(counts.ramps) * rates.ramp_cycles +
                static_cast<double>(counts.stages) * rates.stage_cycles +
                static_cast<double>(counts.switches) * rates.switch_cycles + rates.startup_cycles};
}

std::int64_t root_index(const CollectivePlan& plan, std::int64_t pes) {
  if (is_tree(plan.algorithm)) return TreeLayout(plan, pes).root();
  return plan.algorithm == Algorithm::star && plan.root == Root::middle ? pes / 2 : 0;
}

CollectiveCounts count_reduce(const CollectivePlan& plan, std::int64_t pes, std::int64_t wavelets,
                              const CollectiveRates& rates) {
  check_line(pes, wavelets);
  if (is_tree(plan.algorithm))
    (void)TreeLayout(plan, pes);  // a plan that does not cover the line is wrong for any payload
  if (pes == 1 || wavelets == 0) return {};
  if (plan.algorithm == Algorithm::ring) return count_ring(pes, wavelets, rates);
  return with_traffic(reduce_path(plan, pes, wavelets, rates).counts(), plan, pes, wavelets, false);
}

CollectiveCounts count_multicast(std::int64_t pes, std::int64_t root_index, std::int64_t wavelets) {
  check_line(pes, wavelets);
  if (root_index < 0 || root_index >= pes) {
    throw ConfigError(fmt::format("collective: root {} of a multicast (permitted: 0 to {})", root_index, pes - 1));
  }
  return count_delivery(std::max(root_index, pes - 1 - root_index), wavelets);
}

CollectiveCounts count_allreduce(const CollectivePlan& plan, std::int64_t pes, std::int64_t wavelets,
                                 const CollectiveRates& rates) {
  check_line(pes, wavelets);
  if (plan.algorithm == Algorithm::ring) return count_reduce(plan, pes, wavelets, rates);
  const std::int64_t root = root_index(plan, pes);
  if (pes == 1 || wavelets == 0) return {};
  CriticalPath path = reduce_path(plan, pes, wavelets, rates);
  path.task_switch().payload(wavelets).delivery(std::max(root, pes - 1 - root));
  return with_traffic(path.counts(), plan, pes, wavelets, true);
}

CollectiveCounts count_broadcast_2d(Extent extent, std::int64_t wavelets) {
  check_line(std::min(extent.rows, extent.cols), wavelets);
  return count_delivery(extent.rows - 1 + extent.cols - 1, wavelets);
}

}  // namespace waferline::kernels
