#pragma once
// Values on the command line, read strictly: what cannot be read whole, or lies outside its range, is refused with
// flag, value and permitted range. Nothing is truncated, rounded or given a unit that was not written.

#include <cstdint>
#include <string>
#include <string_view>

#include "arch/object_reader.hpp"
#include "arch/units.hpp"

namespace waferline::cli {

/// An argument as error messages show it: in quotes, at most 60 characters, control characters and bytes that are not
/// UTF-8 as \xNN.
std::string shown_argument(std::string_view argument);

/// An argument as a POSIX shell takes it: as it is where nothing in it is special, else in single quotes.
std::string shell_quoted(std::string_view argument);

/// A whole number: digits, or digits and `Ki` (times 1,024). `k` is refused, since a "128k" context is 131,072 tokens
/// in one place and 128,000 in another.
std::int64_t parse_integer(std::string_view flag, std::string_view text, IntegerRange range);

/// A decimal number, with or without exponent; no unit.
double parse_real(std::string_view flag, std::string_view text, RealRange range);

/// A time: a decimal number and its unit, ns, us, ms, s, min or h; "0" needs no unit. The range is in seconds.
Seconds parse_duration(std::string_view flag, std::string_view text, RealRange range);

/// NAME=NUMBER, split at the last '='.
struct NamedReal {
  std::string name;
  double value = 0;
};

/// Errors: also if the name is empty, longer than 60 bytes, not UTF-8 or holds a control character.
NamedReal parse_named_real(std::string_view flag, std::string_view text, RealRange range);

/// Numbers separated by commas, e.g. token ids; at least one.
std::vector<std::int64_t> parse_integer_list(std::string_view flag, std::string_view text, IntegerRange range);

/// Numbers separated by commas; at least one.
std::vector<double> parse_real_list(std::string_view flag, std::string_view text, RealRange range);

}  // namespace waferline::cli
