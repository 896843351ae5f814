#pragma once
// The shift-based cache: each row of PEs holds its own positions, a new one enters the last row, and a row that is
// fuller than its neighbour passes its oldest one up (WaferLLM, arXiv 2502.04563, section 4.3).

#include <cstdint>
#include <span>
#include <vector>

#include "arch/dtype.hpp"
#include "kernels/partition.hpp"

namespace waferline::kernels::emulate {

/// Keys or values of one sequence in one layer over the rows of a rectangle.
class KvCache {
 public:
  /// `width` elements a position, stored as `stored`.
  KvCache(std::int64_t rows, std::int64_t width, DType stored);

  /// The new position enters the last row; its elements are rounded to the stored type.
  void append(std::span<const float> entry);

  /// Takes the place of what is there: whole positions, oldest first, dealt out as `shift` would leave them.
  void deal(std::span<const float> entries);

  /// Rows pass their oldest positions up, from the last row on, until they hold Split{kept, rows}; what exceeds `kept`
  /// leaves the first row. Returns the most positions that one row passed up.
  std::int64_t shift(std::int64_t kept);

  std::int64_t rows() const { return static_cast<std::int64_t>(bounds_.size()) - 1; }
  std::int64_t width() const { return width_; }
  std::int64_t size(std::int64_t row) const {
    return bounds_[static_cast<std::size_t>(row) + 1] - bounds_[static_cast<std::size_t>(row)];
  }
  std::int64_t positions() const { return bounds_.back(); }
  /// Element `index` of the oldest + `slot` position of a row.
  const float* entry(std::int64_t row, std::int64_t slot) const;
  /// For tests of what a lost row does.
  float* entry(std::int64_t row, std::int64_t slot);

  /// Entries of all rows in order of position, and the bounds of each row among them.
  std::vector<const float*> entries() const;
  const std::vector<std::int64_t>& bounds() const { return bounds_; }

 private:
  void drop_oldest(std::int64_t count);

  std::int64_t width_;
  DType stored_;
  /// Entries in order of position. A row passes its oldest to the end of the row above, so that every row is a run of
  /// them and passing moves a bound.
  std::vector<float> data_;
  std::int64_t dead_ = 0;  ///< entries at the start of `data_` that have left
  std::vector<std::int64_t> bounds_;
};

}  // namespace waferline::kernels::emulate
