#pragma once
// Where a model lies on wafers, drawn to scale.

#include <string>

#include "arch/region.hpp"
#include "mapping/placement.hpp"

namespace waferline::report {

/// One drawing for each wafer, PEs to scale, each region its own rectangle and shaded by its first layer. `usable` is
/// the rectangle of PEs that programs can use. Empty text for a placement without regions.
std::string wafer_map(const mapping::Placement& placement, Extent usable);

/// All regions in the order in which a token visits them; numbers point into /wafer/regions.
std::string region_table(const mapping::Placement& placement);

}  // namespace waferline::report
