// Follows: F70 to F77 with a starting time for every PE; weights of a max-plus linear map, after Baccelli et al., 1992.
#include "kernels/fabric/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "arch/error.hpp"

namespace waferline::kernels::fabric {
namespace {

/// From the start of a flow at one PE to its start at a PE `hops` away, through `stages` combines.
std::int32_t lag(const FabricTiming& timing, std::int64_t stages, std::int64_t hops) {
  return static_cast<std::int32_t>(stages * (timing.stage + 2 * timing.ramp) + hops * timing.hop);
}

}  // namespace

class LineSweepBuilder {
 public:
  explicit LineSweepBuilder(LineSweep& sweep) : sweep_(sweep), layout_(sweep.layout_.front()) {}

  void run() {
    sweep_.root_ = layout_.root();
    for (int level = 1; level <= layout_.levels(); ++level) {
      std::vector<LineSweep::Group>& groups = sweep_.levels_.emplace_back();
      sweep_.weights_.emplace_back(static_cast<std::size_t>(layout_.items(level - 1)));
      for (std::int64_t item = 0; item < layout_.items(level); ++item) groups.push_back(group(level, item));
    }
  }

 private:
  LineSweep::Group group(int level, std::int64_t item) {
    const LineRange children = layout_.children(level, item);
    const TreeLayout::Sides sides = layout_.sides(level, item);
    LineSweep::Group group;
    group.single = children.size() == 1;
    group.own_child = static_cast<std::int32_t>(group.single ? children.begin : sides.own_child);
    if (group.single) return group;
    weigh(level - 1, sides.left, sides.root);
    weigh(level - 1, sides.right, sides.root);
    const auto side = [](LineRange range) {
      return LineSweep::Side{static_cast<std::int32_t>(range.begin), static_cast<std::int32_t>(range.end)};
    };
    group.first = side(sides.left_first ? sides.left : sides.right);
    group.second = side(sides.left_first ? sides.right : sides.left);
    if (group.own_child < 0) {
      group.passing_pe = static_cast<std::int32_t>(sides.root);
    } else {
      sweep_.weights_.back()[static_cast<std::size_t>(group.own_child)] = first_sum(level - 1, group.own_child);
    }
    if (layout_.root_kind() == Root::end) group.outermost = static_cast<std::int32_t>(children.end - 1);
    return group;
  }

  /// A PE that begins with a combine has its first sum `stage` cycles after it may begin; one that begins by sending
  /// issues in the first. Later operations count from the end of the former one's sums.
  std::int32_t first_sum(int level, std::int64_t child) const {
    return layout_.span(level, child).size() == 1 ? sweep_.timing_.stage - 1 : 0;
  }

  void weigh(int below, LineRange side, std::int64_t root) {
    for (std::int64_t child = side.begin; child < side.end; ++child) {
      const std::int64_t at = layout_.root(below, child);
      const std::int64_t stages = at < root ? side.end - child : child - side.begin + 1;
      const bool sends = stages == side.size();
      sweep_.weights_.back()[static_cast<std::size_t>(child)] =
          lag(sweep_.timing_, stages, std::abs(root - at)) + (sends ? 0 : first_sum(below, child));
    }
  }

  LineSweep& sweep_;
  const TreeLayout& layout_;
};

LineSweep::LineSweep(Kind kind, const CollectivePlan& plan, std::int64_t positions, std::int64_t words,
                     const FabricTiming& timing)
    : kind_(kind),
      algorithm_(plan.algorithm),
      positions_(positions),
      words_(static_cast<std::int32_t>(words)),
      timing_(timing) {
  if (positions < 1 || words < 1 || words > (1 << 22)) {
    throw ConfigError(fmt::format("sweep: {} wavelets on a line of {} PEs (permitted: 1 to {} wavelets, 1 PE and more)",
                                  words, positions, 1 << 22));
  }
  if (algorithm_ == Algorithm::star || algorithm_ == Algorithm::ring) {
    root_ = root_index(plan, positions);
    return;
  }
  layout_.emplace_back(plan, positions);
  LineSweepBuilder(*this).run();
}

LineSweep LineSweep::multicast(std::int64_t root, std::int64_t positions, std::int64_t words,
                               const FabricTiming& timing) {
  if (root < 0 || root >= positions) {
    throw ConfigError(fmt::format("sweep: root {} of a multicast (permitted: 0 to {})", root, positions - 1));
  }
  LineSweep sweep(Kind::reduce, {Algorithm::star, Root::end, 1, {}}, positions, words, timing);
  sweep.kind_ = Kind::multicast;
  sweep.root_ = root;
  return sweep;
}

/// The times of `kWidth` lines side by side. All loops over lanes have a fixed length, so that they become vector code.
template <int kWidth>
class LineSweep::Walk {
 public:
  explicit Walk(const LineSweep& sweep)
      : sweep_(sweep),
        switch_(sweep.timing_.task_switch),
        times_(static_cast<std::size_t>(sweep.positions_) * kWidth) {}

  std::int32_t* row(std::int64_t position) { return &times_[static_cast<std::size_t>(position) * kWidth]; }

  /// Takes starting times to times of being done.
  void run() {
    if (sweep_.positions_ == 1) return;
    if (sweep_.kind_ == Kind::multicast) return spread(row(sweep_.root_));
    Lanes end{};
    switch (sweep_.algorithm_) {
      case Algorithm::ring:
        return ring();
      case Algorithm::star:
        end = star();
        break;
      case Algorithm::chain:
      case Algorithm::k_tree:
        end = tree();
        break;
    }
    if (sweep_.kind_ == Kind::reduce) {
      for (std::int64_t position = 0; position < sweep_.positions_; ++position)
        assign(row(position), end.at, sweep_.timing_.startup);
      return;
    }
    for (int lane = 0; lane < kWidth; ++lane) end.at[lane] += switch_;
    spread(end.at);
  }

 private:
  struct Lanes {
    std::int32_t at[kWidth];
  };

  static void assign(std::int32_t* target, const std::int32_t* source, std::int32_t lag) {
    for (int lane = 0; lane < kWidth; ++lane) target[lane] = source[lane] + lag;
  }
  static void join(std::int32_t* target, const std::int32_t* source, std::int32_t lag) {
    for (int lane = 0; lane < kWidth; ++lane) target[lane] = std::max(target[lane], source[lane] + lag);
  }

  /// Every PE stores what its root sends from `start` on, no earlier than it is ready.
  void spread(const std::int32_t* start) {
    Lanes from;
    std::copy_n(start, kWidth, from.at);
    const FabricTiming& timing = sweep_.timing_;
    for (std::int64_t position = 0; position < sweep_.positions_; ++position) {
      const std::int64_t hops = std::abs(position - sweep_.root_);
      const std::int32_t travel = hops == 0 ? 0 : static_cast<std::int32_t>(1 + 2 * timing.ramp + hops * timing.hop);
      std::int32_t* times = row(position);
      if (sweep_.kind_ == Kind::multicast) {
        for (int lane = 0; lane < kWidth; ++lane) times[lane] += sweep_.words_ + timing.startup;
        join(times, from.at, travel + sweep_.words_ + timing.startup);
      } else {
        assign(times, from.at, travel + sweep_.words_ + timing.startup);
      }
    }
  }

  /// Latest arrival of a side, from the children's readiness at `values`.
  void arrive(Lanes& latest, Side side, const std::int32_t* values, const std::vector<std::int32_t>& weights) const {
    for (std::int32_t child = side.begin; child < side.end; ++child) {
      join(latest.at, values + std::int64_t{child} * kWidth, weights[static_cast<std::size_t>(child)]);
    }
  }

  /// Level by level: from the readiness of the children to that of their groups' roots. Returns the end at the line's
  /// root.
  Lanes tree() {
    const std::int32_t* ready = times_.data();
    const std::int32_t* streams = times_.data();
    for (std::size_t level = 0; level < sweep_.levels_.size(); ++level) {
      const std::vector<Group>& groups = sweep_.levels_[level];
      ready_[level].resize(groups.size() * kWidth);
      streams_[level].resize(groups.size() * kWidth);
      for (std::size_t item = 0; item < groups.size(); ++item) {
        std::int32_t* group_ready = &ready_[level][item * kWidth];
        std::int32_t* group_stream = &streams_[level][item * kWidth];
        const Group& group = groups[item];
        if (group.single) {
          assign(group_ready, ready + std::int64_t{group.own_child} * kWidth, 0);
          assign(group_stream, streams + std::int64_t{group.own_child} * kWidth, 0);
          continue;
        }
        const Lanes stream = fold(group, ready, streams, sweep_.weights_[level]);
        assign(group_stream, stream.at, 0);
        assign(group_ready, stream.at, sweep_.words_ + switch_);
      }
      ready = ready_[level].data();
      streams = streams_[level].data();
    }
    Lanes end;
    assign(end.at, streams, sweep_.words_);
    return end;
  }

  /// When the last flow starts that a group's root combines.
  Lanes fold(const Group& group, const std::int32_t* ready, const std::int32_t* streams,
             const std::vector<std::int32_t>& weights) {
    Lanes stream;
    std::fill_n(stream.at, kWidth, INT32_MIN / 2);
    const Side stored{group.first.begin, group.first.end - (group.outermost >= 0 ? 1 : 0)};
    arrive(stream, stored, ready, weights);
    if (group.outermost >= 0) {  // its sum streams on as it forms: its start counts and not its end
      join(stream.at, streams + std::int64_t{group.outermost} * kWidth,
           weights[static_cast<std::size_t>(group.outermost)]);
    }
    if (group.own_child >= 0) arrive(stream, {group.own_child, group.own_child + 1}, ready, weights);
    if (group.passing_pe >= 0) join_passed(stream, group.passing_pe);
    if (group.second.begin < group.second.end) {
      for (int lane = 0; lane < kWidth; ++lane) stream.at[lane] += sweep_.words_ + switch_;
      arrive(stream, group.second, ready, weights);
    }
    return stream;
  }

  /// Readiness of a PE that passed its sum on in its level-1 group and is held up by those between it and the group's
  /// root.
  void join_passed(Lanes& stream, std::int64_t pe) {
    const TreeLayout& layout = sweep_.layout_.front();
    const FabricTiming& timing = sweep_.timing_;
    const std::int64_t item = layout.leaf_group(pe);
    const TreeLayout::Sides group = layout.sides(1, item);
    const bool left = pe < group.root;
    const LineRange side = left ? group.left : group.right;
    const std::int64_t inward = left ? 1 : -1;
    const bool outermost = pe == (left ? side.begin : side.end - 1);
    const std::int32_t done = sweep_.words_ + switch_ + (outermost ? timing.stage - 1 : 0);
    Lanes start;
    std::fill_n(start.at, kWidth, INT32_MIN / 2);
    const auto pass = [&](std::int64_t at) {  // `start` from the neighbour outside to this PE
      for (int lane = 0; lane < kWidth; ++lane) start.at[lane] += lag(timing, 1, 1);
      const bool sends = at == (left ? side.begin : side.end - 1);
      join(start.at, row(at), sends ? 0 : timing.stage - 1);
    };
    for (std::int64_t at = left ? side.begin : side.end - 1; at != pe; at += inward) pass(at);
    pass(pe);
    join(stream.at, start.at, done);
    std::int64_t held = outermost ? 1 - timing.stage : 0;
    std::int32_t back = 0;
    for (std::int64_t at = pe + inward;; at += inward) {
      held += 2 * timing.ramp + 2 * timing.hop + timing.stage;
      back += lag(timing, 1, 1);
      const bool at_root = at == group.root;
      if (at_root) {
        start = leaf_flow(item, left == group.left_first);
      } else {
        pass(at);
      }
      if (sweep_.words_ > held) join(stream.at, start.at, done - back);
      if (at_root) return;
    }
  }

  /// When the flow of one side starts at the root of a level-1 group.
  Lanes leaf_flow(std::int64_t item, bool first_side) {
    const Group& group = sweep_.levels_.front()[static_cast<std::size_t>(item)];
    Lanes stream;
    if (!first_side) {
      assign(stream.at, &streams_[0][static_cast<std::size_t>(item) * kWidth], 0);
      return stream;
    }
    assign(stream.at, row(group.own_child), sweep_.timing_.stage - 1);
    arrive(stream, group.first, times_.data(), sweep_.weights_.front());
    return stream;
  }

  /// The nearest PE's words come first; each PE holds up those behind it.
  Lanes star() {
    Lanes end;
    assign(end.at, row(sweep_.root_), 0);
    const auto side = [&](std::int64_t sources, std::int64_t step) {
      for (std::int64_t distance = 1; distance <= sources; ++distance) {
        const auto still_to_come = static_cast<std::int32_t>((sources - distance + 1) * sweep_.words_);
        join(end.at, row(sweep_.root_ + step * distance), lag(sweep_.timing_, 1, distance) + still_to_come);
      }
    };
    const std::int64_t left = sweep_.root_;
    const std::int64_t right = sweep_.positions_ - 1 - left;
    if (left > 0) side(left, -1);
    if (left > 0 && right > 0) {
      for (int lane = 0; lane < kWidth; ++lane)
        end.at[lane] += switch_ + static_cast<std::int32_t>(right * sweep_.words_);
    }
    if (right > 0) side(right, 1);
    return end;
  }

  /// Round by round: a chunk is taken when the former one has passed and the neighbour's has come, and sent on after
  /// that.
  void ring() {
    const std::int64_t pes = sweep_.positions_;
    const auto chunk = static_cast<std::int32_t>(ceil_div(sweep_.words_, pes));
    std::vector<std::int32_t> taken(times_);
    std::vector<std::int32_t> sent(times_);
    std::vector<std::int32_t> former;
    for (std::int64_t round = 1; round <= 2 * (pes - 1); ++round) {
      former = sent;
      for (std::int64_t position = 0; position < pes; ++position) {
        const std::int64_t neighbour = (position + pes - 1) % pes;
        std::int32_t* take = &taken[static_cast<std::size_t>(position) * kWidth];
        std::int32_t* send = &sent[static_cast<std::size_t>(position) * kWidth];
        if (round > 1) assign(take, take, chunk);
        join(take, &former[static_cast<std::size_t>(neighbour) * kWidth],
             lag(sweep_.timing_, 1, position == 0 ? pes - 1 : 1));
        assign(send, send, chunk);
        join(send, take, 0);
      }
    }
    for (std::int64_t position = 0; position < pes; ++position) {
      assign(row(position), &taken[static_cast<std::size_t>(position) * kWidth], chunk + sweep_.timing_.startup);
    }
  }

  const LineSweep& sweep_;
  std::int32_t switch_;
  std::vector<std::int32_t> times_;  // [position][kWidth]
  std::vector<std::int32_t> ready_[CollectivePlan::kMaxLevels];
  std::vector<std::int32_t> streams_[CollectivePlan::kMaxLevels];
};

namespace {

/// Between the rectangle's times and rows of `kWidth` lanes; along rows of the rectangle this transposes, 16 positions
/// at a time so that both sides stay in cache.
template <int kWidth, class Move>
void for_each_time(std::int64_t positions, std::int64_t position_stride, std::int64_t lane_stride, std::int64_t width,
                   Move&& move) {
  constexpr std::int64_t kTile = 16;
  for (std::int64_t tile = 0; tile < positions; tile += kTile) {
    const std::int64_t end = std::min(positions, tile + kTile);
    for (std::int64_t lane = 0; lane < width; ++lane) {
      for (std::int64_t position = tile; position < end; ++position) {
        move(position * position_stride + lane * lane_stride, position * kWidth + lane);
      }
    }
  }
}

}  // namespace

void LineSweep::advance(std::int32_t* times, std::int64_t position_stride, std::int64_t lane_stride,
                        std::int64_t lanes) const {
  constexpr int kWidth = 16;
  Walk<kWidth> walk(*this);
  for (std::int64_t first = 0; first < lanes; first += kWidth) {
    const std::int64_t width = std::min<std::int64_t>(kWidth, lanes - first);
    std::int32_t* block = times + first * lane_stride;
    std::int32_t* rows = walk.row(0);
    if (lane_stride == 1 && width == kWidth) {
      for (std::int64_t position = 0; position < positions_; ++position)
        std::copy_n(block + position * position_stride, kWidth, rows + position * kWidth);
      walk.run();
      for (std::int64_t position = 0; position < positions_; ++position)
        std::copy_n(rows + position * kWidth, kWidth, block + position * position_stride);
      continue;
    }
    for_each_time<kWidth>(positions_, position_stride, lane_stride, width,
                          [&](std::int64_t in, std::int64_t row) { rows[row] = block[in]; });
    walk.run();
    for_each_time<kWidth>(positions_, position_stride, lane_stride, width,
                          [&](std::int64_t out, std::int64_t row) { block[out] = rows[row]; });
  }
}

}  // namespace waferline::kernels::fabric
