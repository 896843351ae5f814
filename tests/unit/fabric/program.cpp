// Programs that do not fit together are refused, and those that block are reported with who waits for what.
#include <cstdint>

#include "arch/error.hpp"
#include "kernels/fabric/compile.hpp"
#include "kernels/fabric/run.hpp"
#include "tests/support/catch.hpp"

namespace waferline::kernels::fabric {
namespace {

using Kind = Operation::Kind;

Operation operation(Kind kind, int in, int out, std::int32_t words) {
  return {kind, in, out, words, 0, 0, 0, 0};
}

/// Two PEs: color 0 from the first to the second, color 1 back.
FabricProgram pair(std::vector<Operation> first, std::vector<Operation> second) {
  FabricProgram program;
  program.words = 100;
  program.cells.resize(2);
  program.cells[0].routes = {{0, kRamp, kFront, {}}, {1, kFront, kRamp, {}}};
  program.cells[1].routes = {{0, kBack, kRamp, {}}, {1, kRamp, kBack, {}}};
  program.cells[0].programs = {{{}, std::move(first)}};
  program.cells[1].programs = {{{}, std::move(second)}};
  return program;
}

FabricRun run_once(const FabricProgram& program) {
  FabricMemory memory(program.lines, program.positions(), program.words);
  return run(program, memory, 1);
}

TEST_CASE("two PEs that both receive first are reported as a deadlock that names them and their colors") {
  const FabricProgram program = pair({operation(Kind::store, 1, -1, 3), operation(Kind::send, -1, 0, 3)},
                                     {operation(Kind::store, 0, -1, 3), operation(Kind::send, -1, 1, 3)});
  try {
    run_once(program);
    FAIL("no deadlock was reported");
  } catch (const FabricDeadlock& deadlock) {
    REQUIRE(deadlock.waiting().size() == 2);
    CHECK(deadlock.waiting()[0].position == 0);
    CHECK(deadlock.waiting()[0].color == 1);
    CHECK(deadlock.waiting()[0].for_input);
    CHECK(deadlock.waiting()[1].color == 0);
    CHECK_THAT(deadlock.what(), Catch::Contains("line 0, position 1: operation 0 (store), 0 of 3 words done"));
  }
}

TEST_CASE("two PEs that both send more than the fabric holds before they receive block, and fewer words pass") {
  const auto exchange = [](std::int32_t words) {
    return pair({operation(Kind::send, -1, 0, words), operation(Kind::store, 1, -1, words)},
                {operation(Kind::send, -1, 1, words), operation(Kind::store, 0, -1, words)});
  };
  CHECK(run_once(exchange(7)).cycles > 0);
  try {
    run_once(exchange(8));
    FAIL("no deadlock was reported");
  } catch (const FabricDeadlock& deadlock) {
    CHECK_FALSE(deadlock.waiting()[0].for_input);
    CHECK(deadlock.waiting()[0].words_done == 7);
    CHECK_THAT(deadlock.what(), Catch::Contains("the ramp is full in color 0"));
  }
}

TEST_CASE("a receiver that waits for more words than are sent is a deadlock with the words that came") {
  const FabricProgram program = pair({operation(Kind::send, -1, 0, 5)}, {operation(Kind::store, 0, -1, 6)});
  FabricProgram sends_back = program;
  sends_back.cells[0].routes.pop_back();
  sends_back.cells[1].routes.pop_back();
  CHECK_THROWS_WITH(run_once(sends_back), Catch::Contains("position 1: operation 0 (store), 5 of 6 words done"));
}

TEST_CASE("routes and operations that do not fit together are refused with position and color") {
  FabricProgram program = pair({operation(Kind::send, -1, 0, 1)}, {operation(Kind::store, 0, -1, 1)});
  program.cells[0].routes.pop_back();
  program.cells[1].routes.pop_back();
  CHECK_NOTHROW(run_once(program));
  const auto refused = [&](auto&& change, const char* text) {
    FabricProgram wrong = program;
    change(wrong);
    CHECK_THROWS_AS(run_once(wrong), ConfigError);
    CHECK_THROWS_WITH(run_once(wrong), Catch::Contains(text));
  };
  refused([](FabricProgram& p) { p.cells[0].routes[0].color = kColors; }, "color 24");
  refused([](FabricProgram& p) { p.cells[0].routes.clear(); }, "no route takes it");
  refused([](FabricProgram& p) { p.cells[1] = {}; }, "at whose end no route takes it");
  refused([](FabricProgram& p) { p.cells[1].routes[0].to = kFront; }, "no route leads to the PE");
  refused([](FabricProgram& p) { p.cells[0].routes[0].to = kBack; }, "leaves the rectangle");
  refused([](FabricProgram& p) { p.cells[0].programs.clear(); }, "no operation sends it");
  refused([](FabricProgram& p) { p.cells[0].routes.push_back(p.cells[0].routes[0]); }, "two routes for one input");
}

TEST_CASE("a program needs memory of its shape and a start for every PE") {
  const FabricProgram program = compile_reduce({Algorithm::chain, Root::end, 1, {}}, {4, 2, 8}, {});
  FabricMemory small(2, 4, 7);
  CHECK_THROWS_AS(run(program, small, 1), ConfigError);
  FabricMemory right(2, 4, 8);
  const std::vector<std::int32_t> starts(7);
  CHECK_THROWS_AS(run(program, right, 1, starts), ConfigError);
  CHECK_NOTHROW(run(program, right, 1));
}

TEST_CASE("sizes and timing out of range are refused with the range") {
  const CollectivePlan chain{Algorithm::chain, Root::end, 1, {}};
  FabricTiming timing;
  timing.ramp = 0;
  CHECK_THROWS_WITH(compile_reduce(chain, {4, 1, 8}, timing), Catch::Contains("ramp cycles is 0 (permitted: 1 to 64)"));
  CHECK_THROWS_AS(compile_reduce(chain, {0, 1, 8}, {}), ConfigError);
  CHECK_THROWS_AS(compile_reduce(chain, {4, 1, 0}, {}), ConfigError);
  CHECK_THROWS_AS(compile_multicast(4, {4, 1, 8}, {}), ConfigError);
  CHECK_THROWS_AS(compile_reduce({Algorithm::k_tree, Root::end, 1, {3}}, {4, 1, 8}, {}), ConfigError);
}

}  // namespace
}  // namespace waferline::kernels::fabric
