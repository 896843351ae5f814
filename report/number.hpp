#pragma once
// Numbers as people read them: a few digits, thousands apart, a unit that keeps the figure short. Never a locale.

#include <cstdint>
#include <string>

#include "arch/units.hpp"

namespace waferline::report {

/// "1,234,567".
std::string count_text(std::int64_t count);

/// `value` rounded to `digits` significant digits, thousands apart, never with an exponent between 1e-6 and 1e15:
/// "1,790", "55.56", "0.0413". Zeros at the end of a fraction stay, since they are digits.
std::string significant(double value, int digits);

/// `value` rounded to a whole number, thousands apart: tokens that a real number of was computed.
std::string whole(double value);

/// Tokens per second: whole from 100 on, three digits below.
std::string rate_text(double tokens_per_s);

/// "594.8 us", "12.00 s"; four digits, unit ns, us, ms or s. Zero is "0 s".
std::string seconds_text(Seconds time);

/// A number as it was given, up to 10 digits and without padding ones: "1,790.3".
std::string plain_number(double value);

/// A time as it is given on the command line: "10 s", "0.75 s", without padding digits.
std::string plain_seconds(Seconds time);

/// "65.25 GB", "48.00 KB"; decimal units, `digits` significant ones; below 1,000 whole bytes.
std::string bytes_text(Bytes bytes, int digits = 4);

/// "70.55B", "751.6M"; four digits, as models are named after.
std::string parameters_text(std::int64_t parameters);

/// "+3.1 %", "-0.4 %"; one decimal.
std::string signed_percent(double percent);

/// "15.07x"; two decimals below 100, whole from there.
std::string times_text(double factor);

}  // namespace waferline::report
