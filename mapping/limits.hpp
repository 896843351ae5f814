#pragma once
// What the SRAM left over allows: the longest context and the most users of a placement.

#include <cstdint>

#include "mapping/assemble.hpp"

namespace waferline::mapping {

/// No placement is asked for a longer context than this.
inline constexpr std::int64_t kLongestContext = std::int64_t{1} << 24;

/// Most users whose caches fit at the requested context while one pass of the requested batch is under way.
std::int64_t most_users(const Assembly& assembly, const Placement& placement);

/// Most cached tokens of each user of the requested batch that fit with the regions as they are; at most
/// kLongestContext.
std::int64_t longest_context(const Assembly& assembly, const Placement& placement);

}  // namespace waferline::mapping
