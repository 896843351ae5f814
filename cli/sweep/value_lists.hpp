#pragma once
// Lists on the command line: values separated by commas; among numbers also ranges FIRST:LAST[:STEP], where STEP is
// added (default 1) or, as xFACTOR or *FACTOR, multiplied. LAST belongs to the range if a step meets it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arch/object_reader.hpp"

namespace waferline::cli {

/// Most values of one list.
inline constexpr std::int64_t most_listed_values = 100'000;

/// The values as they stand; none is empty.
std::vector<std::string> split_list(std::string_view flag, std::string_view text);

/// The values with every range written out and every Ki multiplied. Reals of a range have 12 digits, so that steps of
/// 0.1 meet 0.3.
std::vector<std::string> expand_list(std::string_view flag, std::string_view text);

std::vector<std::int64_t> parse_integers(std::string_view flag, std::string_view text, IntegerRange range);
std::vector<double> parse_reals(std::string_view flag, std::string_view text, RealRange range);

/// Words out of `permitted`, named in errors with the nearest.
std::vector<std::string> parse_words(std::string_view flag, std::string_view text,
                                     const std::vector<std::string>& permitted);

}  // namespace waferline::cli
