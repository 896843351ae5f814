#pragma once
// Where a model lies on wafers, drawn to scale.

#include <string>

#include "arch/wafer.hpp"
#include "mapping/placement.hpp"

namespace waferline::report {

/// What is drawn, and where its numbers stand in the document.
struct WaferMap {
  const mapping::Placement& placement;
  Extent usable;                     ///< rectangle of PEs of one wafer that programs can use
  std::string regions_key;           ///< pointer of the list of regions
  const Defects* defects = nullptr;  ///< drawn if given; they stand under /page/defects
  bool accounts = false;             ///< the document's regions have their SRAM, form and time
};

/// One drawing for each wafer, PEs to scale, each region its own rectangle and shaded by its first layer, with how full
/// its caches are if there are accounts. Empty text for a placement without regions.
std::string wafer_map(const WaferMap& map);

/// All regions in the order in which a token visits them, with their form if there are accounts.
std::string region_table(const WaferMap& map);

/// What the region with this index holds, "layer 3 to 5" or "head"; its numbers point into the document.
std::string region_holds(const WaferMap& map, std::size_t index);

}  // namespace waferline::report
