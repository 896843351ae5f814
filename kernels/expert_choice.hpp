#pragma once
// Expected values where a count depends on which experts tokens choose: each token is taken to choose uniformly and
// independently, which real routers do only roughly. They are no counts: what they say is marked as an expectation.

#include <cstdint>

namespace waferline::kernels {

/// Expected number of different experts that `tokens` tokens choose, `active` of `experts` each (F17).
double expected_distinct_experts(std::int64_t experts, std::int64_t active, std::int64_t tokens);

/// Expected number of one token's `active` experts in the band that has most of them, with `experts` dealt out to
/// `bands` of equal size (F17). Precondition: bands divides experts, active at most experts.
double expected_busiest_band(std::int64_t experts, std::int64_t active, std::int64_t bands);

}  // namespace waferline::kernels
