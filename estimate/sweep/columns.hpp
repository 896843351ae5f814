#pragma once
// The columns of a sweep that an estimate fills. For the sources of this folder.

#include <string>
#include <string_view>
#include <vector>

#include "estimate/sweep/sweep.hpp"

namespace waferline::estimate {

/// Unit of a key of a wafer or a software profile, which its name ends in; empty for words and counts without one.
std::string unit_of_key(std::string_view key);

/// In order: `fits` and `reason` first.
std::vector<SweepColumn> result_columns();

/// Cells of a point that was estimated.
SweepRow result_cells(const DecodeEstimate& estimate);

/// Cells of a point that has no estimate: why, and nothing.
SweepRow misfit_cells(const std::string& reason);

}  // namespace waferline::estimate
