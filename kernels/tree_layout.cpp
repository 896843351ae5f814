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

/// The first of these children whose root does not lie before `pe`, or their end: the roots ascend.
std::int64_t TreeLayout::first_child_from(int level, LineRange children, std::int64_t pe) const {
  while (children.size() > 0) {
    const std::int64_t half = children.begin + children.size() / 2;
    if (root(level, half) < pe) {
      children.begin = half + 1;
    } else {
      children.end = half;
    }
  }
  return children.begin;
}

std::int64_t TreeLayout::root(int level, std::int64_t item) const {
  const LineRange pes = span(level, item);
  if (root_ == Root::end) return pes.begin;
  const std::int64_t middle = pes.begin + pes.size() / 2;
  if (level <= 2) return middle;
  const LineRange group = children(level, item);
  const std::int64_t behind = first_child_from(level - 1, group, middle);
  if (behind == group.begin) return root(level - 1, behind);
  const std::int64_t before = root(level - 1, behind - 1);
  if (behind == group.end) return before;
  const std::int64_t after = root(level - 1, behind);
  return after - middle < middle - before ? after : before;
}

TreeLayout::Sides TreeLayout::sides(int level, std::int64_t item) const {
  const LineRange group = children(level, item);
  Sides sides;
  sides.root = root(level, item);
  const std::int64_t pivot = first_child_from(level - 1, group, sides.root);
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
