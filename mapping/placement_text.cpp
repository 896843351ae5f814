#include <algorithm>

#include "mapping/placement.hpp"

namespace waferline::mapping {

std::string_view name(RegionUse use) {
  switch (use) {
    case RegionUse::embedding:
      return "embedding";
    case RegionUse::layers:
      return "layers";
    case RegionUse::head:
      return "head";
  }
  return "";
}

std::string_view name(Objective objective) {
  switch (objective) {
    case Objective::latency:
      return "latency";
    case Objective::throughput:
      return "throughput";
    case Objective::users:
      return "users";
    case Objective::wafers:
      return "wafers";
  }
  return "";
}

std::int64_t Plan::wafers() const {
  std::int64_t last = -1;
  for (const PlannedRegion& region : regions) last = std::max(last, region.region.wafer);
  return last + 1;
}

std::int64_t Plan::sharing(RegionUse use) const {
  return std::count_if(regions.begin(), regions.end(), [&](const PlannedRegion& region) { return region.use == use; });
}

Plan Placement::plan() const {
  Plan plan;
  plan.regions.assign(regions.begin(), regions.end());
  return plan;
}

std::string Misfit::text() const {
  std::string all = what;
  for (std::size_t i = 0; i < help.size(); ++i) all += (i == 0 ? "; what would help: " : ", or ") + help[i];
  return all;
}

}  // namespace waferline::mapping
