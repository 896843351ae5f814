#pragma once
// The states of the dynamic program over strips.

#include <cstdint>
#include <limits>
#include <vector>

namespace waferline::mapping {

/// The best way known to have so many layers on so many strips, the last of which has a certain shape.
struct StripState {
  using Index = std::int32_t;
  double cycles = std::numeric_limits<double>::infinity();
  Index option = 0;       ///< of the last strip
  Index layers_here = 0;  ///< of the last strip
  Index before = 0;       ///< shape of the strip before; -1 if there is none
  Index first_slot = 0;   ///< slots of the last strip that the embedding takes
};

/// States by strips filled, layers placed and shape of the last strip. Room is taken for those alone that are reached,
/// a few percent of all, and is kept from one use to the next.
class StripStates {
 public:
  /// Forgets everything. Indices from here on: up to `strips` strips, up to `layers` layers, below `shapes` shapes.
  void reset(std::int64_t strips, std::int64_t layers, std::size_t shapes) {
    layers_ = layers;
    shapes_ = shapes;
    rows_.assign(static_cast<std::size_t>((strips + 1) * (layers + 1)), kNone);
    states_.clear();
  }

  /// Whether any state has so many strips and layers.
  bool reached(std::int64_t strips, std::int64_t layers) const { return rows_[row(strips, layers)] != kNone; }

  /// The state of a shape, made on first use; the reference holds until another is made.
  StripState& at(std::int64_t strips, std::int64_t layers, std::size_t shape) {
    std::int32_t& first = rows_[row(strips, layers)];
    if (first == kNone) {
      first = static_cast<std::int32_t>(states_.size());
      states_.resize(states_.size() + shapes_);
    }
    return states_[static_cast<std::size_t>(first) + shape];
  }

 private:
  static constexpr std::int32_t kNone = -1;

  std::size_t row(std::int64_t strips, std::int64_t layers) const {
    return static_cast<std::size_t>(strips * (layers_ + 1) + layers);
  }

  std::int64_t layers_ = 0;
  std::size_t shapes_ = 0;
  std::vector<std::int32_t> rows_;  ///< by strips and layers: where the states of all shapes begin
  std::vector<StripState> states_;
};

}  // namespace waferline::mapping
