#pragma once
// All cuts of a number of wafers into strips of one direction and thickness.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "mapping/strip_search.hpp"

namespace waferline::mapping {

inline constexpr Cycles kEndless{std::numeric_limits<double>::infinity()};

class StripCuts {
 public:
  /// Keeps a reference to `problem`. Preconditions: at least one wafer.
  StripCuts(const Problem& problem, std::int64_t wafers);
  StripCuts(const StripCuts&) = delete;
  StripCuts& operator=(const StripCuts&) = delete;

  /// The plan with the shortest pass of all cuts, below `incumbent`.
  std::optional<Found> shortest(const Limits& limits, Cycles incumbent = kEndless);

  /// Whether the embedding is to take regions of its own.
  void place_embedding(bool on_wafer) { embedding_ = on_wafer; }

  /// No plan for so many users has a shorter pass.
  Cycles latency_bound(std::int64_t users) const;
  Cycles stage_bound() const;
  std::int64_t plans() const;
  std::int64_t wafers() const { return wafers_; }

  /// Regions into which a wafer is cut, at most: more regions than parts help nobody; up to a third more, so that a
  /// count without divisors finds a cut.
  static std::int64_t most_regions(std::int64_t parts, std::int64_t wafers) {
    return ceil_div(parts, wafers) * 4 / 3 + 2;
  }

 private:
  std::int64_t wafers_;
  bool embedding_ = false;
  StripStates states_;
  std::vector<std::unique_ptr<StripSearch>> searches_;
};

}  // namespace waferline::mapping
