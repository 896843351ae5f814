#include "mapping/grid.hpp"

#include <set>
#include <utility>

#include "tests/support/catch.hpp"

using waferline::Axis;
using waferline::Region;
using waferline::mapping::Grid;
using waferline::mapping::hops_back;
using waferline::mapping::hops_between;
using waferline::mapping::hops_to_edge;
using waferline::mapping::PlannedRegion;

namespace {
const Grid kGrid{3, 4, {100, 90}};
}

TEST_CASE("Regions of a grid are equal, stay inside the usable rectangle and do not overlap") {
  std::set<std::pair<std::int64_t, std::int64_t>> corners;
  for (std::int64_t i = 0; i < kGrid.count(); ++i) {
    const Region region = region_at(kGrid, i);
    CHECK(region.wafer == 0);
    CHECK(region.extent == waferline::Extent{33, 22});
    CHECK(region.row + region.extent.rows <= 100);
    CHECK(region.col + region.extent.cols <= 90);
    CHECK(region.row % 33 == 0);
    CHECK(region.col % 22 == 0);
    corners.emplace(region.row, region.col);
  }
  CHECK(corners.size() == 12);
}

TEST_CASE("Snake order visits neighbours: each region touches the next one of its wafer") {
  for (std::int64_t i = 0; i + 1 < kGrid.count(); ++i) {
    const Region here = region_at(kGrid, i);
    const Region next = region_at(kGrid, i + 1);
    const bool beside = here.row == next.row && std::abs(here.col - next.col) == 22;
    const bool below = here.col == next.col && next.row - here.row == 33;
    CHECK((beside || below));
  }
}

TEST_CASE("The regions of the second wafer follow those of the first") {
  CHECK(region_at(kGrid, 11).wafer == 0);
  CHECK(region_at(kGrid, 12) == Region{1, 0, 0, {33, 22}});
}

/// A region of the grid with its vector replicated along `held`.
PlannedRegion at(std::int64_t index, Axis held) {
  PlannedRegion region;
  region.region = region_at(kGrid, index);
  region.turned = held == Axis::y;
  return region;
}

TEST_CASE(
    "A vector that is replicated along rows crosses one link to a neighbour in its row and a region's rows downward") {
  CHECK(hops_between(at(0, Axis::x), at(1, Axis::x)) == 1);
  CHECK(hops_between(at(3, Axis::x), at(4, Axis::x)) == 33);
  CHECK(hops_between(at(0, Axis::y), at(1, Axis::y)) == 22);
  CHECK(hops_between(at(3, Axis::y), at(4, Axis::y)) == 1);
  CHECK(hops_between(at(0, Axis::x), at(0, Axis::x)) == 0);
}

TEST_CASE("Between regions of different size an element moves as far as the ends of the intervals lie apart") {
  PlannedRegion narrow;
  narrow.region = {0, 0, 0, {10, 4}};
  PlannedRegion wide;
  wide.region = {0, 10, 0, {10, 20}};
  CHECK(hops_between(narrow, wide) == 10);  // split over rows: 10 rows down, columns meet
  narrow.turned = wide.turned = true;
  CHECK(hops_between(narrow, wide) == 1 + 16);  // split over columns: the last one moves from column 3 to 19
}

TEST_CASE("Where the split turns, an element may cross both regions") {
  PlannedRegion rows;
  rows.region = {0, 0, 0, {8, 5}};
  PlannedRegion columns;
  columns.region = {0, 0, 5, {8, 6}};
  columns.turned = true;
  // Row 7 may be needed in column 10, whose nearest PE is in the same row: 6 columns. Rows are held by every column.
  CHECK(hops_between(rows, columns) == 6);
  columns.region.row = 8;
  CHECK(hops_between(rows, columns) == 8 + 6);  // row 0 to row 8
}

TEST_CASE("The chosen token goes from the nearest PE to the first PE of all") {
  CHECK(hops_back({0, 10, 20, {5, 5}}, {0, 0, 0, {3, 3}}) == 30);
  CHECK(hops_back({0, 0, 0, {5, 5}}, {0, 0, 0, {3, 3}}) == 0);
}

TEST_CASE("The edge is as far as the nearest of the four sides") {
  CHECK(hops_to_edge(kGrid.usable, region_at(kGrid, 0)) == 11);
  CHECK(hops_to_edge(kGrid.usable, region_at(kGrid, 5)) == 35);  // middle at row 49 and column 55 of 90
}
