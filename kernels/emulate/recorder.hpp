#pragma once
// What every PE did in a step, for whoever wants to write it down. Nothing here costs anything while nobody records.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "arch/region.hpp"
#include "kernels/emulate/counters.hpp"
#include "kernels/schedule.hpp"

namespace waferline::kernels::emulate {

/// One number of a PE in a step.
enum class PeField : std::uint8_t {
  instructions,  ///< vector instructions issued
  length,        ///< elements of the longest
  macs,
  exponentials,
  specials,
  weight_bytes,  ///< stored weight or cache bytes swept
  dequantised,   ///< elements widened from 8 bits or less
  combines,      ///< wavelets that arrived and were combined
  sent,          ///< wavelets that went up the PE's ramp
  received,      ///< wavelets that came down its ramp, the combined ones included
  link_east,     ///< wavelets on the link to the next column
  link_west,
  link_south,  ///< wavelets on the link to the next row
  link_north
};
inline constexpr std::size_t kPeFields = 14;

/// Name of the field in files and tables, such as "link_east".
std::string_view name(PeField field);

/// All fields of all PEs of a rectangle, row by row.
class PeGrid {
 public:
  PeGrid() = default;
  explicit PeGrid(Extent extent);

  Extent extent() const { return extent_; }
  /// (rows x cols) numbers.
  const std::vector<std::int64_t>& of(PeField field) const { return values_[static_cast<std::size_t>(field)]; }
  std::vector<std::int64_t>& of(PeField field) { return values_[static_cast<std::size_t>(field)]; }
  std::int64_t at(PeField field, std::int64_t row, std::int64_t col) const {
    return of(field)[static_cast<std::size_t>(row * extent_.cols + col)];
  }
  std::int64_t most(PeField field) const;
  std::int64_t sum(PeField field) const;
  bool operator==(const PeGrid&) const = default;

  void clear();
  void add(PeField field, std::int64_t row, std::int64_t col, std::int64_t amount) {
    of(field)[static_cast<std::size_t>(row * extent_.cols + col)] += amount;
  }
  /// Adds a PE's local work; of two longest instructions the longer stays.
  void add(std::int64_t row, std::int64_t col, const PeWork& work);

 private:
  Extent extent_;
  std::array<std::vector<std::int64_t>, kPeFields> values_;
};

/// One step that was run.
struct RecordedStep {
  const Schedule& schedule;
  std::size_t index = 0;
  const StepCounters& counters;
  std::int64_t sram_bytes = 0;  ///< in every PE: resident bytes, and the buffers alive in this step
  const PeGrid& pes;

  const Step& step() const { return schedule.steps[index]; }
};

/// Told of steps in the order in which they run, by one thread at a time. References are valid during the call.
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// The steps that follow are those of `region` ("layer 3") in pass `pass` (tokens are counted from 0).
  virtual void enter(std::string_view region, std::int64_t pass) = 0;
  virtual void record(const RecordedStep& step) = 0;
};

}  // namespace waferline::kernels::emulate
