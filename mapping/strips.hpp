#pragma once
// A wafer's usable rectangle cut into strips, and strips into regions.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "arch/region.hpp"
#include "arch/wafer.hpp"

namespace waferline::mapping {

/// Strips of equal thickness side by side, the same on every wafer. A token walks the first strip forwards, the second
/// backwards, and so on; a further wafer begins with its first strip again.
///
/// Defects: a strip never contains a defective line of its own direction. Within a strip, regions begin anew behind a
/// defective PE or a defective line across. The fabric is taken to lead past defects, straight through.
class Strips {
 public:
  /// `along`: direction in which a strip runs. Preconditions: per_wafer at least 1 and at most the usable lines.
  Strips(const Wafer& wafer, Axis along, std::int64_t per_wafer);

  Axis along() const { return along_; }
  /// Strips of one wafer; fewer than asked for if defects leave no room.
  std::int64_t per_wafer() const { return static_cast<std::int64_t>(firsts_.size()); }
  std::int64_t thickness() const { return thickness_; }
  /// PEs from end to end of a strip.
  std::int64_t length() const { return length_; }
  /// A region of `length` PEs along the strip.
  Extent extent(std::int64_t length) const;
  /// Regions of `length` that strip `strip` (counted over all wafers) has room for.
  std::int64_t slots(std::int64_t strip, std::int64_t length) const;
  /// The region at place `slot` of a strip in walking order. Preconditions: slot below slots(strip, length).
  Region region(std::int64_t strip, std::int64_t slot, std::int64_t length) const;

 private:
  const std::vector<std::int64_t>& starts(std::int64_t on_wafer, std::int64_t length) const;

  Axis along_;
  std::int64_t thickness_ = 0;
  std::int64_t length_ = 0;
  std::vector<std::int64_t> firsts_;                ///< first line of each strip
  std::vector<std::vector<std::int64_t>> blocked_;  ///< defective positions along each strip, sorted
  mutable std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> starts_;
};

}  // namespace waferline::mapping
