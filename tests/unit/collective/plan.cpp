#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "arch/error.hpp"
#include "kernels/collective.hpp"
#include "kernels/tree_layout.hpp"
#include "tests/support/catch.hpp"

namespace waferline::kernels {
namespace {

double allreduce_cycles(const CollectivePlan& plan, std::int64_t pes, std::int64_t wavelets,
                        const CollectiveRates& rates) {
  return time(count_allreduce(plan, pes, wavelets, rates), rates).value;
}

struct Case {
  std::int64_t pes;
  std::int64_t wavelets;
  CollectiveRates rates;
};

Case random_case(std::mt19937& random, std::int64_t most_pes) {
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  Case drawn{draw(1, most_pes), draw(1, draw(0, 2) == 0 ? 600 : 40), {}};
  drawn.rates.stage_cycles = static_cast<double>(draw(1, 40));
  drawn.rates.switch_cycles = static_cast<double>(draw(0, 1) * draw(0, 30));
  drawn.rates.hop_cycles = static_cast<double>(draw(1, 2));
  return drawn;
}

TEST_CASE("the chosen two-level tree is as fast as the best of all group sizes") {
  std::mt19937 random(20240811);
  for (int repeat = 0; repeat < 400; ++repeat) {
    const Case drawn = random_case(random, 400);
    double best =
        allreduce_cycles(k_tree_plan(drawn.pes, {drawn.pes}, Root::middle), drawn.pes, drawn.wavelets, drawn.rates);
    for (std::int64_t group = 1; group <= drawn.pes; ++group) {
      const CollectivePlan plan = k_tree_plan(drawn.pes, {group, ceil_div(drawn.pes, group)}, Root::middle);
      best = std::min(best, allreduce_cycles(plan, drawn.pes, drawn.wavelets, drawn.rates));
    }
    CAPTURE(drawn.pes, drawn.wavelets, drawn.rates.stage_cycles, drawn.rates.switch_cycles);
    const CollectivePlan chosen = best_plan(drawn.pes, drawn.wavelets, drawn.rates);
    CHECK(allreduce_cycles(chosen, drawn.pes, drawn.wavelets, drawn.rates) == Approx(best));
  }
}

TEST_CASE("the chosen three-level tree is as fast as the best of all group sizes") {
  std::mt19937 random(7);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Case drawn = random_case(random, 60);
    double best = HUGE_VAL;
    for (std::int64_t first = 1; first <= drawn.pes; ++first) {
      const std::int64_t roots = ceil_div(drawn.pes, first);
      for (std::int64_t second = 1; second <= roots; ++second) {
        const CollectivePlan plan = k_tree_plan(drawn.pes, {first, second, ceil_div(roots, second)}, Root::middle);
        best = std::min(best, allreduce_cycles(plan, drawn.pes, drawn.wavelets, drawn.rates));
      }
    }
    CAPTURE(drawn.pes, drawn.wavelets);
    const CollectivePlan chosen = best_plan(drawn.pes, drawn.wavelets, drawn.rates, 3);
    CHECK(allreduce_cycles(chosen, drawn.pes, drawn.wavelets, drawn.rates) == Approx(best));
  }
}

TEST_CASE("every item of a tree has its root in its span, and the spans of a level cover the line once") {
  std::mt19937 random(99);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const std::int64_t pes = std::uniform_int_distribution<std::int64_t>(1, 200)(random);
    const std::int64_t first = std::uniform_int_distribution<std::int64_t>(1, pes)(random);
    const std::int64_t roots = ceil_div(pes, first);
    const std::int64_t second = std::uniform_int_distribution<std::int64_t>(1, roots)(random);
    const Root root = repeat % 2 == 0 ? Root::middle : Root::end;
    const TreeLayout layout(k_tree_plan(pes, {first, second, ceil_div(roots, second)}, root), pes);
    for (int level = 1; level <= layout.levels(); ++level) {
      std::int64_t next = 0;
      for (std::int64_t item = 0; item < layout.items(level); ++item) {
        const LineRange span = layout.span(level, item);
        REQUIRE(span.begin == next);
        REQUIRE(layout.root(level, item) >= span.begin);
        REQUIRE(layout.root(level, item) < span.end);
        const TreeLayout::Sides sides = layout.sides(level, item);
        REQUIRE(sides.left.size() + sides.right.size() + (sides.own_child >= 0 ? 1 : 0) ==
                layout.children(level, item).size());
        next = span.end;
      }
      REQUIRE(next == pes);
    }
  }
}

TEST_CASE("groups that do not cover the line, or are out of range, are refused with the value") {
  CHECK_THROWS_WITH(k_tree_plan(20, {4, 4}, Root::middle), Catch::Contains("2 groups are left of 20 PEs"));
  CHECK_THROWS_WITH(k_tree_plan(20, {0, 20}, Root::middle), Catch::Contains("groups[0] is 0"));
  CHECK_THROWS_WITH(k_tree_plan(20, {4, 21}, Root::middle), Catch::Contains("permitted: 1 to 20"));
  CHECK_THROWS_AS(k_tree_plan(20, {}, Root::end), ConfigError);
  CHECK_THROWS_AS(k_tree_plan(20, {2, 2, 2, 2, 2}, Root::end), ConfigError);
  CHECK_THROWS_AS(best_plan(20, 1, {}, 5), ConfigError);
  CHECK_NOTHROW(k_tree_plan(20, {4, 5}, Root::middle));
}

}  // namespace
}  // namespace waferline::kernels
