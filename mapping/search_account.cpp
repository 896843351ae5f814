// Follows: docs/model/30-placement.md, F105.
#include "mapping/search_account.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/error.hpp"
#include "mapping/plan_file.hpp"

namespace waferline::mapping {
namespace {

double gap_pct(const SearchAccount& search, std::int64_t users, std::int64_t wafers) {
  const auto over = [](double value, double least) { return least > 0 ? 100 * (value / least - 1) : 0.0; };
  switch (search.objective) {
    case Objective::latency:
      return over(search.pass.value, search.latency_bound.value);
    case Objective::throughput:
      return over(search.slowest_stage.value, search.stage_bound.value);
    case Objective::users:
      return over(static_cast<double>(search.users_bound), static_cast<double>(users));
    case Objective::wafers:
      return over(static_cast<double>(wafers), static_cast<double>(search.wafers_bound));
  }
  return 0;
}

}  // namespace

void check(const PlaceRequest& request) {
  const auto at_least_one = [](const char* key, std::int64_t value) {
    if (value < 1) throw ConfigError(fmt::format("{}: {} (permitted: 1 or more)", key, value));
  };
  at_least_one("context", request.context_tokens);
  at_least_one("batch", request.batch);
  at_least_one("wafers", request.wafers.value_or(1));
  at_least_one("users", request.users);
}

std::int64_t fewest_imaginable_wafers(const Problem& problem) {
  const std::int64_t each = usable_pes(problem.wafer) * problem.empty.free().value;
  return std::max<std::int64_t>(1, ceil_div(problem.costs.all_layers().value, each));
}

SearchAccount account(const Problem& problem, const StripCuts& cuts, const Plan& plan, const PlaceRequest& request) {
  SearchAccount search;
  search.objective = request.objective;
  search.space = "strips of equal thickness over each wafer, each cut into equal regions of one form";
  search.plans = cuts.plans();
  search.pass = pass_of(problem, plan);
  search.slowest_stage = slowest_stage(problem, plan);
  search.latency_bound = cuts.latency_bound(std::max(request.users, request.batch));
  search.stage_bound = cuts.stage_bound();
  search.users_bound = users_bound(problem, cuts.wafers());
  search.wafers_bound = fewest_imaginable_wafers(problem);
  search.gap_pct = gap_pct(search, users_of(problem, plan), plan.wafers());
  return search;
}

Placement place_as_planned(const models::Model& model, const Wafer& wafer, const SoftwareProfile& software,
                           const PlaceRequest& request, const PlanFile& file) {
  check(request);
  const LayerKinds kinds = group_layers(model);
  PartCosts costs(model, kinds, wafer, software, {request.batch, request.context_tokens, 1});
  const Assembly assembly{model, wafer, software, request, kinds, costs};
  const Problem problem{model, wafer, kinds, costs, empty_region(wafer, software), request.batch, true};
  const std::vector<PlanProblem> problems = check(assembly, problem, file.plan);
  if (!problems.empty()) {
    const bool only_room =
        std::all_of(problems.begin(), problems.end(), [](const PlanProblem& one) { return one.shortage; });
    if (only_room) throw DoesNotFit(describe(problems, file));
    throw ConfigError(describe(problems, file));
  }
  Placement placement = assemble(assembly, problem, file.plan);
  placement.search = account(problem, StripCuts(problem, placement.wafers), file.plan, request);
  placement.search.space = "none: the plan was given; its bounds are those of " + placement.search.space;
  return placement;
}

}  // namespace waferline::mapping
