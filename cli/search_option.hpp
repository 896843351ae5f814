#pragma once
// --search time=10s,seed=1: how long to go on by trial.

#include <string>

#include "cli/progress.hpp"
#include "mapping/placement.hpp"

namespace waferline::cli {

/// Reads "time=DURATION" or "steps=N" or both, and "seed=N", apart by commas. The gain so far is told to `progress`,
/// which must outlive the use. Errors: ConfigError naming the flag, the part and what is permitted.
mapping::Refinement parse_search(const std::string& flag, const std::string& text, Progress& progress);

}  // namespace waferline::cli
