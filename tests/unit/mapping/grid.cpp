#include "mapping/grid.hpp"

#include <set>
#include <utility>

#include "tests/support/catch.hpp"

using waferline::Axis;
using waferline::Region;
using waferline::mapping::Grid;
using waferline::mapping::hops_between;

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

TEST_CASE(
    "A vector that is replicated along rows crosses one link to a neighbour in its row and a region's rows downward") {
  const Region first = region_at(kGrid, 0);
  CHECK(hops_between(first, region_at(kGrid, 1), Axis::x) == 1);
  CHECK(hops_between(region_at(kGrid, 3), region_at(kGrid, 4), Axis::x) == 33);
  CHECK(hops_between(first, region_at(kGrid, 1), Axis::y) == 22);
  CHECK(hops_between(region_at(kGrid, 3), region_at(kGrid, 4), Axis::y) == 1);
  CHECK(hops_between(first, first, Axis::x) == 0);
}

TEST_CASE("The edge is as far as the nearest of the four sides") {
  CHECK(hops_to_edge(kGrid, region_at(kGrid, 0)) == 11);
  CHECK(hops_to_edge(kGrid, region_at(kGrid, 5)) == 35);  // middle at row 49 and column 55 of 90
}
