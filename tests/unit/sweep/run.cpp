// Rows arrive in order, whatever happens.
#include <stdexcept>

#include "estimate/sweep/sweep.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sweep_axes.hpp"

using namespace waferline;
using namespace waferline::estimate;
using waferline::tests::sweep_axes;

namespace {

Sweep sweep_of(std::int64_t points) {
  SweepAxes axes = sweep_axes("qwen3-0.6b", "tiny", "service-2024");
  axes.contexts.clear();
  for (std::int64_t i = 1; i <= points; ++i) axes.contexts.push_back(i);
  return Sweep(axes, "test");
}

}  // namespace

TEST_CASE("a sweep hands over every row from where it is told to begin, in order") {
  const Sweep sweep = sweep_of(40);
  for (const std::int64_t first : {0, 1, 39, 40}) {
    for (const int threads : {0, 1, 2, 7}) {
      std::int64_t next = first;
      run_sweep(sweep, first, threads, [&](std::int64_t point, const SweepRow& row) {
        CHECK(point == next++);
        CHECK(row == sweep.row(point));
      });
      CHECK(next == 40);
    }
  }
}

TEST_CASE("what fails while a row is handed over ends the sweep and comes out of it") {
  const Sweep sweep = sweep_of(40);
  for (const int threads : {1, 3}) {
    std::int64_t taken = 0;
    const auto take = [&](std::int64_t point, const SweepRow&) {
      if (point == 5) throw std::runtime_error("disk full");
      ++taken;
    };
    CHECK_THROWS_WITH(run_sweep(sweep, 0, threads, take), "disk full");
    CHECK(taken == 5);
  }
}
