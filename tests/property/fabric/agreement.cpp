// Closed form and stepped fabric agree to the cycle, and the sums are right, for every arrangement.
#include <algorithm>
#include <cstdint>

#include "kernels/fabric/compile.hpp"
#include "kernels/fabric/run.hpp"
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

void check_counts(const FabricRun& run, const CollectiveCounts& counts, const FabricTiming& timing) {
  CHECK(static_cast<double>(run.cycles) == time(counts, timing.rates()).value);
  CHECK(run.link_wavelets == counts.link_wavelets);
  CHECK(run.combines == counts.combines);
}

void check_reduce(CollectiveCases& cases, const CollectivePlan& plan, const Lineup& lineup, const FabricTiming& timing,
                  bool all) {
  capture_case(plan, lineup, timing);
  const bool maximum = cases.chance(4);
  const Combine combine = maximum ? Combine::max : Combine::sum;
  const FabricProgram program =
      all ? compile_allreduce(plan, lineup, timing, combine) : compile_reduce(plan, lineup, timing, combine);
  FabricMemory memory = cases.vectors(program, lineup.words);
  const auto expected =
      tests::combined_lines(memory, lineup.words, [&](float a, float b) { return maximum ? std::max(a, b) : a + b; });
  const FabricRun result = run(program, memory, 2);
  const bool everywhere = all || plan.algorithm == Algorithm::ring;
  const std::int64_t root = root_index(plan, lineup.positions);
  CHECK(tests::wrong_words(memory, expected, lineup.words, everywhere ? 0 : root,
                           everywhere ? lineup.positions - 1 : root) == 0);
  check_counts(result,
               all ? count_allreduce(plan, lineup.positions, lineup.words, timing.rates())
                   : count_reduce(plan, lineup.positions, lineup.words, timing.rates()),
               timing);
}

TEST_CASE("closed form and stepped fabric agree to the cycle on 1,500 random reductions of lines up to 48 PEs") {
  CollectiveCases cases(20240901);
  for (int repeat = 0; repeat < 1500; ++repeat) {
    const Lineup lineup = cases.lineup(48, 4, 60);
    check_reduce(cases, cases.any_plan(lineup.positions), lineup, cases.timing(), cases.chance(2));
  }
}

TEST_CASE("they agree on rectangles up to 128 x 128") {
  CollectiveCases cases(128);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Lineup lineup{cases.draw(100, 128), cases.draw(60, 128),
                        cases.chance(2) ? cases.draw(1, 3) : cases.draw(4, 40)};
    check_reduce(cases, cases.any_plan(lineup.positions), lineup, cases.timing(), cases.chance(2));
  }
}

TEST_CASE("they agree for payloads longer than all that the fabric of a line can hold") {
  CollectiveCases cases(4096);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Lineup lineup{cases.draw(2, 24), 1, cases.draw(400, 1200)};
    check_reduce(cases, cases.any_plan(lineup.positions), lineup, cases.timing(), cases.chance(2));
  }
}

TEST_CASE("a multicast from any PE takes its closed form and reaches all") {
  CollectiveCases cases(11);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Lineup lineup = cases.lineup(128, 8, 50);
    const FabricTiming timing = cases.timing();
    const std::int64_t root = cases.draw(0, lineup.positions - 1);
    capture_case({}, lineup, timing);
    const FabricProgram program = compile_multicast(root, lineup, timing);
    FabricMemory memory = cases.vectors(program, lineup.words);
    std::vector<float> expected;
    for (std::int64_t line = 0; line < lineup.lines; ++line) {
      for (std::int64_t word = 0; word < lineup.words; ++word) expected.push_back(memory.at(line, root, word));
    }
    const FabricRun result = run(program, memory, 1);
    CHECK(tests::wrong_words(memory, expected, lineup.words, 0, lineup.positions - 1) == 0);
    check_counts(result, count_multicast(lineup.positions, root, lineup.words), timing);
  }
}

TEST_CASE("a 2-D broadcast takes its closed form and reaches all PEs of rectangles up to 128 x 128") {
  CollectiveCases cases(12);
  for (int repeat = 0; repeat < 120; ++repeat) {
    const Lineup lineup = cases.lineup(repeat % 10 == 0 ? 128 : 40, repeat % 10 == 0 ? 128 : 150, 30);
    const FabricTiming timing = cases.timing();
    capture_case({}, lineup, timing);
    const FabricProgram program = compile_broadcast_2d(lineup, timing);
    FabricMemory memory = cases.vectors(program, lineup.words);
    std::vector<float> expected;
    for (std::int64_t line = 0; line < lineup.lines; ++line) {
      for (std::int64_t word = 0; word < lineup.words; ++word) expected.push_back(memory.at(0, 0, word));
    }
    const FabricRun result = run(program, memory, 2);
    CHECK(tests::wrong_words(memory, expected, lineup.words, 0, lineup.positions - 1) == 0);
    const CollectiveCounts counts = count_broadcast_2d({lineup.lines, lineup.positions}, lineup.words);
    CHECK(static_cast<double>(result.cycles) == time(counts, timing.rates()).value);
  }
}

}  // namespace
}  // namespace waferline::kernels::fabric
