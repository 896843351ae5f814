#pragma once
// Where the groups of a k-tree lie on a line of PEs, and in which order their roots combine.

#include <array>
#include <cstdint>

#include "kernels/collective.hpp"
#include "kernels/partition.hpp"

namespace waferline::kernels {

/// PEs, or indices of children, [begin, end).
struct LineRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  constexpr std::int64_t size() const { return end - begin; }
  constexpr bool operator==(const LineRange&) const = default;
};

/// The geometry of a chain or k-tree. An item of level 0 is a PE; an item of level l is a group of adjacent items of
/// level l - 1. The line is the one item of level `levels()`. Nothing is stored per PE.
class TreeLayout {
 public:
  /// Errors: ConfigError if the plan is no chain and no k-tree, or does not cover `pes` PEs.
  TreeLayout(const CollectivePlan& plan, std::int64_t pes);

  int levels() const { return levels_; }
  Root root_kind() const { return root_; }
  std::int64_t items(int level) const { return items_[static_cast<std::size_t>(level)]; }
  /// Children of an item, as indices of the level below.
  LineRange children(int level, std::int64_t item) const;
  /// PEs that an item covers.
  LineRange span(int level, std::int64_t item) const;
  /// The PE that holds an item's sum. In the middle: the middle PE of the span up to level 2, which is the middle of
  /// the line for two levels; above, the root of the child nearest to that middle, so that no flow enters a group that
  /// it does not end in.
  std::int64_t root(int level, std::int64_t item) const;
  std::int64_t root() const { return root(levels_, 0); }
  /// The level-1 group of a PE.
  std::int64_t leaf_group(std::int64_t pe) const { return split(1).owner(pe); }

  /// How the children of an item fold to its root. Indices are of the level below.
  struct Sides {
    std::int64_t root = 0;        ///< PE
    LineRange left;               ///< children whose root lies before it
    LineRange right;              ///< children whose root lies behind it
    std::int64_t own_child = -1;  ///< the child whose root is the item's root, or -1
    bool left_first = true;       ///< which side the root combines first: the one with more folds, then the longer one
  };
  Sides sides(int level, std::int64_t item) const;

 private:
  std::int64_t first_pe(int level, std::int64_t item) const;
  std::int64_t first_child_from(int level, LineRange children, std::int64_t pe) const;
  Split split(int level) const;

  Root root_ = Root::middle;
  int levels_ = 1;
  std::array<std::int64_t, CollectivePlan::kMaxLevels + 1> items_{};
};

}  // namespace waferline::kernels
