// Max-plus sweeps give the cycles of the stepped fabric, PE by PE, also when PEs begin at different times.
#include <algorithm>
#include <cstdint>

#include "kernels/fabric/compile.hpp"
#include "kernels/fabric/run.hpp"
#include "kernels/fabric/sweep.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/collective_cases.hpp"

namespace waferline::kernels::fabric {
namespace {

using tests::CollectiveCases;

void capture_case(const CollectivePlan& plan, const Lineup& lineup, const FabricTiming& timing) {
  UNSCOPED_INFO("algorithm " << static_cast<int>(plan.algorithm) << ", root " << static_cast<int>(plan.root)
                             << ", levels " << plan.levels << ", groups " << plan.groups[0] << " " << plan.groups[1]
                             << " " << plan.groups[2] << " " << plan.groups[3] << ", " << lineup.lines << " lines of "
                             << lineup.positions << ", " << lineup.words << " words, hop " << timing.hop << ", ramp "
                             << timing.ramp << ", stage " << timing.stage << ", switch " << timing.task_switch);
}

/// PEs whose time differs: all of an all-reduce, the root of a reduction, the last of a ring (whose PEs also send).
std::int64_t wrong_times(const CollectivePlan& plan, const Lineup& lineup, bool all,
                         const std::vector<std::int32_t>& stepped, const std::vector<std::int32_t>& swept,
                         std::int32_t startup) {
  if (lineup.positions == 1) return 0;
  const std::int64_t root = root_index(plan, lineup.positions);
  std::int64_t wrong = 0;
  for (std::int64_t line = 0; line < lineup.lines; ++line) {
    const auto first = line * lineup.positions;
    if (plan.algorithm == Algorithm::ring) {
      const auto latest = [&](const std::vector<std::int32_t>& times) {
        return *std::max_element(times.begin() + first, times.begin() + first + lineup.positions);
      };
      wrong += latest(stepped) + startup != latest(swept);
      continue;
    }
    for (std::int64_t position = 0; position < lineup.positions; ++position) {
      const auto pe = static_cast<std::size_t>(first + position);
      if (all || position == root) wrong += stepped[pe] + startup != swept[pe];
    }
  }
  return wrong;
}

void check_sweep(CollectiveCases& cases, const CollectivePlan& plan, const Lineup& lineup, const FabricTiming& timing,
                 const std::vector<std::int32_t>& starts) {
  capture_case(plan, lineup, timing);
  const bool all = cases.chance(2);
  const FabricProgram program = all ? compile_allreduce(plan, lineup, timing) : compile_reduce(plan, lineup, timing);
  FabricMemory memory = cases.vectors(program, lineup.words);
  const FabricRun stepped = run(program, memory, 2, starts);
  std::vector<std::int32_t> times = starts;
  times.resize(static_cast<std::size_t>(lineup.lines * lineup.positions));
  const LineSweep::Kind kind = all ? LineSweep::Kind::allreduce : LineSweep::Kind::reduce;
  const LineSweep sweep(kind, plan, lineup.positions, lineup.words, timing);
  advance_rectangle(sweep, Axis::x, {lineup.lines, lineup.positions}, times, 2);
  CHECK(wrong_times(plan, lineup, all, stepped.finished, times, timing.startup) == 0);
}

TEST_CASE("sweep and stepped fabric agree on every PE of 1,000 random reductions") {
  CollectiveCases cases(501);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const Lineup lineup = cases.lineup(repeat % 20 == 0 ? 128 : 40, repeat % 20 == 0 ? 128 : 5, 60);
    check_sweep(cases, cases.any_plan(lineup.positions), lineup, cases.timing(), {});
  }
}

TEST_CASE("they agree when every PE begins at its own time") {
  CollectiveCases cases(502);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const Lineup lineup = cases.lineup(40, 4, 60);
    CollectivePlan plan = cases.any_plan(lineup.positions);
    if (plan.algorithm == Algorithm::star) plan = cases.tree(lineup.positions);
    std::vector<std::int32_t> starts(static_cast<std::size_t>(lineup.lines * lineup.positions));
    const std::int64_t latest = cases.chance(2) ? 20 : 600;
    for (std::int32_t& start : starts) start = cases.chance(2) ? 0 : static_cast<std::int32_t>(cases.draw(0, latest));
    check_sweep(cases, plan, lineup, cases.timing(), starts);
  }
}

TEST_CASE("a sweep along columns is the sweep along rows of the transposed rectangle") {
  CollectiveCases cases(503);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const std::int64_t rows = cases.draw(1, 60);
    const std::int64_t cols = cases.draw(1, 60);
    std::vector<std::int32_t> times(static_cast<std::size_t>(rows * cols));
    for (std::int32_t& time : times) time = static_cast<std::int32_t>(cases.draw(0, 500));
    std::vector<std::int32_t> transposed(times.size());
    const auto at = [](std::int64_t row, std::int64_t col, std::int64_t width) {
      return static_cast<std::size_t>(row * width + col);
    };
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t col = 0; col < cols; ++col) transposed[at(col, row, rows)] = times[at(row, col, cols)];
    }
    const LineSweep sweep(LineSweep::Kind::allreduce, cases.tree(rows), rows, cases.draw(1, 40), cases.timing());
    advance_rectangle(sweep, Axis::y, {rows, cols}, times, 1);
    advance_rectangle(sweep, Axis::x, {cols, rows}, transposed, 2);
    std::int64_t wrong = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t col = 0; col < cols; ++col)
        wrong += transposed[at(col, row, rows)] != times[at(row, col, cols)];
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("sweeps of multicasts and 2-D broadcasts take the stepped fabric's cycles on every PE") {
  CollectiveCases cases(504);
  for (int repeat = 0; repeat < 150; ++repeat) {
    const Lineup lineup = cases.lineup(60, 90, 30);
    const FabricTiming timing = cases.timing();
    const bool broadcast = cases.chance(2);
    const std::int64_t root = broadcast ? 0 : cases.draw(0, lineup.positions - 1);
    const FabricProgram program =
        broadcast ? compile_broadcast_2d(lineup, timing) : compile_multicast(root, lineup, timing);
    FabricMemory memory = cases.vectors(program, lineup.words);
    const FabricRun stepped = run(program, memory, 1);
    std::vector<std::int32_t> times(stepped.finished.size());
    const Extent extent{lineup.lines, lineup.positions};
    if (broadcast) {
      advance_broadcast_2d(extent, lineup.words, timing, times);
    } else {
      advance_rectangle(LineSweep::multicast(root, lineup.positions, lineup.words, timing), Axis::x, extent, times, 2);
    }
    const bool moves = broadcast ? extent.pes() > 1 : lineup.positions > 1;
    std::int64_t wrong = 0;
    for (std::size_t pe = 0; pe < times.size(); ++pe)
      wrong += times[pe] != stepped.finished[pe] + (moves ? timing.startup : 0);
    capture_case({}, lineup, timing);
    CHECK(wrong == 0);
  }
}

TEST_CASE("collectives that follow one another on alternate axes take the sum of their closed forms") {
  // The PE farthest from a root is the last to be done, and the first that the next reduction waits for.
  CollectiveCases cases(505);
  for (int repeat = 0; repeat < 30; ++repeat) {
    Schedule schedule;
    schedule.extent = {cases.draw(2, 50), cases.draw(2, 50)};
    double expected = 0;
    for (int step = 0; step < 6; ++step) {
      Step added;
      added.kind = StepKind::reduce_sum;
      added.axis = step % 2 == 0 ? Axis::x : Axis::y;
      added.line = schedule.extent.along(added.axis);
      added.wavelets = cases.draw(1, 20);
      added.plan = {Algorithm::chain, Root::end, 1, {}};
      schedule.steps.push_back(added);
      expected += time(count_allreduce(added.plan, added.line, added.wavelets), CollectiveRates{}).value;
    }
    CHECK(static_cast<double>(sweep_collectives(schedule, {}, 2)) == expected);
  }
}

}  // namespace
}  // namespace waferline::kernels::fabric
