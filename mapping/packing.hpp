#pragma once
// What fits on a region.

#include <cstdint>
#include <vector>

#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "mapping/part_costs.hpp"
#include "mapping/placement.hpp"

namespace waferline::mapping {

/// SRAM of one PE before any part of the model is on it: code, system and the profile's buffers.
SramUse empty_region(const Wafer& wafer, const SoftwareProfile& software);

/// `use` with one more part on it: weights and caches add up, buffers are shared in turn.
SramUse with_part(SramUse use, const PartCost& part);

/// Fewest regions, up to `limit`, over which a part of the model fits when it is dealt out over them; 0 if it does not.
/// `cost_of(n)` is its cost on each of n regions and does not grow with n.
template <class CostOf>
std::int64_t fewest_regions(const SramUse& empty, std::int64_t limit, CostOf cost_of) {
  for (std::int64_t regions = 1; regions <= limit; ++regions) {
    if (with_part(empty, cost_of(regions)).free().value >= 0) return regions;
  }
  return 0;
}

}  // namespace waferline::mapping
