#pragma once
// What the way from region to region costs within strips and between them.

#include <cstdint>
#include <vector>

#include "mapping/strip_options.hpp"

namespace waferline::mapping {

/// Cycles of the hidden vector's way from one planned region to the next, the link between wafers included.
Cycles way_on(const Problem& problem, const PlannedRegion& from, const PlannedRegion& to);

/// Cycles of the chosen token's way from the last region of a plan to the first.
Cycles way_back(const Problem& problem, const PlannedRegion& last, const Region& first);

/// Ways between the regions of strips under one cut, remembered. Keeps references.
class StripWalks {
 public:
  StripWalks(const Problem& problem, const Strips& strips, const std::vector<StripShape>& shapes);

  /// The region at a place, on its true wafer.
  PlannedRegion region(std::int64_t strip, std::size_t shape, std::int64_t slot) const;
  std::int64_t slots(std::int64_t strip, std::size_t shape) const { return slots_[place(strip, shape)]; }
  /// From one place to another further on in the same strip, through all between.
  double walk(std::int64_t strip, std::size_t shape, std::int64_t from, std::int64_t to);
  /// From the last region of a strip to the first of the next strip.
  double between(std::int64_t strip, std::size_t from, std::size_t to);
  /// From a place in a strip to the first region of the next strip.
  double onwards(std::int64_t strip, std::size_t from, std::int64_t slot, std::size_t to) const;
  /// Of the chosen token from a place to the first PE of all.
  double back(std::int64_t strip, std::size_t shape, std::int64_t slot) const;

 private:
  /// Where tables by strip on its wafer and shape have an entry.
  std::size_t place(std::int64_t strip, std::size_t shape) const {
    return static_cast<std::size_t>(strip % strips_->per_wafer()) * shapes_->size() + shape;
  }
  const std::vector<double>& ways_along(std::int64_t strip, std::size_t shape);

  const Problem* problem_;
  const Strips* strips_;
  const std::vector<StripShape>* shapes_;
  std::vector<std::int64_t> slots_;         ///< by strip on its wafer and shape
  std::vector<std::vector<double>> along_;  ///< by strip on its wafer and shape: ways from the first region to each
  std::vector<double> between_;             ///< by strip on its wafer and both shapes; NaN: not yet known
};

}  // namespace waferline::mapping
