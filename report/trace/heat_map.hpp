#pragma once
// A rectangle of numbers as characters and as an SVG drawing.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "arch/region.hpp"
#include "report/page.hpp"

namespace waferline::report {

/// Means over blocks of PEs: what a map shows where there are more PEs than places.
struct HeatMap {
  Extent pes;                  ///< of the whole rectangle
  Extent cells;                ///< blocks, at most as many as PEs
  std::vector<double> values;  ///< of each block, row by row
  double least = 0;
  double most = 0;
};

/// `values` (rows x cols of `pes`) in at most `most_cells` blocks of nearly equal size.
HeatMap heat_map(Extent pes, const std::vector<double>& values, Extent most_cells);

/// Blocks for a map on a page, at most 36 rows of them: one for each PE if they fit, else square ones, since a
/// character is about twice as high as wide.
Extent cells_for(Extent pes, const Page& page);

/// Rows of characters from ' ' (the least) to '@' (the most), two to a PE where they fit, in a frame at most
/// page.width wide; below it what the ends of the scale are.
Lines heat_map_lines(const HeatMap& map, const std::string& unit, const Page& page);

/// What a drawing shows beside the map.
struct HeatMapDrawing {
  std::string title;
  std::string subtitle;
  std::string unit;
  /// Wavelets on the links that leave each PE to the east, west, south and north; drawn between PEs where blocks are
  /// single PEs. Empty: none.
  std::array<std::vector<double>, 4> links;
};

/// A whole SVG document: one rectangle for each block, links, a scale. Texts are escaped.
std::string heat_map_svg(const HeatMap& map, const HeatMapDrawing& drawing);

}  // namespace waferline::report
