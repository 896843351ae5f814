// Closed forms against the cycles of the vendor's simulator for reductions of 4,096 words over 512 PEs.
#include <cmath>
#include <cstdint>
#include <utility>

#include "kernels/collective.hpp"
#include "tests/support/catch.hpp"

namespace waferline::kernels {
namespace {

constexpr std::pair<std::int64_t, double> kTwoPhase[] = {{2, 10055}, {4, 9421},  {8, 9117},   {16, 8989},
                                                         {32, 8973}, {64, 9061}, {128, 9297}, {256, 9800}};
constexpr double kChain = 7218;

double reduce_cycles(const CollectivePlan& plan, const CollectiveRates& rates) {
  return time(count_reduce(plan, 512, 4096, rates), rates).value;
}

TEST_CASE("a start-up of 56 and a task switch of 21 cycles give all nine published reductions within 2 cycles") {
  CollectiveRates rates;
  rates.startup_cycles = 56;
  rates.switch_cycles = 21;
  CHECK(reduce_cycles({Algorithm::chain, Root::end, 1, {}}, rates) == kChain);
  for (const auto& [group, cycles] : kTwoPhase) {
    CAPTURE(group);
    CHECK(std::abs(reduce_cycles(k_tree_plan(512, {group, 512 / group}, Root::end), rates) - cycles) <= 2);
  }
}

TEST_CASE("one start-up constant alone gives all nine published reductions within 0.25 percent") {
  CollectiveRates rates;
  rates.startup_cycles = 67;
  CHECK(std::abs(reduce_cycles({Algorithm::chain, Root::end, 1, {}}, rates) / kChain - 1) < 0.0025);
  for (const auto& [group, cycles] : kTwoPhase) {
    CAPTURE(group);
    CHECK(std::abs(reduce_cycles(k_tree_plan(512, {group, 512 / group}, Root::end), rates) / cycles - 1) < 0.0025);
  }
}

}  // namespace
}  // namespace waferline::kernels
