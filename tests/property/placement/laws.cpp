// Laws of placements, each over random cases with a fixed seed.
#include <algorithm>
#include <random>

#include "mapping/plan_check.hpp"
#include "mapping/strip_cuts.hpp"
#include "tests/property/placement/small_case.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::mapping;
using waferline::tests::Setting;
using waferline::tests::small_case;
using waferline::tests::SmallCase;

namespace {

std::optional<Placement> placed(const SmallCase& one) {
  PlaceResult result = place(one.model, one.wafer, one.software, one.request);
  if (auto* placement = std::get_if<Placement>(&result)) return std::move(*placement);
  return std::nullopt;
}

}  // namespace

TEST_CASE("A placement under any objective is sound and within one percent of the shortest pass under latency") {
  std::mt19937 random(20261205);
  int fitting = 0;
  for (int i = 0; i < 200; ++i) {
    SmallCase one = small_case(random);
    one.request.objective = static_cast<Objective>(i % 4);
    const std::optional<Placement> placement = placed(one);
    if (!placement) continue;
    ++fitting;
    Setting setting(one);
    const Plan plan = placement->plan();
    INFO("case " << i);
    CHECK(check(setting.assembly, setting.problem, plan).empty());
    CHECK(placement->search.pass.value == Approx(pass_of(setting.problem, plan).value).epsilon(1e-12));
    CHECK(placement->search.gap_pct >= -1e-9);
    if (one.request.objective != Objective::latency) continue;
    StripCuts cuts(setting.problem, *one.request.wafers);
    cuts.place_embedding(plan.sharing(RegionUse::embedding) > 0);
    const std::optional<Found> shortest = cuts.shortest({one.request.batch, kEndless});
    REQUIRE(shortest.has_value());
    CHECK(placement->search.optimum.value().value == Approx(shortest->pass.value).epsilon(1e-12));
    CHECK(placement->search.pass.value <= shortest->pass.value * 1.01 * (1 + 1e-12));
  }
  CHECK(fitting >= 100);
}

TEST_CASE("Defective rows, columns and PEs lie in no region") {
  std::mt19937 random(20261206);
  int fitting = 0;
  for (int i = 0; i < 200; ++i) {
    SmallCase one = small_case(random);
    const Extent usable = one.wafer.usable();
    const auto any = [&](std::int64_t all) { return std::uniform_int_distribution<std::int64_t>(0, all - 1)(random); };
    if (i % 3 == 0) one.wafer.defects.rows = {any(usable.rows)};
    if (i % 3 == 1) one.wafer.defects.cols = {any(usable.cols)};
    one.wafer.defects.pes = {PePosition{any(usable.rows), any(usable.cols)}};
    const std::optional<Placement> placement = placed(one);
    if (!placement) continue;
    ++fitting;
    Setting setting(one);
    INFO("case " << i);
    CHECK(check(setting.assembly, setting.problem, placement->plan()).empty());
  }
  CHECK(fitting >= 60);
}

TEST_CASE("One byte less than a placement's fullest PE holds is too little for that plan") {
  std::mt19937 random(20261207);
  int fitting = 0;
  for (int i = 0; i < 100; ++i) {
    SmallCase one = small_case(random);
    const std::optional<Placement> placement = placed(one);
    if (!placement) continue;
    ++fitting;
    one.wafer.pe.sram.value = placement->fullest.used();
    {
      Setting exact(one);
      CHECK(check(exact.assembly, exact.problem, placement->plan()).empty());
    }
    one.wafer.pe.sram.value = placement->fullest.used() - Bytes{1};
    Setting short_of_one(one);
    const std::vector<PlanProblem> problems = check(short_of_one.assembly, short_of_one.problem, placement->plan());
    REQUIRE_FALSE(problems.empty());
    CHECK(problems.front().what.find("1 B more than its") != std::string::npos);
  }
  CHECK(fitting >= 50);
}

TEST_CASE("More wafers never make the best pass longer, nor a longer context shorter") {
  std::mt19937 random(20261208);
  for (int i = 0; i < 100; ++i) {
    SmallCase one = small_case(random);
    const auto shortest = [&](std::int64_t wafers) {
      Setting setting(one);
      // The cuts of fewer wafers are not all among those of more: the number of regions is bounded by what helps.
      double best = kEndless.value;
      for (std::int64_t w = 1; w <= wafers; ++w) {
        StripCuts cuts(setting.problem, w);
        if (const std::optional<Found> found = cuts.shortest({one.request.batch, kEndless})) {
          best = std::min(best, found->pass.value);
        }
      }
      return best;
    };
    const double at_one = shortest(1);
    const double at_two = shortest(2);
    CHECK(at_two <= at_one);
    one.request.context_tokens += 10;
    CHECK(shortest(2) >= at_two * (1 - 1e-12));
  }
}
