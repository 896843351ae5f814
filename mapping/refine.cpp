// Follows: docs/model/30-placement.md, F108.
#include "mapping/refine.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "mapping/plan_check.hpp"

namespace waferline::mapping {
namespace {

/// Relative rise of the figure that is accepted with probability 1/e, at the start and at the end.
constexpr double kHot = 3e-3;
constexpr double kCold = 1e-5;
constexpr std::int64_t kStepsBetweenLooks = 64;

/// Lower is better. The pass breaks ties, so that a search for throughput does not lose latency for nothing.
double figure(const Assembly& assembly, const Problem& problem, const Plan& plan) {
  const double pass = pass_of(problem, plan).value;
  switch (assembly.request.objective) {
    case Objective::throughput:
      return slowest_stage(problem, plan).value + 1e-6 * pass;
    case Objective::users:
      return 1 / (1 + static_cast<double>(users_of(problem, plan))) + 1e-15 * pass;
    case Objective::latency:
    case Objective::wafers:
      break;
  }
  return pass;
}

class Moves {
 public:
  Moves(const Problem& problem, std::uint32_t seed) : problem_(problem), random_(seed) {}

  /// The same integer on every platform, unlike std::uniform_int_distribution.
  std::int64_t number(std::int64_t low, std::int64_t high) {
    const auto span = static_cast<std::uint64_t>(high - low + 1);
    return low + static_cast<std::int64_t>((static_cast<std::uint64_t>(random_()) * span) >> 32);
  }
  double fraction() { return static_cast<double>(random_()) / 4294967296.0; }

  /// Changes `plan` at random; false if that move is not to be had here.
  bool change(Plan& plan) {
    switch (number(0, 5)) {
      case 0:
      case 1:
        return move_border(plan);
      case 2:
        return move_strips(plan);
      case 3:
        return move_layer(plan);
      case 4:
        return turn(plan);
      default:
        return deal(plan);
    }
  }

 private:
  static constexpr auto all_alike = [](const Plan& plan, const PlannedRegion& region) {
    return region.use == RegionUse::layers || plan.sharing(region.use) == 1;
  };
  std::size_t any(const Plan& plan) { return static_cast<std::size_t>(number(0, std::ssize(plan.regions) - 1)); }
  std::int64_t shift() {
    const std::int64_t size = std::int64_t{1} << number(0, 5);
    return number(0, 1) == 1 ? size : -size;
  }

  /// One region grows at the cost of the next, along the line on which both lie.
  bool move_border(Plan& plan) {
    const std::size_t at = any(plan);
    if (at + 1 >= plan.regions.size()) return false;
    PlannedRegion* first = &plan.regions[at];
    PlannedRegion* second = &plan.regions[at + 1];
    if (!all_alike(plan, *first) || !all_alike(plan, *second)) return false;
    Region* a = &first->region;
    Region* b = &second->region;
    if (a->wafer != b->wafer) return false;
    const std::int64_t by = shift();
    if (a->row == b->row && a->extent.rows == b->extent.rows) {
      if (b->col < a->col) std::swap(a, b);
      if (a->col + a->extent.cols != b->col || a->extent.cols + by < 1 || b->extent.cols - by < 1) return false;
      a->extent.cols += by;
      b->col += by;
      b->extent.cols -= by;
      return true;
    }
    if (a->col != b->col || a->extent.cols != b->extent.cols) return false;
    if (b->row < a->row) std::swap(a, b);
    if (a->row + a->extent.rows != b->row || a->extent.rows + by < 1 || b->extent.rows - by < 1) return false;
    a->extent.rows += by;
    b->row += by;
    b->extent.rows -= by;
    return true;
  }

  /// One strip grows at the cost of the next: all regions that begin or end at the border between them.
  bool move_strips(Plan& plan) {
    const Region pivot = plan.regions[any(plan)].region;
    const std::int64_t by = shift();
    const bool rows = number(0, 1) == 1;
    const std::int64_t border = rows ? pivot.row + pivot.extent.rows : pivot.col + pivot.extent.cols;
    std::int64_t before = 0;
    std::int64_t behind = 0;
    for (PlannedRegion& planned : plan.regions) {
      Region& region = planned.region;
      if (region.wafer != pivot.wafer) continue;
      std::int64_t& first = rows ? region.row : region.col;
      std::int64_t& size = rows ? region.extent.rows : region.extent.cols;
      if (first + size == border || first == border) {
        if (!all_alike(plan, planned)) return false;
        const bool ends = first + size == border;
        (ends ? before : behind) += 1;
        if (!ends) first += by;
        size += ends ? by : -by;
        if (size < 1) return false;
      } else if (first < border && border < first + size) {
        return false;
      }
    }
    return before > 0 && behind > 0;
  }

  bool move_layer(Plan& plan) {
    const std::size_t at = any(plan);
    if (at + 1 >= plan.regions.size()) return false;
    PlannedRegion& first = plan.regions[at];
    PlannedRegion& second = plan.regions[at + 1];
    if (first.use != RegionUse::layers || second.use != RegionUse::layers) return false;
    const std::int64_t by = number(0, 1) == 1 ? 1 : -1;
    if (first.layer_count + by < 1 || second.layer_count - by < 1) return false;
    first.layer_count += by;
    second.first_layer += by;
    second.layer_count -= by;
    return true;
  }

  bool turn(Plan& plan) {
    PlannedRegion& region = plan.regions[any(plan)];
    if (!all_alike(plan, region)) return false;
    region.turned = !region.turned;
    return region.expert_bands <= region.form().extent.cols;
  }

  bool deal(Plan& plan) {
    PlannedRegion& region = plan.regions[any(plan)];
    if (region.use != RegionUse::layers) return false;
    const bool experts = number(0, 1) == 1;
    std::int64_t& ways = experts ? region.expert_bands : region.latent_copies;
    const std::int64_t most = experts ? (problem_.costs.has_experts() ? kMostExpertBands : 1)
                                      : std::min(kMostLatentCopies, problem_.costs.latent_heads());
    ways = number(0, 1) == 1 ? 2 * ways : ways / 2;
    return ways >= 1 && ways <= std::min(most, region.form().extent.cols);
  }

  const Problem& problem_;
  std::mt19937 random_;
};

class Annealing {
 public:
  Annealing(const Assembly& assembly, const Problem& problem, const Plan& start, std::int64_t users,
            const Refinement& how)
      : assembly_(assembly),
        problem_(problem),
        users_(users),
        how_(how),
        moves_(problem, how.seed),
        best_{start, 0, 0},
        now_(start) {
    now_figure_ = best_figure_ = start_figure_ = figure(assembly, problem, start);
  }

  Refined run() {
    const auto begin = std::chrono::steady_clock::now();
    double progress = 0;
    while (progress < 1) {
      for (std::int64_t i = 0; i < kStepsBetweenLooks && (how_.steps == 0 || best_.steps < how_.steps); ++i) {
        step(kHot * std::pow(kCold / kHot, progress));
      }
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      progress = 0;
      if (how_.steps > 0) progress = static_cast<double>(best_.steps) / static_cast<double>(how_.steps);
      if (how_.time.value > 0) progress = std::max(progress, spent.count() / how_.time.value);
      if (how_.steps == 0 && how_.time.value <= 0) break;
      if (how_.on_progress) how_.on_progress(best_.steps, best_figure_ / start_figure_);
    }
    return std::move(best_);
  }

 private:
  /// Room for the users asked for, and where there are defects, none inside a region.
  bool sound(const Plan& plan) const {
    if (!assembly_.wafer.defects.empty() && !check(assembly_, problem_, plan).empty()) return false;
    return apart(plan) && users_of(problem_, plan) >= users_;
  }

  static bool apart(const Plan& plan) {
    for (std::size_t i = 0; i < plan.regions.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (overlap(plan.regions[i].region, plan.regions[k].region)) return false;
      }
    }
    return true;
  }

  void step(double heat) {
    ++best_.steps;
    Plan next = now_;
    if (!moves_.change(next) || !sound(next)) return;
    const double value = figure(assembly_, problem_, next);
    const double rise = value / now_figure_ - 1;
    if (rise > 0 && moves_.fraction() >= std::exp(-rise / heat)) return;
    now_ = std::move(next);
    now_figure_ = value;
    ++best_.accepted;
    if (value >= best_figure_) return;
    best_figure_ = value;
    best_.plan = now_;
  }

  const Assembly& assembly_;
  const Problem& problem_;
  std::int64_t users_;
  const Refinement& how_;
  Moves moves_;
  Refined best_;
  Plan now_;
  double now_figure_ = 0;
  double best_figure_ = 0;
  double start_figure_ = 0;
};

}  // namespace

Refined refine(const Assembly& assembly, const Problem& problem, const Plan& start, std::int64_t users,
               const Refinement& how) {
  return Annealing(assembly, problem, start, users, how).run();
}

}  // namespace waferline::mapping
