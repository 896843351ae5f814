#include "kernels/tree_layout.hpp"

#include <fmt/format.h>

#include "arch/error.hpp"

namespace waferline::kernels {

TreeLayout::TreeLayout(const CollectivePlan& plan, std::int64_t pes) : root_(plan.root) {
  const bool chain = plan.algorithm == Algorithm::chain;
  if (!chain && plan.algorithm != Algorithm::k_tree)
    throw ConfigError("collective plan: no tree (permitted: chain, k_tree)");
  if (pes < 1) throw ConfigError(fmt::format("collective plan: a line of {} PEs (permitted: 1 and more)", pes));
  levels_ = chain ? 1 : plan.levels;
  if (levels_ < 1 || levels_ > CollectivePlan::kMaxLevels) {
    throw ConfigError(
        fmt::format("collective plan: {} levels (permitted: 1 to {})", levels_, CollectivePlan::kMaxLevels));
  }
  items_[0] = pes;
  for (std::size_t level = 0; level < static_cast<std::size_t>(levels_); ++level) {
    const std::int64_t group = chain ? pes : plan.groups[level];
    if (group < 1)
      throw ConfigError(fmt::format("collective plan: groups[{}] is {} (permitted: 1 and more)", level, group));
    items_[level + 1] = ceil_div(items_[level], group);
  }
  if (items(levels_) != 1) {
    throw ConfigError(
        fmt::format("collective plan: {} groups are left of {} PEs after {} levels (larger groups, or one more level)",
                    items(levels_), pes, levels_));
  }
}

Split TreeLayout::split(int level) const {
  return {items(level - 1), items(level)};
}

LineRange TreeLayout::children(int level, std::int64_t item) const {
  const Split parts = split(level);
  const std::int64_t begin = parts.begin(item);
  return {begin, begin + parts.size(item)};
}

std::int64_t TreeLayout::first_pe(int level, std::int64_t item) const {
  for (; level > 0; --level) item = split(level).begin(item);
  return item;
}

LineRange TreeLayout::span(int level, std::int64_t item) const {
  return {first_pe(level, item), first_pe(level, item + 1)};
}

std::int64_t TreeLayout::root(int level, std::int64_t item) const {
  const LineRange pes = span(level, item);
  return root_ == Root::end ? pes.begin : pes.begin + pes.size() / 2;
}

TreeLayout::Sides TreeLayout::sides(int level, std::int64_t item) const {
  const LineRange group = children(level, item);
  Sides sides;
  sides.root = root(level, item);
  // The children's roots ascend: bisect for the first one that is not before the item's root.
  LineRange search = group;
  while (search.size() > 0) {
    const std::int64_t half = search.begin + search.size() / 2;
    if (root(level - 1, half) < sides.root) {
      search.begin = half + 1;
    } else {
      search.end = half;
    }
  }
  const std::int64_t pivot = search.begin;
  const bool own = pivot < group.end && root(level - 1, pivot) == sides.root;
  sides.own_child = own ? pivot : -1;
  sides.left = {group.begin, pivot};
  sides.right = {pivot + (own ? 1 : 0), group.end};
  if (sides.left.size() != sides.right.size()) {
    sides.left_first = sides.left.size() > sides.right.size();
  } else if (sides.left.size() > 0) {
    sides.left_first = sides.root - root(level - 1, group.begin) >= root(level - 1, group.end - 1) - sides.root;
  }
  return sides;
}

}  // namespace waferline::kernels
