#include "report/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace waferline::report {
namespace {

/// Puts commas into the whole part of a plain decimal number.
std::string with_commas(const std::string& digits) {
  const std::size_t start = digits.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  std::string text;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (at > start && at < point && (point - at) % 3 == 0) text += ',';
    text += digits[at];
  }
  return text;
}

struct Unit {
  double size;
  const char* name;
};

/// The largest unit that `value` fills, judged after rounding to four digits, so that 999,960 is "1.000 M".
template <std::size_t n>
const Unit& unit_for(double value, const std::array<Unit, n>& units) {
  for (const Unit& unit : units) {
    if (std::abs(value) >= unit.size * 0.99995) return unit;
  }
  return units.back();
}

}  // namespace

std::string count_text(std::int64_t count) {
  return with_commas(fmt::format("{}", count));
}

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size < 1e-6 || size >= 1e15) return fmt::format("{:.{}e}", value, digits - 1);
  // The exponent after rounding: 99.97 to three digits is 100, not 100.0.
  const std::string scientific = fmt::format("{:.{}e}", size, digits - 1);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  const int decimals = std::max(0, digits - 1 - exponent);
  return with_commas(fmt::format("{:.{}f}", value, decimals));
}

std::string whole(double value) {
  return with_commas(fmt::format("{:.0f}", value));
}

std::string rate_text(double tokens_per_s) {
  return std::abs(tokens_per_s) >= 99.95 ? whole(tokens_per_s) : significant(tokens_per_s, 3);
}

std::string seconds_text(Seconds time) {
  if (time.value == 0) return "0 s";
  static constexpr std::array<Unit, 4> units{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  const Unit& unit = unit_for(time.value, units);
  return fmt::format("{} {}", significant(time.value / unit.size, 4), unit.name);
}

std::string plain_number(double value) {
  const std::string text = fmt::format("{:.10g}", value);
  return text.find('e') == std::string::npos ? with_commas(text) : text;
}

std::string plain_seconds(Seconds time) {
  return plain_number(time.value) + " s";
}

std::string bytes_text(Bytes bytes, int digits) {
  if (std::abs(bytes.value) < 1000) return fmt::format("{} B", bytes.value);
  static constexpr std::array<Unit, 4> units{{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}}};
  const auto value = static_cast<double>(bytes.value);
  const Unit& unit = unit_for(value, units);
  return fmt::format("{} {}", significant(value / unit.size, digits), unit.name);
}

std::string parameters_text(std::int64_t parameters) {
  const auto value = static_cast<double>(parameters);
  if (value < 1e4) return count_text(parameters);
  static constexpr std::array<Unit, 4> units{{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "K"}}};
  const Unit& unit = unit_for(value, units);
  return fmt::format("{}{}", significant(value / unit.size, 4), unit.name);
}

std::string signed_percent(double percent) {
  return fmt::format("{:+.1f} %", percent);
}

std::string times_text(double factor) {
  return factor >= 99.995 ? whole(factor) + "x" : fmt::format("{:.2f}x", factor);
}

}  // namespace waferline::report
