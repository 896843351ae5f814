#include "mapping/strip_cuts.hpp"

#include <algorithm>

namespace waferline::mapping {

StripCuts::StripCuts(const Problem& problem, std::int64_t wafers) : wafers_(wafers) {
  const Extent usable = problem.wafer.usable();
  const std::int64_t most = most_regions(problem.layer_count() + 1, wafers);
  const std::int64_t room = std::max<std::int64_t>(problem.empty.free().value, 0);
  for (const Axis along : {Axis::x, Axis::y}) {
    const std::int64_t lines = usable.along(other(along));
    for (std::int64_t strips = 1; strips <= std::min(most, lines); ++strips) {
      const std::int64_t thickness = lines / strips;
      // Thinner strips do not even hold the smallest layer's weights without padding.
      if (problem.costs.smallest_layer().value > thickness * usable.along(along) * room) break;
      const Strips cut(problem.wafer, along, strips);
      if (cut.per_wafer() == 0) continue;
      const std::int64_t most_parts = std::max<std::int64_t>(most / strips, 1);
      searches_.push_back(std::make_unique<StripSearch>(problem, cut, wafers, most_parts, states_));
    }
  }
  // Cuts with a low bound first: what they find spares work on the others.
  std::stable_sort(searches_.begin(), searches_.end(),
                   [](const auto& a, const auto& b) { return a->simple_bound() < b->simple_bound(); });
}

std::optional<Found> StripCuts::shortest(const Limits& limits, Cycles incumbent) {
  std::optional<Found> best;
  for (const auto& search : searches_) {
    std::optional<Found> found = search->solve(limits, embedding_, best ? best->pass : incumbent);
    if (found) best = std::move(found);
  }
  return best;
}

Cycles StripCuts::latency_bound(std::int64_t users) const {
  Cycles least = kEndless;
  for (const auto& search : searches_) {
    if (search->simple_bound() < least) least = std::min(least, search->latency_bound(users));
  }
  return least;
}

Cycles StripCuts::stage_bound() const {
  Cycles least = kEndless;
  for (const auto& search : searches_) least = std::min(least, search->stage_bound());
  return least;
}

std::int64_t StripCuts::plans() const {
  std::int64_t sum = 0;
  for (const auto& search : searches_) sum += search->plans();
  return sum;
}

}  // namespace waferline::mapping
