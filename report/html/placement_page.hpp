#pragma once
// The parts of a placement's HTML page. For the .cpp files of this folder.

#include <string>

#include "report/html/wafer_map.hpp"
#include "report/placement/placement.hpp"

namespace waferline::report {

/// The answer's regions and defects as the map draws them. Keeps a reference to the answer.
WaferMap placement_map(const PlacementAnswer& answer);

/// What was found beside its bounds, and what was searched.
std::string search_section(const PlacementAnswer& answer);
/// The map of every wafer, defects, the places of all regions.
std::string regions_section(const PlacementAnswer& answer);
/// The time of every stage and how many users keep them busy.
std::string pipeline_section(const PlacementAnswer& answer);
/// SRAM of each region's fullest PE by use.
std::string memory_section(const PlacementAnswer& answer);
/// The front over objectives and wafers; nothing where it was not asked for.
std::string front_section(const PlacementAnswer& answer);

}  // namespace waferline::report
