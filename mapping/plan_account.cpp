// Follows: docs/model/30-placement.md, F102 and F103.
#include <algorithm>
#include <limits>

#include "mapping/assemble.hpp"
#include "mapping/strip_walks.hpp"
#include "models/kv.hpp"
#include "models/weights.hpp"

namespace waferline::mapping {
namespace {

/// The shared part that a region holds, or nothing for layers.
const PartCost* shared_part(const Problem& problem, const Plan& plan, const PlannedRegion& region) {
  const Extent extent = region.form().extent;
  switch (region.use) {
    case RegionUse::head:
      return &problem.costs.head(extent, plan.sharing(RegionUse::head));
    case RegionUse::embedding:
      return &problem.costs.embedding(extent, plan.sharing(RegionUse::embedding));
    case RegionUse::layers:
      break;
  }
  return nullptr;
}

const PartCost& layer_part(const Problem& problem, const PlannedRegion& region, std::int64_t index) {
  const std::size_t kind = problem.kinds.of_layer[static_cast<std::size_t>(region.first_layer + index)];
  return problem.costs.layer(kind, region.form());
}

}  // namespace

Cycles work_of(const Problem& problem, const Plan& plan, const PlannedRegion& region) {
  Cycles work;
  if (const PartCost* shared = shared_part(problem, plan, region)) work += shared->cycles;
  for (std::int64_t i = 0; i < region.layer_count; ++i) work += layer_part(problem, region, i).cycles;
  return work;
}

Cycles pass_of(const Problem& problem, const Plan& plan) {
  Cycles pass;
  for (std::size_t i = 0; i < plan.regions.size(); ++i) {
    const PlannedRegion& region = plan.regions[i];
    const bool again = i > 0 && region.use != RegionUse::layers && plan.regions[i - 1].use == region.use;
    if (!again) pass += work_of(problem, plan, region);
    pass += i + 1 < plan.regions.size() ? way_on(problem, region, plan.regions[i + 1])
                                        : way_back(problem, region, plan.regions.front().region);
  }
  return pass;
}

Cycles slowest_stage(const Problem& problem, const Plan& plan) {
  Cycles most;
  for (const PlannedRegion& region : plan.regions) most = std::max(most, work_of(problem, plan, region));
  return most;
}

SramUse sram_of(const Problem& problem, const Plan& plan, const PlannedRegion& region) {
  SramUse use = problem.empty;
  if (const PartCost* shared = shared_part(problem, plan, region)) use = with_part(use, *shared);
  for (std::int64_t i = 0; i < region.layer_count; ++i) use = with_part(use, layer_part(problem, region, i));
  return use;
}

std::int64_t users_of(const Problem& problem, const Plan& plan) {
  std::int64_t users = std::numeric_limits<std::int64_t>::max();
  for (const PlannedRegion& region : plan.regions) {
    const SramUse use = sram_of(problem, plan, region);
    const std::int64_t for_caches = (use.kv + use.free()).value;
    if (for_caches < 0) return 0;
    if (use.kv.value > 0) users = std::min(users, for_caches * problem.batch / use.kv.value);
  }
  return users;
}

std::int64_t users_bound(const Problem& problem, std::int64_t wafers) {
  const std::int64_t each = problem.costs.least_cache_bytes().value;
  const std::int64_t room = wafers * usable_pes(problem.wafer) * problem.empty.free().value;
  const std::int64_t left = room - problem.costs.all_layers().value;
  return each > 0 ? std::max<std::int64_t>(left, 0) / each : std::numeric_limits<std::int64_t>::max() / 2;
}

}  // namespace waferline::mapping
