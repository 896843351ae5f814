// Follows: docs/model/30-placement.md, F104 and F105.
#include "mapping/strip_search.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace waferline::mapping {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace

StripSearch::StripSearch(const Problem& problem, const Strips& strips, std::int64_t wafers, std::int64_t most,
                         StripStates& states)
    : problem_(&problem),
      states_(&states),
      strips_(strips),
      strip_count_(wafers * strips.per_wafer()),
      shapes_(list_shapes(strips_, most)),
      options_(list_options(problem, shapes_)),
      walks_(problem, strips_, shapes_) {
  for (std::size_t option = 0; option < options_.size(); ++option) {
    std::vector<double> sums{0};
    for (std::size_t layer = 0; layer < layers(); ++layer) {
      sums.push_back(sums.back() + cost(option, static_cast<std::int64_t>(layer)).cycles.value);
    }
    before_.push_back(std::move(sums));
  }
  bound_layers();
}

const PartCost& StripSearch::cost(std::size_t option, std::int64_t layer) const {
  return options_[option].kinds[problem_->kinds.of_layer[static_cast<std::size_t>(layer)]];
}

void StripSearch::bound_layers() {
  std::vector<double> least(problem_->kinds.layers.size(), kInfinite);
  double head = kInfinite;
  for (const StripOption& option : options_) {
    for (std::size_t kind = 0; kind < least.size(); ++kind) {
      if (with_part(problem_->empty, option.kinds[kind]).free().value < 0) continue;
      least[kind] = std::min(least[kind], option.kinds[kind].cycles.value);
    }
  }
  for (const StripShape& shape : shapes_) {
    const std::int64_t most = std::min(kMostSharing, strip_count_ * strips_.slots(0, shape.length));
    for (std::int64_t regions = 1; regions <= most; ++regions) {
      const PartCost& part = problem_->costs.head(shape.extent, regions);
      if (with_part(problem_->empty, part).free().value >= 0) head = std::min(head, part.cycles.value);
    }
  }
  bound_from_.assign(layers() + 1, head);
  stage_bound_ = Cycles{head};
  for (std::size_t layer = layers(); layer-- > 0;) {
    const double fastest = least[problem_->kinds.of_layer[layer]];
    bound_from_[layer] = bound_from_[layer + 1] + fastest;
    stage_bound_ = std::max(stage_bound_, Cycles{fastest});
  }
}

void StripSearch::prepare(const Limits& limits) {
  next_.assign(options_.size(), {});
  heads_.assign(shapes_.size(), {});
  const auto count = static_cast<std::int64_t>(layers());
  for (std::size_t option = 0; option < options_.size(); ++option) {
    for (std::int64_t first = 0; first < count; ++first) {
      SramUse use = problem_->empty;
      std::int64_t end = first;
      for (; end < count; ++end) {
        use = with_part(use, cost(option, end));
        const double work =
            before_[option][static_cast<std::size_t>(end) + 1] - before_[option][static_cast<std::size_t>(first)];
        // The sum's rounding error is not held against it.
        if (!fits(use, problem_->batch, limits.users) || work > limits.stage.value * (1 + 1e-12)) break;
      }
      next_[option].push_back(end);
    }
  }
  for (std::size_t shape = 0; shape < shapes_.size(); ++shape) {
    const std::int64_t most = std::min(kMostSharing, strip_count_ * strips_.slots(0, shapes_[shape].length));
    for (std::int64_t regions = 1; regions <= most; ++regions) {
      const PartCost& part = problem_->costs.head(shapes_[shape].extent, regions);
      const bool good = with_part(problem_->empty, part).free().value >= 0 && part.cycles <= limits.stage;
      heads_[shape].push_back(good ? part.cycles.value : kInfinite);
    }
  }
  states_->reset(strip_count_, count, shapes_.size());
  best_.reset();
}

std::int64_t StripSearch::end_of(std::size_t option, std::int64_t first, std::int64_t regions) const {
  std::int64_t end = first;
  for (std::int64_t i = 0; i < regions && end < static_cast<std::int64_t>(layers()); ++i) {
    const std::int64_t next = next_[option][static_cast<std::size_t>(end)];
    if (next == end) break;
    end = next;
  }
  return end;
}

bool StripSearch::reachable() const {
  const auto count = static_cast<std::int64_t>(layers());
  std::int64_t layer = 0;
  for (std::int64_t strip = 0; strip < strip_count_ && layer < count; ++strip) {
    std::int64_t farthest = layer;
    for (std::size_t option = 0; option < options_.size(); ++option) {
      farthest = std::max(farthest, end_of(option, layer, walks_.slots(strip, shape(option))));
    }
    if (farthest == layer) return false;
    layer = farthest;
  }
  return layer == count;
}

std::optional<Found> StripSearch::solve(const Limits& limits, bool embedding_on_wafer, Cycles incumbent) {
  incumbent_ = incumbent.value;
  if (simple_bound() >= incumbent || latency_bound(limits.users) >= incumbent) return std::nullopt;
  prepare(limits);
  if (!reachable()) return std::nullopt;
  begin(embedding_on_wafer);
  for (std::int64_t strip = 1; strip < strip_count_; ++strip) {
    for (std::int64_t layer = 0; layer <= static_cast<std::int64_t>(layers()); ++layer) {
      if (states_->reached(strip, layer)) leave(strip, layer);
    }
  }
  if (!best_) return std::nullopt;
  return Found{Cycles{best_->cycles}, trace_back(*best_)};
}

void StripSearch::begin(bool embedding_on_wafer) {
  for (std::size_t option = 0; option < options_.size(); ++option) {
    if (walks_.slots(0, shape(option)) == 0) continue;
    if (embedding_on_wafer) {
      begin_behind_embedding(option);
    } else {
      fill({0, 0, shape(option), option, 0, 0, kStart});
    }
  }
  if (!embedding_on_wafer) return;
  for (std::size_t shape = 0; shape < shapes_.size(); ++shape) fill_with_embedding(shape);
}

std::int64_t StripSearch::embedding_regions(std::size_t shape) const {
  const Extent extent = shapes_[shape].extent;
  return fewest_regions(problem_->empty, std::min(kMostSharing, walks_.slots(0, shape)),
                        [&](std::int64_t n) { return problem_->costs.embedding(extent, n); });
}

/// The embedding takes the first regions; the layers begin behind it in regions of the same shape.
void StripSearch::begin_behind_embedding(std::size_t option) {
  const std::size_t here = shape(option);
  const std::int64_t regions = embedding_regions(here);
  if (regions == 0 || regions == walks_.slots(0, here)) return;
  const double cycles = problem_->costs.embedding(shapes_[here].extent, regions).cycles.value;
  fill({cycles + walks_.walk(0, here, 0, regions), 0, here, option, regions, 0, kStart});
}

/// The embedding takes the whole first strip.
void StripSearch::fill_with_embedding(std::size_t shape) {
  const std::int64_t regions = embedding_regions(shape);
  if (regions == 0 || regions < walks_.slots(0, shape) || strip_count_ < 2) return;
  const double cycles = problem_->costs.embedding(shapes_[shape].extent, regions).cycles.value;
  const double walked = cycles + walks_.walk(0, shape, 0, regions - 1);
  StripState& full = states_->at(1, 0, shape);
  if (walked >= full.cycles) return;
  full = {walked, 0, 0, kStart, static_cast<Index>(regions)};
}

/// From a strip that is full to all that may be in the next.
void StripSearch::leave(std::int64_t strip, std::int64_t layer) {
  arrivals_.assign(shapes_.size(), {kInfinite, kStart});
  for (std::size_t before = 0; before < shapes_.size(); ++before) {
    const StripState& from = states_->at(strip, layer, before);
    if (from.cycles == kInfinite) continue;
    for (std::size_t to = 0; to < shapes_.size(); ++to) {
      if (walks_.slots(strip, to) == 0) continue;
      ++plans_;
      const double cycles = from.cycles + walks_.between(strip - 1, before, to);
      if (cycles < arrivals_[to].first) arrivals_[to] = {cycles, static_cast<Index>(before)};
    }
  }
  if (layer == static_cast<std::int64_t>(layers())) {
    for (std::size_t to = 0; to < shapes_.size(); ++to) {
      const auto [cycles, before] = arrivals_[to];
      if (cycles < kInfinite) finish({cycles, strip, to, 0, 0, layer, before});
    }
    return;
  }
  for (std::size_t option = 0; option < options_.size(); ++option) {
    const auto [cycles, before] = arrivals_[shape(option)];
    if (cycles < kInfinite) fill({cycles, strip, shape(option), option, 0, layer, before});
  }
}

void StripSearch::fill(const Arrival& arrival) {
  const auto count = static_cast<std::int64_t>(layers());
  if (arrival.cycles + bound_from_[static_cast<std::size_t>(arrival.layer)] >= incumbent_) return;
  finish(arrival);
  if (arrival.strip + 1 >= strip_count_) return;
  const std::size_t here = arrival.shape;
  const std::int64_t slots = walks_.slots(arrival.strip, here) - arrival.first_slot;
  const std::int64_t end = end_of(arrival.option, arrival.layer, slots);
  const double base = arrival.cycles +
                      walks_.walk(arrival.strip, here, arrival.first_slot, arrival.first_slot + slots - 1) -
                      before_[arrival.option][static_cast<std::size_t>(arrival.layer)];
  for (std::int64_t to = arrival.layer + slots; to <= std::min(end, count); ++to) {
    ++plans_;
    const double cycles = base + before_[arrival.option][static_cast<std::size_t>(to)];
    if (cycles + bound_from_[static_cast<std::size_t>(to)] >= incumbent_) continue;
    StripState& next = states_->at(arrival.strip + 1, to, here);
    if (cycles >= next.cycles) continue;
    next = {cycles, static_cast<Index>(arrival.option), static_cast<Index>(to - arrival.layer), arrival.before,
            static_cast<Index>(arrival.first_slot)};
  }
}

/// All layers that are left from here on, then the head.
void StripSearch::finish(const Arrival& arrival) {
  const auto count = static_cast<std::int64_t>(layers());
  const std::int64_t slots = walks_.slots(arrival.strip, arrival.shape) - arrival.first_slot;
  Ending ending{arrival.cycles, arrival, 0, 0, 0, 0, 0};
  std::int64_t layer = arrival.layer;
  while (layer < count && ending.regions < slots) {
    const std::int64_t next = next_[arrival.option][static_cast<std::size_t>(layer)];
    if (next == layer) return;
    layer = next;
    ++ending.regions;
  }
  if (layer < count) return;
  if (ending.regions == 0) {
    place_head(ending, 0);
    return;
  }
  // More regions than needed may bring the head nearer.
  const double work = arrival.cycles + before_[arrival.option][layers()] -
                      before_[arrival.option][static_cast<std::size_t>(arrival.layer)];
  for (; ending.regions <= std::min(slots, count - arrival.layer); ++ending.regions) {
    const std::int64_t last = arrival.first_slot + ending.regions - 1;
    ending.cycles = work + walks_.walk(arrival.strip, arrival.shape, arrival.first_slot, last);
    if (ending.cycles + bound_from_.back() >= incumbent_) break;
    place_head(ending, last + 1);
  }
}

/// The head behind the last layer: in the strip of `ending.arrival` from `slot` on, or in further strips of any option.
void StripSearch::place_head(Ending ending, std::int64_t slot) {
  const Arrival& arrival = ending.arrival;
  const auto offer = [&](double arrived, std::int64_t strip, std::size_t here, std::int64_t first_slot) {
    const std::vector<double>& heads = heads_[here];
    std::int64_t at_strip = strip;
    std::int64_t at_slot = first_slot;
    for (std::size_t more = 0; more < heads.size(); ++more) {
      ++plans_;
      const double cycles = arrived + heads[more] + walks_.back(at_strip, here, at_slot);
      if (cycles < incumbent_) {
        incumbent_ = cycles;
        best_ = ending;
        best_->cycles = cycles;
        best_->head_strip = strip;
        best_->head_slot = first_slot;
        best_->head_shape = here;
        best_->head_regions = static_cast<std::int64_t>(more) + 1;
      }
      if (at_slot + 1 < walks_.slots(at_strip, here)) {
        arrived += walks_.walk(at_strip, here, at_slot, at_slot + 1);
        ++at_slot;
      } else if (at_strip + 1 < strip_count_ && walks_.slots(at_strip + 1, here) > 0) {
        arrived += walks_.between(at_strip, here, here);
        ++at_strip;
        at_slot = 0;
      } else {
        break;
      }
      if (arrived >= incumbent_) break;
    }
  };
  const std::size_t last = arrival.shape;
  if (slot < walks_.slots(arrival.strip, last)) {
    const double way = slot == 0 ? 0 : walks_.walk(arrival.strip, last, slot - 1, slot);
    offer(ending.cycles + way, arrival.strip, last, slot);
  }
  if (ending.regions == 0 || arrival.strip + 1 >= strip_count_) return;
  for (std::size_t to = 0; to < shapes_.size(); ++to) {
    if (walks_.slots(arrival.strip + 1, to) == 0) continue;
    offer(ending.cycles + walks_.onwards(arrival.strip, last, slot - 1, to), arrival.strip + 1, to, 0);
  }
}

}  // namespace waferline::mapping
