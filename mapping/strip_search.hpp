#pragma once
// The best plan whose regions lie in strips, by dynamic programming over the pipeline.
//
// The space: every wafer is cut into strips of equal thickness; each strip is cut into equal regions of one form, strip
// by strip as suits; consecutive layers go to consecutive regions; every region of a strip is used before the next
// strip begins, but for the last; the head takes one or more regions after the last layer, in the rest of its strip or
// in further strips of one form. docs/model/30-placement.md, F102 to F107.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "mapping/strip_options.hpp"
#include "mapping/strip_states.hpp"
#include "mapping/strip_walks.hpp"

namespace waferline::mapping {

/// A plan with the cycles of one pass.
struct Found {
  Cycles pass;
  Plan plan;
};

/// One cut of the wafers into strips.
class StripSearch {
 public:
  /// `most`: regions into which a strip is cut, at most. Keeps a reference to `problem`, and to `states`, which is
  /// scratch space for one solution at a time.
  StripSearch(const Problem& problem, const Strips& strips, std::int64_t wafers, std::int64_t most,
              StripStates& states);
  StripSearch(const StripSearch&) = delete;
  StripSearch& operator=(const StripSearch&) = delete;

  /// The plan with the shortest pass below `incumbent`; nothing if there is none.
  std::optional<Found> solve(const Limits& limits, bool embedding_on_wafer, Cycles incumbent);

  /// No plan of this cut has a shorter pass: every layer in its fastest region, the fastest head, no way between
  /// regions. Infinite if some layer or the head fits nowhere.
  Cycles simple_bound() const { return Cycles{bound_from_.front()}; }
  /// No plan of this cut that holds the caches of so many users has a shorter pass: room is shared, but may be shared
  /// in fractions. Never below the simple bound.
  Cycles latency_bound(std::int64_t users) const;
  /// No plan of this cut has a faster slowest region.
  Cycles stage_bound() const { return stage_bound_; }
  /// Transitions looked at so far.
  std::int64_t plans() const { return plans_; }

 private:
  using Index = StripState::Index;
  /// Arrival at the first free region of a strip.
  struct Arrival {
    double cycles = 0;
    std::int64_t strip = 0;
    std::size_t shape = 0;
    std::size_t option = 0;  ///< of the layers; without meaning where no layer is left
    std::int64_t first_slot = 0;
    std::int64_t layer = 0;
    Index before = 0;
  };
  /// A whole plan, by the arrival at the last strip with layers and the head behind it.
  struct Ending {
    double cycles = 0;
    Arrival arrival;
    std::int64_t regions = 0;  ///< with layers, from the arrival on
    std::int64_t head_strip = 0;
    std::int64_t head_slot = 0;
    std::size_t head_shape = 0;
    std::int64_t head_regions = 0;
  };
  static constexpr Index kStart = -1;

  std::size_t layers() const { return problem_->kinds.of_layer.size(); }
  const PartCost& cost(std::size_t option, std::int64_t layer) const;
  std::size_t shape(std::size_t option) const { return options_[option].shape; }
  void bound_layers();
  void prepare(const Limits& limits);
  bool reachable() const;
  std::int64_t end_of(std::size_t option, std::int64_t first, std::int64_t regions) const;
  void begin(bool embedding_on_wafer);
  void begin_behind_embedding(std::size_t option);
  void fill_with_embedding(std::size_t shape);
  std::int64_t embedding_regions(std::size_t shape) const;
  void leave(std::int64_t strip, std::int64_t layer);
  void fill(const Arrival& arrival);
  void finish(const Arrival& arrival);
  void place_head(Ending ending, std::int64_t first_strip_slot);
  Plan trace_back(const Ending& ending);
  void add_layers(const Arrival& arrival, std::int64_t count, std::int64_t regions, Plan& plan) const;

  const Problem* problem_;
  StripStates* states_;
  Strips strips_;
  std::int64_t strip_count_;
  std::vector<StripShape> shapes_;
  std::vector<StripOption> options_;
  StripWalks walks_;
  Cycles stage_bound_;
  std::int64_t plans_ = 0;
  std::vector<std::vector<double>> before_;  ///< by option: cycles of the layers before each one
  std::vector<double> bound_from_;           ///< least cycles of the layers from each one on, and of the head

  // Of one set of limits.
  std::vector<std::vector<std::int64_t>> next_;  ///< by option and layer: end of the longest run that one region takes
  std::vector<std::vector<double>> heads_;       ///< by shape and regions - 1: cycles of the head; infinite: no room
  std::vector<std::pair<double, Index>> arrivals_;  ///< by shape: cycles, and the shape before
  std::optional<Ending> best_;
  double incumbent_ = 0;
};

}  // namespace waferline::mapping
