#include "mapping/grid.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>

namespace waferline::mapping {

Region region_at(const Grid& grid, std::int64_t index) {
  assert(index >= 0 && "regions are numbered from 0");
  const Extent extent = grid.extent();
  const std::int64_t on_wafer = index % grid.count();
  const std::int64_t row = on_wafer / grid.cols;
  const std::int64_t step = on_wafer % grid.cols;
  const std::int64_t col = row % 2 == 0 ? step : grid.cols - 1 - step;
  return {index / grid.count(), row * extent.rows, col * extent.cols, extent};
}

std::int64_t hops_between(const Region& from, const Region& to, Axis replicated) {
  assert(from.wafer == to.wafer && "links do not leave a wafer");
  const std::int64_t down = std::abs(from.row - to.row);
  const std::int64_t across = std::abs(from.col - to.col);
  const std::int64_t split = replicated == Axis::x ? down : across;
  const std::int64_t along = replicated == Axis::x ? across : down;
  return split + std::max<std::int64_t>(0, along - from.extent.along(replicated) + 1);
}

std::int64_t hops_to_edge(const Grid& grid, const Region& region) {
  const std::int64_t middle_row = region.row + region.extent.rows / 2;
  const std::int64_t middle_col = region.col + region.extent.cols / 2;
  return std::min({middle_row, grid.usable.rows - middle_row, middle_col, grid.usable.cols - middle_col});
}

}  // namespace waferline::mapping
