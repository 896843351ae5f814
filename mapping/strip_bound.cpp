// Follows: docs/model/30-placement.md, F105.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mapping/search_account.hpp"
#include "mapping/strip_search.hpp"

namespace waferline::mapping {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// What one part takes in one form: cycles, its share of the ways included, and PEs.
struct Share {
  double cycles = 0;
  double pes = 0;
};

/// Least cycles of a part when each PE has a price.
double least(const std::vector<Share>& shares, double price) {
  double best = kInfinite;
  for (const Share& share : shares) best = std::min(best, share.cycles + price * share.pes);
  return best;
}

/// The dual of "least cycles of all parts within so many PEs": for any price at all it is a lower bound.
class Dual {
 public:
  std::vector<std::vector<Share>> parts;
  std::vector<double> counts;
  double pes = 0;
  double constant = 0;

  double at(double price) const {
    double sum = constant - price * pes;
    for (std::size_t i = 0; i < parts.size(); ++i) sum += counts[i] * least(parts[i], price);
    return sum;
  }

  /// Its maximum, which is concave in the price, by golden section.
  double maximum() const {
    double low = 0;
    double high = 10 * at(0) / pes;
    if (!(high < kInfinite)) return kInfinite;
    constexpr double kGolden = 0.6180339887498949;
    for (int i = 0; i < 60; ++i) {
      const double a = high - kGolden * (high - low);
      const double b = low + kGolden * (high - low);
      (at(a) < at(b) ? low : high) = at(a) < at(b) ? a : b;
    }
    return std::max(at(0), at((low + high) / 2));
  }
};

}  // namespace

Cycles StripSearch::latency_bound(std::int64_t users) const {
  const std::size_t kinds = problem_->kinds.layers.size();
  const SramUse& empty = problem_->empty;
  Dual dual;
  dual.pes = static_cast<double>(strip_count_ * strips_.thickness() * strips_.length());
  dual.parts.resize(kinds + 1);
  for (const std::int64_t count : problem_->kinds.count) dual.counts.push_back(static_cast<double>(count));
  dual.counts.push_back(1);
  double first_way = 0;
  for (const StripOption& option : options_) {
    const double way = problem_->costs.transfer(option.form.extent, 1).value;
    const auto pes = static_cast<double>(option.form.extent.pes());
    first_way = std::max(first_way, way);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      const PartCost& part = option.kinds[kind];
      const SramUse alone = with_part(empty, part);
      if (!fits(alone, problem_->batch, users)) continue;
      const double bytes = static_cast<double>(part.weights.value) +
                           static_cast<double>(part.kv.value * users) / static_cast<double>(problem_->batch);
      const auto room = static_cast<double>((alone.free() + alone.weights + alone.kv).value);
      // Layers that a region holds: a whole number where all are alike, else a share of its room.
      double held = bytes > 0 ? room / bytes : static_cast<double>(layers());
      held = std::min(kinds == 1 ? std::floor(held * (1 + 1e-12)) : held, static_cast<double>(layers()));
      // Of layers of one kind that fit at all a region holds one at least; a fraction below one cannot come about.
      held = std::max(held, 1.0);
      dual.parts[kind].push_back({part.cycles.value + way / held, pes / held});
    }
  }
  for (const StripShape& shape : shapes_) {
    const double way = problem_->costs.transfer(shape.extent, 1).value;
    const std::int64_t most = std::min(kMostSharing, strip_count_ * strips_.slots(0, shape.length));
    for (std::int64_t regions = 1; regions <= most; ++regions) {
      const PartCost& part = problem_->costs.head(shape.extent, regions);
      if (with_part(empty, part).free().value < 0) continue;
      const auto count = static_cast<double>(regions);
      dual.parts.back().push_back({part.cycles.value + count * way, count * static_cast<double>(shape.extent.pes())});
    }
  }
  // The first region has no way into it; the wafers that the weights need are linked whatever the plan.
  dual.constant = -first_way;
  const std::int64_t wafers = fewest_imaginable_wafers(*problem_);
  if (wafers > 1) {
    dual.constant += (problem_->costs.wafer_hop() * static_cast<double>(wafers - 1)).value;
    dual.constant += problem_->costs.wafer_hop_back().value;
  }
  return std::max(simple_bound(), Cycles{dual.maximum()});
}

}  // namespace waferline::mapping
