// Bits and cycles do not depend on how many threads step the fabric.
#include <cstdint>
#include <cstring>
#include <random>

#include "kernels/fabric/compile.hpp"
#include "kernels/fabric/run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/collective_cases.hpp"

namespace waferline::kernels::fabric {
namespace {

/// Values whose sums round, so that another order of summation would show.
FabricMemory rounding_vectors(const FabricProgram& program, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  FabricMemory memory(program.lines, program.positions(), program.words);
  for (std::int64_t line = 0; line < program.lines; ++line) {
    for (std::int64_t position = 0; position < program.positions(); ++position) {
      for (std::int64_t word = 0; word < program.words; ++word) memory.at(line, position, word) = normal(random);
    }
  }
  return memory;
}

bool same_bits(const FabricMemory& a, const FabricMemory& b) {
  for (std::int64_t line = 0; line < a.lines(); ++line) {
    for (std::int64_t position = 0; position < a.positions(); ++position) {
      for (std::int64_t word = 0; word < a.words(); ++word) {
        const float left = a.at(line, position, word);
        const float right = b.at(line, position, word);
        if (std::memcmp(&left, &right, sizeof left) != 0) return false;
      }
    }
  }
  return true;
}

TEST_CASE("bits, cycles and counters are the same for 1, 2, 4 and far too many threads") {
  tests::CollectiveCases cases(77);
  for (int repeat = 0; repeat < 8; ++repeat) {
    const Lineup lineup{cases.draw(2, 40), cases.draw(130, 300), cases.draw(1, 20)};
    const FabricTiming timing = cases.timing();
    const FabricProgram program = repeat == 0 ? compile_broadcast_2d(lineup, timing)
                                              : compile_allreduce(cases.any_plan(lineup.positions), lineup, timing);
    FabricMemory alone = rounding_vectors(program, 5);
    const FabricRun expected = run(program, alone, 1);
    for (const int threads : {2, 4, 64}) {
      CAPTURE(repeat, threads);
      FabricMemory memory = rounding_vectors(program, 5);
      const FabricRun result = run(program, memory, threads);
      CHECK(result.cycles == expected.cycles);
      CHECK(result.traffic == expected.traffic);
      CHECK(result.link_wavelets == expected.link_wavelets);
      CHECK(result.finished == expected.finished);
      CHECK(same_bits(memory, alone));
    }
  }
}

TEST_CASE("lines do not disturb one another: each of many is stepped as if it were alone") {
  tests::CollectiveCases cases(78);
  const Lineup lineup{17, 100, 9};
  const FabricProgram program = compile_allreduce(k_tree_plan(17, {4, 5}, Root::middle), lineup, {});
  std::vector<std::int32_t> starts;
  for (int pe = 0; pe < 17 * 100; ++pe) starts.push_back(static_cast<std::int32_t>(cases.draw(0, 50)));
  FabricMemory memory = rounding_vectors(program, 6);
  const FabricMemory before = memory;
  const FabricRun result = run(program, memory, 2, starts);
  for (const std::int64_t line : {0, 63, 64, 99}) {
    const FabricProgram one = compile_allreduce(k_tree_plan(17, {4, 5}, Root::middle), {17, 1, 9}, {});
    FabricMemory single(1, 17, 9);
    for (std::int64_t position = 0; position < 17; ++position) {
      for (std::int64_t word = 0; word < 9; ++word) single.at(0, position, word) = before.at(line, position, word);
    }
    const std::span<const std::int32_t> own(&starts[static_cast<std::size_t>(line * 17)], 17);
    const FabricRun alone = run(one, single, 1, own);
    for (std::int64_t position = 0; position < 17; ++position) {
      CHECK(alone.finished[static_cast<std::size_t>(position)] ==
            result.finished[static_cast<std::size_t>(line * 17 + position)]);
      CHECK(single.at(0, position, 8) == memory.at(line, position, 8));
    }
  }
}

}  // namespace
}  // namespace waferline::kernels::fabric
