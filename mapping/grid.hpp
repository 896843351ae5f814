#pragma once
// Equal regions in snake order, and distances between regions.

#include <cstdint>

#include "arch/region.hpp"
#include "mapping/placement.hpp"

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

/// Links that the farthest element of the hidden vector crosses from one region to the next on the same wafer. The
/// vector is split along one axis, proportionally, and held by every PE along the other. Where both are split along the
/// same axis, an element moves as far as the ends of the two intervals lie apart; along the other axis it starts at the
/// nearest PE. Where the split turns, it may have to go from the far end of one to the far end of the other.
/// Preconditions: both on one wafer.
std::int64_t hops_between(const PlannedRegion& from, const PlannedRegion& to);

/// Links from the middle of `region` to the nearest edge of the usable rectangle, where the wafer's I/O is.
std::int64_t hops_to_edge(Extent usable, const Region& region);

/// The upper left PE of a region, as a region.
constexpr Region first_pe(const Region& region) {
  return {region.wafer, region.row, region.col, {1, 1}};
}

/// Links from the nearest PE of `from` to the first PE of `to`, for the chosen token on its way back.
/// Preconditions: both on one wafer.
std::int64_t hops_back(const Region& from, const Region& to);

}  // namespace waferline::mapping
