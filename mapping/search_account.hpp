#pragma once
// How far a plan is from the best that there could be.

#include <cstdint>

#include "mapping/assemble.hpp"
#include "mapping/strip_cuts.hpp"

namespace waferline::mapping {

/// Errors: ConfigError for a context, batch, users or wafers below 1.
void check(const PlaceRequest& request);

/// Fewest wafers whose SRAM could hold the weights without any padding.
std::int64_t fewest_imaginable_wafers(const Problem& problem);

/// Figures of a plan beside the bounds of all cuts of its wafers. F105.
SearchAccount account(const Problem& problem, const StripCuts& cuts, const Plan& plan, const PlaceRequest& request);

}  // namespace waferline::mapping
