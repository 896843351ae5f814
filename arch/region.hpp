#pragma once
// Rectangles of PEs.

#include <cstdint>

namespace waferline {

/// The two directions of the mesh. `x` runs along a row (from column to column), `y` along a column (from row to row).
enum class Axis : std::uint8_t { x, y };

constexpr Axis other(Axis axis) {
  return axis == Axis::x ? Axis::y : Axis::x;
}

/// Rows and columns of a rectangle of PEs, without a place.
struct Extent {
  std::int64_t rows = 0;
  std::int64_t cols = 0;

  constexpr std::int64_t pes() const { return rows * cols; }
  /// Number of PEs in a line that runs along `axis`.
  constexpr std::int64_t along(Axis axis) const { return axis == Axis::x ? cols : rows; }
  constexpr bool operator==(const Extent&) const = default;
};

/// A rectangle of PEs on one wafer: rows [row, row + extent.rows), columns [col, col + extent.cols).
struct Region {
  std::int64_t wafer = 0;
  std::int64_t row = 0;
  std::int64_t col = 0;
  Extent extent;
  constexpr bool operator==(const Region&) const = default;
};

/// Whether two regions share a PE.
constexpr bool overlap(const Region& a, const Region& b) {
  return a.wafer == b.wafer && a.row < b.row + b.extent.rows && b.row < a.row + a.extent.rows &&
         a.col < b.col + b.extent.cols && b.col < a.col + a.extent.cols;
}

}  // namespace waferline
