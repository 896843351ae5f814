#pragma once
// What docs/model/80-bands.md promises about each validation set.

#include <string>
#include <vector>

#include "traces/validate.hpp"

namespace waferline::traces {

/// Every promise that `set` breaks, with both numbers; empty if it keeps all. A set or part of which nothing is
/// promised breaks nothing; so does a part that is not there, e.g. with rows of one's own.
std::vector<std::string> broken_bands(const ValidationSet& set);

}  // namespace waferline::traces
