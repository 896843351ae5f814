#include <cstdint>

#include "kernels/fabric/compile.hpp"
#include "kernels/fabric/run.hpp"
#include "tests/support/catch.hpp"

namespace waferline::kernels::fabric {
namespace {

using Kind = Operation::Kind;

/// PE 0 sends `words` to PE `distance` of one line.
FabricProgram one_message(std::int64_t distance, std::int32_t words, const FabricTiming& timing) {
  FabricProgram program;
  program.words = words;
  program.timing = timing;
  program.cells.resize(static_cast<std::size_t>(distance + 1));
  for (std::size_t position = 0; position < program.cells.size(); ++position) {
    const bool first = position == 0;
    const bool last = position + 1 == program.cells.size();
    program.cells[position].routes = {
        {5, first ? std::uint8_t{kRamp} : std::uint8_t{kBack}, last ? std::uint8_t{kRamp} : std::uint8_t{kFront}, {}}};
  }
  program.cells.front().programs = {{{}, {{Kind::send, -1, 5, words, 0, 0, 0, 0}}}};
  program.cells.back().programs = {{{}, {{Kind::store, 5, -1, words, 0, 0, 0, 0}}}};
  return program;
}

std::int64_t cycles(const FabricProgram& program) {
  FabricMemory memory(program.lines, program.positions(), program.words);
  return run(program, memory, 1).cycles;
}

TEST_CASE("one wavelet takes a cycle to send, two ramps and a hop a link") {
  FabricTiming timing;
  CHECK(cycles(one_message(1, 1, timing)) == 1 + 2 + 1 + 2 + 1);
  CHECK(cycles(one_message(7, 1, timing)) == 1 + 2 + 7 + 2 + 1);
  timing.hop = 2;
  CHECK(cycles(one_message(7, 1, timing)) == 1 + 2 + 14 + 2 + 1);
  timing.ramp = 5;
  CHECK(cycles(one_message(7, 1, timing)) == 1 + 5 + 14 + 5 + 1);
}

TEST_CASE("every further wavelet takes one cycle") {
  for (const int hop : {1, 2, 3}) {
    FabricTiming timing;
    timing.hop = hop;
    CHECK(cycles(one_message(9, 1000, timing)) - cycles(one_message(9, 1, timing)) == 999);
  }
}

TEST_CASE("a sender runs ahead of its receiver by what ramps and links hold, and is then held back") {
  // Two slots a link, one a cycle of ramp, one for issuing: 2 + 1 + 2 + 2 over one link.
  constexpr std::int64_t kHeld = 7;
  for (const std::int64_t words : {kHeld, kHeld + 1}) {
    const FabricProgram program = one_message(1, static_cast<std::int32_t>(words), {});
    FabricMemory memory(1, 2, words);
    const std::vector<std::int32_t> starts = {0, 1000};
    const FabricRun result = run(program, memory, 1, starts);
    CHECK(result.cycles == 1000 + words);
    if (words == kHeld) {
      CHECK(result.finished[0] == words);
    } else {
      CHECK(result.finished[0] > 1000);
    }
  }
}

TEST_CASE("the memory holds what was sent, word by word") {
  const FabricProgram program = one_message(3, 20, {});
  FabricMemory memory(1, 4, 20);
  for (std::int64_t word = 0; word < 20; ++word) memory.at(0, 0, word) = static_cast<float>(word * word);
  run(program, memory, 1);
  for (std::int64_t word = 0; word < 20; ++word) CHECK(memory.at(0, 3, word) == static_cast<float>(word * word));
  CHECK(memory.at(0, 1, 3) == 0);
}

TEST_CASE("of two colors on one link the lower one goes first and the other one fills its gaps") {
  // PE 0 sends color 9 to PE 2, PE 1 sends color 3 to PE 2, which stores color 3 first.
  FabricProgram program;
  program.words = 100;
  program.cells.resize(3);
  program.cells[0].routes = {{9, kRamp, kFront, {}}};
  program.cells[1].routes = {{9, kBack, kFront, {}}, {3, kRamp, kFront, {}}};
  program.cells[2].routes = {{9, kBack, kRamp, {}}, {3, kBack, kRamp, {}}};
  program.cells[0].programs = {{{}, {{Kind::send, -1, 9, 100, 0, 0, 0, 0}}}};
  program.cells[1].programs = {{{}, {{Kind::send, -1, 3, 100, 0, 0, 0, 0}}}};
  program.cells[2].programs = {{{}, {{Kind::store, 3, -1, 100, 0, 0, 0, 0}, {Kind::store, 9, -1, 100, 0, 0, 0, 0}}}};
  CHECK(cycles(program) == 200 + 1 + 2 + 2 + 1);
}

TEST_CASE("a program of one PE does nothing and takes no time") {
  CHECK(cycles(compile_allreduce({Algorithm::chain, Root::end, 1, {}}, {1, 3, 5}, {})) == 0);
  CHECK(cycles(compile_broadcast_2d({1, 1, 5}, {})) == 0);
}

TEST_CASE("state stays within 64 bytes a PE for a two-phase all-reduce on 660 PEs a line") {
  const Lineup lineup{660, 64, 3};
  const FabricProgram program = compile_allreduce(k_tree_plan(660, {26, 26}, Root::middle), lineup, {});
  FabricMemory memory(lineup.lines, lineup.positions, lineup.words);
  CHECK(run(program, memory, 1).state_bytes_per_pe <= 64);
}

}  // namespace
}  // namespace waferline::kernels::fabric
