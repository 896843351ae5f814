#include "kernels/pe_model.hpp"
#include "tests/support/catch.hpp"

namespace waferline::kernels {
namespace {

TEST_CASE("an isolated instruction takes its elements and 6 cycles, twice its elements with a bank conflict") {
  CHECK(instruction_cycles({5124, Banks::apart, 1}, Timed::isolated).value == 5130);
  CHECK(instruction_cycles({5124, Banks::conflict, 1}, Timed::isolated).value == 10254);
  CHECK(instruction_cycles({0, Banks::apart, 1}, Timed::isolated).value == 6);
  CHECK(instruction_cycles({14, Banks::apart, 1}, Timed::trace).value == 15);
}

TEST_CASE("setting up descriptors takes 28 cycles more, and an odd element of a wide move a whole cycle") {
  CHECK(instruction_cycles({1028, Banks::conflict, 1}, Timed::with_setup).value == 2062 + 28);
  CHECK(instruction_cycles({5124, Banks::apart, 2}, Timed::with_setup).value == 2562 + 34);
  CHECK(instruction_cycles({5, Banks::apart, 2}, Timed::isolated).value == 3 + 6);
}

TEST_CASE("a loop is its scalar work and its instructions, each counted once for a call") {
  const LoopRun loads{LoopKernel::compressed, 64, 36, 8, Banks::conflict, true};
  LoopRun whole = loads;
  whole.loads_only = false;
  CHECK(loop_cycles(loads).value == Approx(2513).epsilon(0.001));
  CHECK(loop_cycles(whole).value - loop_cycles(loads).value == 64 * (2 * 36 + 6));
  CHECK(loop_cycles({LoopKernel::naive_dense, 1, 14, 0, Banks::apart, false}).value == 58);
  CHECK(loop_cycles({LoopKernel::dense, 0, 100, 0, Banks::conflict, false}).value == 0);
}

TEST_CASE("streaming takes a cycle a word and 5 to start and finish") {
  CHECK(stream_cycles(196).value == 201);
}

}  // namespace
}  // namespace waferline::kernels
