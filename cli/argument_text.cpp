#include "cli/argument_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "arch/error.hpp"
#include "arch/text_file.hpp"

namespace waferline::cli {
namespace {

constexpr std::size_t longest_shown = 60;
constexpr std::size_t longest_name = 60;

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

[[noreturn]] void refuse(std::string_view flag, std::string_view text, const std::string& expected) {
  throw ConfigError(fmt::format("{}: is {}, {}", flag, shown_argument(text), expected));
}

std::string range_text(IntegerRange range) {
  return fmt::format("{} to {}", range.lowest, range.highest);
}

std::string range_text(RealRange range) {
  return fmt::format("{:g} to {:g}", range.lowest, range.highest);
}

/// The number at the start of `text`, and how many characters it takes; nothing if there is none. Signs and the words
/// for infinity and NaN are no numbers here, so that "-" and "inf" never pass for one; a minus is read, to name the
/// range.
template <class Number>
std::optional<std::pair<Number, std::size_t>> leading_number(std::string_view text) {
  const std::size_t digits = text.starts_with('-') ? 1 : 0;
  if (digits >= text.size() || (text[digits] != '.' && (text[digits] < '0' || text[digits] > '9'))) return std::nullopt;
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc::result_out_of_range) {
    number = text.starts_with('-') ? std::numeric_limits<Number>::lowest() : std::numeric_limits<Number>::max();
  } else if (problem != std::errc{}) {
    return std::nullopt;
  }
  return std::pair{number, static_cast<std::size_t>(end - text.data())};
}

struct TimeUnit {
  std::string_view name;
  double seconds;
};
constexpr std::array<TimeUnit, 6> time_units{
    {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}}};

std::string expected_duration(RealRange range) {
  return fmt::format("a time from {:g} s to {:g} s with its unit (ns, us, ms, s, min, h) was expected, e.g. 750ms",
                     range.lowest, range.highest);
}

}  // namespace

std::string shown_argument(std::string_view argument) {
  std::string shown;
  const std::string_view head = argument.substr(0, longest_shown);
  for (std::size_t at = 0; at < head.size(); ++at) {
    // A sequence cut at the end of the head is invalid there and shows as bytes.
    std::size_t length = 1;
    while (length < 4 && at + length <= head.size() && first_invalid_utf8_line(head.substr(at, length)) != 0) ++length;
    const bool valid = at + length <= head.size() && first_invalid_utf8_line(head.substr(at, length)) == 0;
    if (!valid || is_control(head[at])) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(head[at]));
    } else {
      shown += head.substr(at, length);
      at += length - 1;
    }
  }
  if (argument.size() > head.size()) {
    return fmt::format("'{}...' ({} bytes)", shown, argument.size());
  }
  return fmt::format("'{}'", shown);
}

std::string shell_quoted(std::string_view argument) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string_view::npos) return std::string(argument);
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::int64_t parse_integer(std::string_view flag, std::string_view text, IntegerRange range) {
  const auto number = leading_number<std::int64_t>(text);
  const std::string expected = fmt::format("a whole number from {} was expected", range_text(range));
  if (!number) refuse(flag, text, expected);
  const auto [value, length] = *number;
  const std::string_view suffix = text.substr(length);
  std::int64_t scale = 1;
  if (suffix == "Ki") {
    scale = 1024;
  } else if (suffix == "k" || suffix == "K" || suffix == "ki") {
    refuse(flag, text, fmt::format("write {0}Ki for {0} x 1024, or the number in full", value));
  } else if (!suffix.empty()) {
    refuse(flag, text, expected + (suffix.starts_with(',') ? " (without separators)" : ""));
  }
  // Compared before the multiplication, which could overflow.
  const bool in_range = value >= 0 ? value <= range.highest / scale && value * scale >= range.lowest
                                   : scale == 1 && value >= range.lowest && value <= range.highest;
  if (!in_range) throw ConfigError(fmt::format("{}: is {}, permitted are {}", flag, text, range_text(range)));
  return value * scale;
}

double parse_real(std::string_view flag, std::string_view text, RealRange range) {
  const auto number = leading_number<double>(text);
  if (!number || number->second != text.size()) {
    refuse(flag, text, fmt::format("a number from {} was expected", range_text(range)));
  }
  const double value = number->first;
  if (value < range.lowest || value > range.highest) {
    throw ConfigError(fmt::format("{}: is {}, permitted are {}", flag, text, range_text(range)));
  }
  return value;
}

Seconds parse_duration(std::string_view flag, std::string_view text, RealRange range) {
  const auto number = leading_number<double>(text);
  if (!number) refuse(flag, text, expected_duration(range));
  const auto [value, length] = *number;
  const std::string_view suffix = text.substr(length);
  std::optional<double> seconds;
  if (suffix.empty() && value == 0) seconds = 0;
  for (const TimeUnit& unit : time_units) {
    if (suffix == unit.name) seconds = value * unit.seconds;
  }
  if (!seconds) refuse(flag, text, expected_duration(range));
  if (!(*seconds >= range.lowest && *seconds <= range.highest)) {
    throw ConfigError(
        fmt::format("{}: is {}, permitted are {:g} s to {:g} s", flag, text, range.lowest, range.highest));
  }
  return Seconds{*seconds};
}

NamedReal parse_named_real(std::string_view flag, std::string_view text, RealRange range) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) {
    refuse(flag, text, fmt::format("NAME=NUMBER was expected, the number from {}", range_text(range)));
  }
  const std::string_view name = text.substr(0, equals);
  bool clean = !name.empty() && name.size() <= longest_name && first_invalid_utf8_line(name) == 0;
  for (const char c : name) clean = clean && !is_control(c);
  if (!clean)
    refuse(flag, text, fmt::format("the name before '=' must be 1 to {} bytes of printable UTF-8", longest_name));
  return {std::string(name), parse_real(fmt::format("{} {}", flag, name), text.substr(equals + 1), range)};
}

std::vector<std::int64_t> parse_integer_list(std::string_view flag, std::string_view text, IntegerRange range) {
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    numbers.push_back(parse_integer(flag, text.substr(at, end - at), range));
    at = end + 1;
  }
  return numbers;
}

std::vector<double> parse_real_list(std::string_view flag, std::string_view text, RealRange range) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    numbers.push_back(parse_real(flag, text.substr(at, end - at), range));
    at = end + 1;
  }
  return numbers;
}

}  // namespace waferline::cli
