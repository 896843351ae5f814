// Follows: Luczynski et al., HPDC 2024, chain and two-phase reduce; He et al., WaferLLM (OSDI 2025), two-way K-tree.
#include <algorithm>
#include <vector>

#include "kernels/critical_path.hpp"
#include "kernels/tree_layout.hpp"

namespace waferline::kernels {
namespace {

/// When an item's root has its sum: wavelet k is combined at `stream` + k; `end` is the last. An item of one PE does
/// nothing.
struct Fold {
  CriticalPath stream;
  CriticalPath end;
  bool works = false;
};

class TreeWalk {
 public:
  TreeWalk(const TreeLayout& layout, std::int64_t wavelets, const CollectiveRates& rates)
      : layout_(layout), wavelets_(wavelets), rates_(rates) {}

  Fold fold(int level, std::int64_t item) const {
    if (level == 0) return {CriticalPath(rates_), CriticalPath(rates_), false};
    const LineRange group = layout_.children(level, item);
    if (group.size() == 1) return fold(level - 1, group.begin);
    return layout_.root_kind() == Root::end ? fold_to_end(level, group) : fold_to_middle(level, item);
  }

 private:
  /// Earliest start of what a child's root does next, when its own sum is stored.
  CriticalPath ready(int level, std::int64_t child) const {
    Fold own = fold(level, child);
    return own.works ? own.end.task_switch() : own.end;
  }

  Fold finish(CriticalPath stream) const {
    CriticalPath end = stream;
    return {stream, end.payload(wavelets_), true};
  }

  /// The outermost child's sum streams on as it forms; the others take it up when their own sum is stored.
  Fold fold_to_end(int level, LineRange group) const {
    const int below = level - 1;
    CriticalPath stream = fold(below, group.end - 1).stream;
    if (below == 0) return finish(stream.folds(group.size() - 1, group.size() - 1));
    for (std::int64_t child = group.end - 2; child >= group.begin; --child) {
      stream.fold(layout_.root(below, child + 1) - layout_.root(below, child));
      stream.join(ready(below, child));
    }
    return finish(stream);
  }

  /// Both sides fold to the middle; the root's down ramp takes one side after the other.
  Fold fold_to_middle(int level, std::int64_t item) const {
    const TreeLayout::Sides sides = layout_.sides(level, item);
    const LineRange first = sides.left_first ? sides.left : sides.right;
    const LineRange second = sides.left_first ? sides.right : sides.left;
    CriticalPath stream = arrival(level - 1, first, sides.root);
    stream.join(sides.own_child >= 0 ? ready(level - 1, sides.own_child) : passed_on(sides.root));
    if (second.size() > 0) {
      stream.payload(wavelets_).task_switch();
      stream.join(arrival(level - 1, second, sides.root));
    }
    return finish(stream);
  }

  /// When a PE that has passed its sum on in a level-1 group may start its next operation. If the group's root takes
  /// its side last, the side waits, and the PE with it unless the fabric between them holds the whole payload.
  CriticalPath passed_on(std::int64_t pe) const {
    const std::int64_t item = layout_.leaf_group(pe);
    const TreeLayout::Sides group = layout_.sides(1, item);
    const bool left = pe < group.root;
    const std::int64_t inward = left ? group.root - pe : pe - group.root;
    const std::int64_t outer = (left ? group.left.size() : group.right.size()) - inward;
    CriticalPath end = CriticalPath(rates_).folds(outer, outer).payload(wavelets_);
    const double held_to_neighbour = 2 * rates_.ramp_cycles + 2 * rates_.hop_cycles + rates_.stage_cycles;
    const double held = static_cast<double>(inward) * held_to_neighbour + (outer == 0 ? 1 - rates_.stage_cycles : 0);
    if (left != group.left_first && static_cast<double>(wavelets_) > held) {
      end.join(fold_to_middle(1, item).stream.folds(-inward, -inward).payload(wavelets_));
    }
    if (outer == 0)
      end.stages(1).payload(-1);  // it issues without the adder, whose cycles count for what it combines next
    return end.task_switch();
  }

  /// When one side's sum reaches the root: every child waits for its own sum and for its outer neighbour's.
  CriticalPath arrival(int below, LineRange side, std::int64_t root) const {
    const bool left = layout_.root(below, side.begin) < root;
    const std::int64_t outermost = left ? side.begin : side.end - 1;
    const auto from = [&](std::int64_t child) {
      const std::int64_t stages = left ? side.end - child : child - side.begin + 1;
      const std::int64_t at = layout_.root(below, child);
      return ready(below, child).folds(stages, left ? root - at : at - root);
    };
    CriticalPath path = from(outermost);
    if (below == 0) return path;
    if (below == 1) {  // leaf groups come in two sizes: only the outermost of each can hold the others up
      const std::int64_t larger = layout_.items(0) % layout_.items(1);
      if (!left && larger > side.begin && larger < side.end) path.join(from(larger - 1));
      return path;
    }
    for (std::int64_t child = side.begin; child < side.end; ++child) path.join(from(child));
    return path;
  }

  const TreeLayout& layout_;
  std::int64_t wavelets_;
  const CollectiveRates& rates_;
};

/// Adds one to every entry of [begin, end) of a difference array.
void cover(std::vector<std::int32_t>& steps, std::int64_t begin, std::int64_t end) {
  if (begin >= end) return;
  ++steps[static_cast<std::size_t>(begin)];
  --steps[static_cast<std::size_t>(end)];
}

std::int64_t peak(const std::vector<std::int32_t>& steps) {
  std::int64_t sum = 0;
  std::int64_t most = 0;
  for (const std::int32_t step : steps) most = std::max(most, sum += step);
  return most;
}

}  // namespace

CriticalPath tree_path(const TreeLayout& layout, std::int64_t wavelets, const CollectiveRates& rates) {
  return TreeWalk(layout, wavelets, rates).fold(layout.levels(), 0).end;
}

TreeTraffic tree_traffic(const TreeLayout& layout, bool multicast) {
  const std::int64_t pes = layout.items(0);
  // Link p joins PE p and PE p + 1. Flows to higher and to lower PEs use different wires.
  std::vector<std::int32_t> up(static_cast<std::size_t>(pes) + 1);
  std::vector<std::int32_t> down(up.size());
  std::vector<std::int32_t> combines(up.size());
  const auto side = [&](int below, LineRange children, std::int64_t root, bool left) {
    if (children.size() == 0) return;
    if (left) {
      cover(up, layout.root(below, children.begin), root);
    } else {
      cover(down, root, layout.root(below, children.end - 1));
    }
    const std::int64_t inner_begin = children.begin + (left ? 1 : 0);
    const std::int64_t inner_end = children.end - (left ? 0 : 1);
    if (below == 0) return cover(combines, inner_begin, inner_end);
    for (std::int64_t child = inner_begin; child < inner_end; ++child) {
      const std::int64_t at = layout.root(below, child);
      cover(combines, at, at + 1);
    }
  };
  for (int level = 1; level <= layout.levels(); ++level) {
    for (std::int64_t item = 0; item < layout.items(level); ++item) {
      const TreeLayout::Sides sides = layout.sides(level, item);
      side(level - 1, sides.left, sides.root, true);
      side(level - 1, sides.right, sides.root, false);
      // A root without a sum of its own stores the first side and combines only the second.
      const std::int64_t at_root = (sides.left.size() > 0) + (sides.right.size() > 0) - (sides.own_child < 0 ? 1 : 0);
      for (std::int64_t times = 0; times < at_root; ++times) cover(combines, sides.root, sides.root + 1);
    }
  }
  if (multicast) {
    cover(up, layout.root(), pes - 1);
    cover(down, 0, layout.root());
  }
  return {std::max(peak(up), peak(down)), peak(combines)};
}

}  // namespace waferline::kernels
