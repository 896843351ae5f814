#include "mapping/grid.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>

namespace waferline::mapping {
namespace {

/// First PE and number of PEs along one axis.
struct Interval {
  std::int64_t first = 0;
  std::int64_t size = 0;
  std::int64_t last() const { return first + size - 1; }
};

Interval along(const Region& region, Axis axis) {
  return axis == Axis::x ? Interval{region.col, region.extent.cols} : Interval{region.row, region.extent.rows};
}

/// From the nearest of one interval to the nearest of the other.
std::int64_t apart(Interval a, Interval b) {
  return std::max({std::int64_t{0}, b.first - a.last(), a.first - b.last()});
}

/// Farthest that a proportionally split vector's element moves.
std::int64_t shifted(Interval a, Interval b) {
  return std::max(std::abs(a.first - b.first), std::abs(a.last() - b.last()));
}

/// From the nearest of `a` to the farthest of `b`.
std::int64_t reach(Interval a, Interval b) {
  return std::max({std::int64_t{0}, b.last() - a.last(), a.first - b.first});
}

}  // namespace

Region region_at(const Grid& grid, std::int64_t index) {
  assert(index >= 0 && "regions are numbered from 0");
  const Extent extent = grid.extent();
  const std::int64_t on_wafer = index % grid.count();
  const std::int64_t row = on_wafer / grid.cols;
  const std::int64_t step = on_wafer % grid.cols;
  const std::int64_t col = row % 2 == 0 ? step : grid.cols - 1 - step;
  return {index / grid.count(), row * extent.rows, col * extent.cols, extent};
}

std::int64_t hops_between(const PlannedRegion& from, const PlannedRegion& to) {
  assert(from.region.wafer == to.region.wafer && "links do not leave a wafer");
  const Axis held = from.replicated();
  const Axis split = other(held);
  const Interval from_split = along(from.region, split);
  const Interval to_split = along(to.region, split);
  const Interval from_held = along(from.region, held);
  const Interval to_held = along(to.region, held);
  if (to.replicated() == held) return shifted(from_split, to_split) + apart(from_held, to_held);
  return reach(to_split, from_split) + reach(from_held, to_held);
}

std::int64_t hops_to_edge(Extent usable, const Region& region) {
  const std::int64_t middle_row = region.row + region.extent.rows / 2;
  const std::int64_t middle_col = region.col + region.extent.cols / 2;
  return std::min({middle_row, usable.rows - middle_row, middle_col, usable.cols - middle_col});
}

std::int64_t hops_back(const Region& from, const Region& to) {
  assert(from.wafer == to.wafer && "links do not leave a wafer");
  return apart(along(from, Axis::y), {to.row, 1}) + apart(along(from, Axis::x), {to.col, 1});
}

}  // namespace waferline::mapping
