// Follows: Luczynski et al., HPDC 2024 (chain, two-phase), WaferLLM (OSDI 2025, two-way K-tree); F70 to F77.
#include "kernels/fabric/compile.hpp"

#include <fmt/format.h>

#include "arch/error.hpp"
#include "kernels/tree_layout.hpp"

namespace waferline::kernels::fabric {

CollectiveRates FabricTiming::rates() const {
  CollectiveRates rates;
  rates.hop_cycles = hop;
  rates.ramp_cycles = ramp;
  rates.stage_cycles = stage;
  rates.switch_cycles = task_switch;
  rates.startup_cycles = startup;
  return rates;
}

namespace {

using Kind = Operation::Kind;

constexpr int kMulticastColor = 2 * CollectivePlan::kMaxLevels;  // after the two colors of each level of a tree
constexpr std::int64_t kMostWords = 1 << 22;

void check(const Lineup& lineup, const FabricTiming& timing) {
  const auto in_range = [](const char* what, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value < low || value > high)
      throw ConfigError(fmt::format("fabric: {} is {} (permitted: {} to {})", what, value, low, high));
  };
  in_range("PEs in a line", lineup.positions, 1, 1 << 20);
  in_range("lines", lineup.lines, 1, 1 << 20);
  in_range("wavelets of payload", lineup.words, 1, kMostWords);
  in_range("hop cycles", timing.hop, 1, 64);
  in_range("ramp cycles", timing.ramp, 1, 64);
  in_range("stage cycles", timing.stage, 1, 4096);
  in_range("task switch cycles", timing.task_switch, 0, 1 << 20);
  in_range("start-up cycles", timing.startup, 0, 1 << 20);
}

/// Collects routes and operations; inserts the waits between operations.
class Builder {
 public:
  Builder(const Lineup& lineup, const FabricTiming& timing, Combine combine) {
    check(lineup, timing);
    program_.lines = lineup.lines;
    program_.words = static_cast<std::int32_t>(lineup.words);
    program_.combine = combine;
    program_.timing = timing;
    program_.cells.resize(static_cast<std::size_t>(lineup.positions));
    for (Cell& cell : program_.cells) cell.programs.resize(1);
  }

  Cell& cell(std::int64_t position) { return program_.cells[static_cast<std::size_t>(position)]; }
  std::int32_t words() const { return program_.words; }

  void route(std::int64_t position, int color, std::uint8_t from, std::uint8_t to, Lines lines = {}) {
    cell(position).routes.push_back({color, from, to, lines});
  }

  /// A straight way from one PE to another one of its line.
  void path(std::int64_t from, std::int64_t to, int color) {
    const std::uint8_t out = to > from ? kFront : kBack;
    const std::uint8_t in = to > from ? kBack : kFront;
    const std::int64_t step = to > from ? 1 : -1;
    route(from, color, kRamp, out);
    for (std::int64_t position = from + step; position != to; position += step) route(position, color, in, out);
    route(to, color, in, kRamp);
  }

  /// Appends to the first program of a position. Sums leave the adder `stage` cycles after their wavelet was taken: an
  /// operation that sends what was just summed waits for them, one that combines or stores follows at once.
  void operation(std::int64_t position, Operation added) {
    std::vector<Operation>& operations = cell(position).programs[0].operations;
    if (!operations.empty()) {
      std::int32_t gap = program_.timing.task_switch;
      if (operations.back().kind == Kind::combine && added.kind == Kind::send) gap += program_.timing.stage - 1;
      if (gap > 0) operations.push_back({Kind::wait, -1, -1, gap, 0, 0, 0, 0});
    }
    operations.push_back(added);
  }
  void operation(std::int64_t position, Kind kind, int in, int out) {
    operation(position, {kind, in, out, words(), 0, 0, 0, 0});
  }

  /// The sum that a position's last operation forms is sent on as it forms; false if the position has none.
  bool stream_on(std::int64_t position, int out) {
    std::vector<Operation>& operations = cell(position).programs[0].operations;
    if (operations.empty() || operations.back().kind != Kind::combine) return false;
    operations.back().kind = Kind::forward;
    operations.back().out = out;
    return true;
  }

  FabricProgram take() { return std::move(program_); }

 private:
  FabricProgram program_;
};

/// One side of a fold: children from `nearest` outwards send towards `root`.
struct Side {
  std::int64_t root;
  std::int64_t nearest;  // child index
  std::int64_t outward;  // +1 or -1
  std::int64_t children;
};

class TreeCompiler {
 public:
  TreeCompiler(Builder& builder, const TreeLayout& layout) : builder_(builder), layout_(layout) {}

  void run() {
    for (int level = 1; level <= layout_.levels(); ++level) {
      for (std::int64_t item = 0; item < layout_.items(level); ++item) fold(level, item);
    }
  }

 private:
  void fold(int level, std::int64_t item) {
    const TreeLayout::Sides sides = layout_.sides(level, item);
    const Side left{sides.root, sides.left.end - 1, -1, sides.left.size()};
    const Side right{sides.root, sides.right.begin, 1, sides.right.size()};
    const int first_color = 2 * (level - 1);
    bool has_sum = sides.own_child >= 0;
    const auto take = [&](const Side& side, int nearest_color, int next_color) {
      if (side.children == 0) return;
      fold_side(level - 1, side, nearest_color, next_color);
      builder_.operation(side.root, has_sum ? Kind::combine : Kind::store, nearest_color, -1);
      has_sum = true;
    };
    take(sides.left_first ? left : right, first_color, first_color + 1);
    take(sides.left_first ? right : left, first_color + 1, first_color);
  }

  /// Neighbours along the chain use the two colors in turn, so that no PE receives and sends on the same one.
  void fold_side(int below, const Side& side, int nearest_color, int next_color) {
    for (std::int64_t distance = side.children; distance >= 1; --distance) {
      const std::int64_t child = side.nearest + side.outward * (distance - 1);
      const std::int64_t from = layout_.root(below, child);
      const std::int64_t to = distance == 1 ? side.root : layout_.root(below, child - side.outward);
      const int color = distance % 2 == 1 ? nearest_color : next_color;
      const int outer_color = distance % 2 == 1 ? next_color : nearest_color;
      builder_.path(from, to, color);
      if (distance < side.children) {
        builder_.operation(from, Kind::forward, outer_color, color);
      } else if (layout_.root_kind() == Root::middle || !builder_.stream_on(from, color)) {
        builder_.operation(from, Kind::send, -1, color);
      }
    }
  }

  Builder& builder_;
  const TreeLayout& layout_;
};

void compile_star(Builder& builder, std::int64_t positions, std::int64_t root) {
  const auto side = [&](std::int64_t sources, std::int64_t step, int color) {
    if (sources == 0) return;
    const std::uint8_t inward = step > 0 ? kBack : kFront;
    const std::uint8_t outward = step > 0 ? kFront : kBack;
    for (std::int64_t distance = 1; distance <= sources; ++distance) {
      const std::uint8_t beyond = distance < sources ? outward : std::uint8_t{kNoPort};
      builder.route(root + step * distance, color, static_cast<std::uint8_t>(kRamp | beyond), inward);
      builder.operation(root + step * distance, Kind::send, -1, color);
    }
    builder.route(root, color, outward, kRamp);
    const auto received = static_cast<std::int32_t>(sources * builder.words());
    builder.operation(root, {Kind::combine, color, -1, received, 0, builder.words(), 0, 0});
  };
  side(root, -1, 0);
  side(positions - 1 - root, 1, 1);
}

/// PE i sends chunk -i first and takes chunks 1 - i, 2 - i, ... (modulo P), so that addresses ascend and wrap.
void compile_ring(Builder& builder, std::int64_t positions, std::int32_t chunk) {
  constexpr int kBackColor = 2;
  const auto all = static_cast<std::int32_t>(positions * chunk);
  const auto received = static_cast<std::int32_t>(2 * (positions - 1) * chunk);
  const auto combined = static_cast<std::int32_t>((positions - 1) * chunk);
  const auto color_of = [&](std::int64_t sender) {
    return sender == positions - 1 ? kBackColor : static_cast<int>(sender % 2);
  };
  for (std::int64_t position = 0; position < positions; ++position) {
    const std::int64_t former = (position + positions - 1) % positions;
    builder.path(position, (position + 1) % positions, color_of(position));
    const auto start = static_cast<std::int32_t>((positions + 1 - position) % positions * chunk);
    builder.operation(position,
                      {Kind::relay, color_of(former), color_of(position), received, start, all, chunk, combined});
  }
}

void multicast(Builder& builder, std::int64_t positions, std::int64_t root) {
  if (positions == 1) return;
  std::uint8_t both = kNoPort;
  if (root + 1 < positions) both |= kFront;
  if (root > 0) both |= kBack;
  builder.route(root, kMulticastColor, kRamp, both);
  builder.operation(root, Kind::send, -1, kMulticastColor);
  for (std::int64_t position = 0; position < positions; ++position) {
    if (position == root) continue;
    const bool ahead = position > root;
    const bool last = position == 0 || position == positions - 1;
    const std::uint8_t outward = ahead ? kFront : kBack;
    const std::uint8_t on = last ? std::uint8_t{kNoPort} : outward;
    builder.route(position, kMulticastColor, ahead ? kBack : kFront, static_cast<std::uint8_t>(kRamp | on));
    builder.operation(position, Kind::store, kMulticastColor, -1);
  }
}

void check_star_size(const CollectivePlan& plan, const Lineup& lineup) {
  if (plan.algorithm == Algorithm::star && lineup.positions * lineup.words > INT32_MAX / 2) {
    throw ConfigError(fmt::format("fabric: a star of {} PEs with {} wavelets each (permitted: {} wavelets in all)",
                                  lineup.positions, lineup.words, INT32_MAX / 2));
  }
}

void reduce(Builder& builder, const CollectivePlan& plan, const Lineup& lineup) {
  check_star_size(plan, lineup);
  if (lineup.positions == 1) return;
  if (plan.algorithm == Algorithm::star) {
    compile_star(builder, lineup.positions, root_index(plan, lineup.positions));
  } else if (plan.algorithm == Algorithm::ring) {
    compile_ring(builder, lineup.positions, builder.words() / static_cast<std::int32_t>(lineup.positions));
  } else {
    TreeCompiler(builder, TreeLayout(plan, lineup.positions)).run();
  }
}

/// A ring pads its vectors to whole chunks.
Lineup padded(const CollectivePlan& plan, Lineup lineup) {
  if (plan.algorithm == Algorithm::ring && lineup.positions > 0) {
    lineup.words = ceil_div(lineup.words, lineup.positions) * lineup.positions;
  }
  return lineup;
}

}  // namespace

FabricProgram compile_reduce(const CollectivePlan& plan, const Lineup& lineup, const FabricTiming& timing,
                             Combine combine) {
  const Lineup whole = padded(plan, lineup);
  Builder builder(whole, timing, combine);
  reduce(builder, plan, whole);
  return builder.take();
}

FabricProgram compile_allreduce(const CollectivePlan& plan, const Lineup& lineup, const FabricTiming& timing,
                                Combine combine) {
  const Lineup whole = padded(plan, lineup);
  Builder builder(whole, timing, combine);
  reduce(builder, plan, whole);
  if (plan.algorithm != Algorithm::ring) multicast(builder, whole.positions, root_index(plan, whole.positions));
  return builder.take();
}

FabricProgram compile_multicast(std::int64_t root, const Lineup& lineup, const FabricTiming& timing) {
  Builder builder(lineup, timing, Combine::sum);
  if (root < 0 || root >= lineup.positions) {
    throw ConfigError(fmt::format("fabric: root {} of a multicast (permitted: 0 to {})", root, lineup.positions - 1));
  }
  multicast(builder, lineup.positions, root);
  return builder.take();
}

FabricProgram compile_broadcast_2d(const Lineup& lineup, const FabricTiming& timing) {
  Builder builder(lineup, timing, Combine::sum);
  const std::int64_t last = lineup.positions - 1;
  const bool many_lines = lineup.lines > 1;
  for (std::int64_t position = 0; position <= last; ++position) {
    Cell& cell = builder.cell(position);
    const bool root = position == 0;
    cell.programs.clear();
    std::uint8_t to = root ? kNoPort : kRamp;
    if (position < last) to |= kFront;
    if (many_lines) to |= kNextLine;
    if (to == kNoPort) break;
    builder.route(position, kMulticastColor, root ? kRamp : kBack, to, {0, 1});
    const Operation store{Kind::store, kMulticastColor, -1, builder.words(), 0, 0, 0, 0};
    const Operation send{Kind::send, -1, kMulticastColor, builder.words(), 0, 0, 0, 0};
    cell.programs.push_back({{0, 1}, {root ? send : store}});
    if (!many_lines) continue;
    cell.programs.push_back({{1, lineup.lines}, {store}});
    if (lineup.lines > 2)
      builder.route(position, kMulticastColor, kFormerLine, kRamp | kNextLine, {1, lineup.lines - 1});
    builder.route(position, kMulticastColor, kFormerLine, kRamp, {lineup.lines - 1, lineup.lines});
  }
  return builder.take();
}

}  // namespace waferline::kernels::fabric
