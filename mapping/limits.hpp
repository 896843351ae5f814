#pragma once
// What the SRAM left over allows, and the routing colors that a plan takes.

#include <cstdint>

#include "mapping/assemble.hpp"

namespace waferline::mapping {

/// No placement is asked for a longer context than this.
inline constexpr std::int64_t kLongestContext = std::int64_t{1} << 24;

/// Most cached tokens of each of the requested users that fit with the regions as they are; at most kLongestContext.
/// Preconditions: the plan fits at the requested context.
std::int64_t longest_context(const Assembly& assembly, const Plan& plan);

/// Colors of the schedules of all regions of a plan.
std::int64_t colors_of(const Assembly& assembly, const Plan& plan);

}  // namespace waferline::mapping
