// Follows: He et al., WaferLLM (OSDI 2025), two-way K-tree; group sizes by search near the analytic optimum.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arch/error.hpp"
#include "kernels/collective.hpp"
#include "kernels/critical_path.hpp"
#include "kernels/tree_layout.hpp"

namespace waferline::kernels {

CollectivePlan k_tree_plan(std::int64_t pes, std::initializer_list<std::int64_t> groups, Root root) {
  if (groups.size() < 1 || groups.size() > CollectivePlan::kMaxLevels) {
    throw ConfigError(fmt::format("k-tree: {} levels (permitted: 1 to {})", groups.size(), CollectivePlan::kMaxLevels));
  }
  CollectivePlan plan;
  plan.algorithm = Algorithm::k_tree;
  plan.root = root;
  plan.levels = static_cast<int>(groups.size());
  std::size_t level = 0;
  for (const std::int64_t group : groups) {
    if (group < 1 || group > pes) {
      throw ConfigError(
          fmt::format("k-tree: groups[{}] is {} (permitted: 1 to {}, the PEs of the line)", level, group, pes));
    }
    plan.groups[level++] = group;
  }
  (void)TreeLayout(plan, pes);  // throws if the groups do not cover the line
  return plan;
}

namespace {

/// Keeps the plan whose reduction is shortest; all have their root in the middle, so the multicast adds the same to
/// each.
class Search {
 public:
  Search(std::int64_t pes, std::int64_t wavelets, const CollectiveRates& rates)
      : pes_(pes), wavelets_(wavelets), rates_(rates) {
    best_.root = Root::middle;
    best_.levels = 1;
    best_.groups[0] = std::max<std::int64_t>(pes, 1);
  }

  void run(int max_levels) {
    if (pes_ < 2 || wavelets_ == 0) return;
    CollectivePlan plan = best_;
    consider(plan);
    for (int levels = 2; levels <= max_levels; ++levels) {
      plan.levels = levels;
      choose(plan, 0, pes_);
    }
  }

  const CollectivePlan& best() const { return best_; }

 private:
  void consider(const CollectivePlan& plan) {
    const TreeLayout layout(plan, pes_);
    const std::int64_t farthest = std::max(layout.root(), pes_ - 1 - layout.root());
    const double cycles =
        tree_path(layout, wavelets_, rates_).cycles() + static_cast<double>(farthest) * rates_.hop_cycles;
    if (cycles < best_cycles_) {
      best_cycles_ = cycles;
      best_ = plan;
    }
  }

  /// Stages of a balanced tree are the sum of half the group sizes, least where all groups are the same root of the
  /// line; they are flat there, so a window around the root holds the optimum. Pairs are apart: their root has one side
  /// only and takes one payload instead of two, which pays for long payloads.
  void choose(CollectivePlan plan, int level, std::int64_t items) {
    const int left = plan.levels - level;
    if (left == 1) {
      plan.groups[static_cast<std::size_t>(level)] = items;
      consider(plan);
      return;
    }
    const double root = std::pow(static_cast<double>(items), 1.0 / left);
    const double half_width = 2 + 2 * std::sqrt(root);
    const auto low = std::max<std::int64_t>(2, static_cast<std::int64_t>(std::floor(root - half_width)));
    const auto high = std::min<std::int64_t>(items, static_cast<std::int64_t>(std::ceil(root + half_width)));
    const auto descend = [&](std::int64_t group) {
      plan.groups[static_cast<std::size_t>(level)] = group;
      choose(plan, level + 1, ceil_div(items, group));
    };
    if (left > 2) descend(1);
    if (low > 2 && items >= 2) descend(2);
    for (std::int64_t group = low; group <= high; ++group) descend(group);
  }

  std::int64_t pes_;
  std::int64_t wavelets_;
  CollectiveRates rates_;
  CollectivePlan best_;
  double best_cycles_ = HUGE_VAL;
};

}  // namespace

CollectivePlan best_plan(std::int64_t pes, std::int64_t wavelets, const CollectiveRates& rates, int max_levels) {
  if (max_levels < 1 || max_levels > CollectivePlan::kMaxLevels) {
    throw ConfigError(
        fmt::format("k-tree: at most {} levels (permitted: 1 to {})", max_levels, CollectivePlan::kMaxLevels));
  }
  Search search(pes, wavelets, rates);
  search.run(max_levels);
  return search.best();
}

}  // namespace waferline::kernels
