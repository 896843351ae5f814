#pragma once
// What an architect trades: time of a token, tokens of all users, users, wafers.

#include <cstdint>
#include <vector>

#include "estimate/wafer.hpp"

namespace waferline::estimate {

/// One placement that no other betters in all four.
struct ParetoPoint {
  mapping::Objective objective = mapping::Objective::latency;  ///< under which it was found
  std::int64_t wafers = 0;
  Seconds tpot;                       ///< of one user
  double pipelined_tokens_per_s = 0;  ///< of all users, every stage busy
  std::int64_t max_users = 0;
  std::int64_t regions = 0;
};

/// The front over the objectives latency, throughput and users, on the fewest wafers that fit and on up to `more`
/// beyond. Fewest wafers first, then shortest time. The request's own objective, wafers, plan and refinement are left
/// aside. Errors: as estimate_decode.
std::vector<ParetoPoint> pareto_front(const models::Model& model, const Wafer& wafer, const SoftwareProfile& software,
                                      const DecodeRequest& request, std::int64_t more);

}  // namespace waferline::estimate
