#include "mapping/limits.hpp"

#include <algorithm>
#include <limits>

#include "mapping/packing.hpp"

namespace waferline::mapping {
namespace {

bool fits_at(const Assembly& assembly, const Placement& placement, std::int64_t context_tokens) {
  PartCosts costs(assembly.model, assembly.kinds, assembly.wafer, assembly.software,
                  {assembly.request.batch, context_tokens, 1});
  const std::vector<PartCost>& layers = costs.layers(placement.schedule_extent());
  const SramUse empty = empty_region(assembly.wafer, assembly.software);
  return std::all_of(placement.regions.begin(), placement.regions.end(), [&](const PlacedRegion& region) {
    SramUse use = empty;
    for (std::int64_t i = 0; i < region.layer_count; ++i) {
      use = with_part(use, layers[assembly.kinds.of_layer[static_cast<std::size_t>(region.first_layer + i)]]);
    }
    return use.free().value >= 0;
  });
}

}  // namespace

std::int64_t most_users(const Assembly& assembly, const Placement& placement) {
  std::int64_t users = std::numeric_limits<std::int64_t>::max();
  for (const PlacedRegion& region : placement.regions) {
    if (region.sram.kv.value == 0) continue;
    const std::int64_t for_caches = region.sram.kv.value + region.sram.free().value;
    users = std::min(users, for_caches * assembly.request.batch / region.sram.kv.value);
  }
  return users;
}

std::int64_t longest_context(const Assembly& assembly, const Placement& placement) {
  std::int64_t fits = assembly.request.context_tokens;
  if (fits_at(assembly, placement, kLongestContext)) return kLongestContext;
  std::int64_t too_long = kLongestContext;
  while (too_long - fits > 1) {
    const std::int64_t middle = fits + (too_long - fits) / 2;
    (fits_at(assembly, placement, middle) ? fits : too_long) = middle;
  }
  return fits;
}

}  // namespace waferline::mapping
