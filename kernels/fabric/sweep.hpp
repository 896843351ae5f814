#pragma once
// Times of collectives by static max-plus sweeps: no wavelet moves, every PE has one number.
//
// A flow of wavelets passes one in a cycle, so it is known by its start: a PE passes its sum on from the later of its
// own readiness and its neighbour's arrival. Over a tree that is a maximum of (readiness + constant) for every side of
// every group, with constants that depend only on the plan. The stepped fabric agrees to the cycle.

#include <cstdint>
#include <span>
#include <vector>

#include "arch/region.hpp"
#include "kernels/collective.hpp"
#include "kernels/fabric/program.hpp"
#include "kernels/schedule.hpp"
#include "kernels/tree_layout.hpp"

namespace waferline::kernels::fabric {

/// One collective over a line of PEs, laid out for sweeping.
class LineSweep {
 public:
  enum class Kind : std::uint8_t { reduce, allreduce, multicast };

  /// A reduction, or one with the multicast of its result. Errors: ConfigError if the plan does not cover the line.
  LineSweep(Kind kind, const CollectivePlan& plan, std::int64_t positions, std::int64_t words,
            const FabricTiming& timing);

  /// A multicast from the PE at `root`.
  static LineSweep multicast(std::int64_t root, std::int64_t positions, std::int64_t words, const FabricTiming& timing);

  std::int64_t positions() const { return positions_; }

  /// Advances `lanes` lines at once. `times` holds the cycle after which each PE may begin, and receives the cycle in
  /// which it is done; PE p of lane l is at times[p x position_stride + l x lane_stride]. After a reduction every PE of
  /// the line has the time of its root. Exact for trees at any starting times, for rings at any (a PE is done when it
  /// holds the result), for stars and multicasts if the PEs of a line begin together.
  void advance(std::int32_t* times, std::int64_t position_stride, std::int64_t lane_stride, std::int64_t lanes) const;

 private:
  template <int kWidth>
  class Walk;
  friend class LineSweepBuilder;

  /// Children [begin, end) of the level below that arrive one after the other at a root.
  struct Side {
    std::int32_t begin = 0;
    std::int32_t end = 0;
  };
  struct Group {
    Side first;
    Side second;
    std::int32_t own_child = -1;
    std::int32_t passing_pe = -1;  ///< the root itself, if it passed its sum on in a level-1 group
    std::int32_t outermost = -1;   ///< root at the end: the child whose sum streams on
    bool single = false;           ///< one child only: nothing happens
  };

  Kind kind_ = Kind::reduce;
  Algorithm algorithm_ = Algorithm::chain;
  std::int64_t positions_ = 1;
  std::int64_t root_ = 0;
  std::int32_t words_ = 0;
  FabricTiming timing_;
  std::vector<TreeLayout> layout_;                  ///< none or one
  std::vector<std::vector<Group>> levels_;          ///< [level - 1][item]
  std::vector<std::vector<std::int32_t>> weights_;  ///< [level][child]: from a child's start to its group's root
};

/// Advances all lines of a rectangle that run along `axis`, cut into pieces of the sweep's length; PEs left over do
/// nothing. `times` is [row][column]. Threads share the lines.
void advance_rectangle(const LineSweep& sweep, Axis axis, Extent extent, std::span<std::int32_t> times, int threads);

/// A 2-D broadcast from the first PE of the rectangle; exact if all PEs begin together.
void advance_broadcast_2d(Extent extent, std::int64_t words, const FabricTiming& timing, std::span<std::int32_t> times);

/// Cycles of all collectives of a schedule, one after the other on every PE, each PE beginning as soon as it is done
/// with the former; local work, shifts and streams take no time here.
std::int64_t sweep_collectives(const Schedule& schedule, const FabricTiming& timing, int threads);

}  // namespace waferline::kernels::fabric
