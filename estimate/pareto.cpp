#include "estimate/pareto.hpp"

#include <algorithm>

#include "arch/error.hpp"

namespace waferline::estimate {
namespace {

bool betters(const ParetoPoint& a, const ParetoPoint& b) {
  const bool no_worse = a.wafers <= b.wafers && a.tpot <= b.tpot &&
                        a.pipelined_tokens_per_s >= b.pipelined_tokens_per_s && a.max_users >= b.max_users;
  const bool equal = a.wafers == b.wafers && a.tpot == b.tpot && a.pipelined_tokens_per_s == b.pipelined_tokens_per_s &&
                     a.max_users == b.max_users;
  return no_worse && !equal;
}

ParetoPoint point_of(const DecodeEstimate& estimate) {
  const mapping::Placement& placement = estimate.placement;
  return {placement.search.objective,      placement.wafers,    estimate.tpot.expected,
          estimate.pipelined_tokens_per_s, placement.max_users, std::ssize(placement.regions)};
}

}  // namespace

std::vector<ParetoPoint> pareto_front(const models::Model& model, const Wafer& wafer, const SoftwareProfile& software,
                                      const DecodeRequest& request, std::int64_t more) {
  DecodeRequest asked = request;
  asked.plan.reset();
  asked.refinement.reset();
  asked.wafers.reset();
  asked.objective = mapping::Objective::wafers;
  const std::int64_t fewest = estimate_decode(model, wafer, software, asked).placement.wafers;
  std::vector<ParetoPoint> all;
  for (std::int64_t wafers = fewest; wafers <= fewest + more; ++wafers) {
    asked.wafers = wafers;
    for (const auto objective :
         {mapping::Objective::latency, mapping::Objective::throughput, mapping::Objective::users}) {
      asked.objective = objective;
      const ParetoPoint point = point_of(estimate_decode(model, wafer, software, asked));
      const bool known = std::any_of(all.begin(), all.end(), [&](const ParetoPoint& other) {
        return other.wafers == point.wafers && other.tpot == point.tpot && other.max_users == point.max_users &&
               other.pipelined_tokens_per_s == point.pipelined_tokens_per_s;
      });
      if (!known) all.push_back(point);
    }
  }
  std::vector<ParetoPoint> front;
  for (const ParetoPoint& point : all) {
    if (std::none_of(all.begin(), all.end(), [&](const ParetoPoint& other) { return betters(other, point); })) {
      front.push_back(point);
    }
  }
  std::stable_sort(front.begin(), front.end(), [](const ParetoPoint& a, const ParetoPoint& b) {
    return a.wafers != b.wafers ? a.wafers < b.wafers : a.tpot < b.tpot;
  });
  return front;
}

}  // namespace waferline::estimate
