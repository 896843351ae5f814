#pragma once
// The usable rectangle of a wafer cut into equal regions, visited in snake order.

#include <cstdint>

#include "arch/region.hpp"

namespace waferline::mapping {

/// rows x cols equal regions from the upper left corner; what does not divide is left over at the lower and right edge.
struct Grid {
  std::int64_t rows = 1;
  std::int64_t cols = 1;
  Extent usable;

  constexpr std::int64_t count() const { return rows * cols; }
  constexpr Extent extent() const { return {usable.rows / rows, usable.cols / cols}; }
  constexpr bool operator==(const Grid&) const = default;
};

/// The region at `index` of the pipeline over wafers 0, 1, ...: each wafer's grid is walked row by row, every second
/// row backwards, so that consecutive regions of a wafer touch. Preconditions: index >= 0.
Region region_at(const Grid& grid, std::int64_t index);

/// Links from a region to the nearest PEs of another that take its hidden vector, which is split along one axis and
/// held by every PE along the other. Along the axis where it is replicated, neighbours are 1 link apart; along the axis
/// where it is split, as many as a region is long there. Preconditions: both on one wafer, both of the same extent.
std::int64_t hops_between(const Region& from, const Region& to, Axis replicated);

/// Links from the middle of `region` to the nearest edge of the usable rectangle, where the wafer's I/O is.
std::int64_t hops_to_edge(const Grid& grid, const Region& region);

}  // namespace waferline::mapping
