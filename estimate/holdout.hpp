#pragma once
// Which rows a fit does not see: fixed seeds, the same split on every machine.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace waferline {

/// Leaves out whole groups, `share` of them (rounded, at least one), chosen by a fixed pseudo-random order of the
/// distinct group names. One flag for each row; rows of one group go together.
/// Errors: std::invalid_argument if there are fewer than two groups or share is not inside (0, 1).
std::vector<bool> held_out_rows(std::span<const std::string> group_of_row, double share, std::uint64_t seed);

}  // namespace waferline
