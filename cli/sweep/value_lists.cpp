#include "cli/sweep/value_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "arch/error.hpp"
#include "cli/argument_text.hpp"

namespace waferline::cli {
namespace {

constexpr IntegerRange any_integer{-std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};
constexpr RealRange any_real{-1e300, 1e300};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// A whole number, with Ki or without; nothing if it is something else.
std::optional<std::int64_t> whole_number(std::string_view flag, std::string_view text) {
  const std::string_view digits = text.ends_with("Ki") ? text.substr(0, text.size() - 2) : text;
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return parse_integer(flag, text, any_integer);
}

/// One range, being written out.
struct Range {
  std::string_view flag;
  std::string_view text;
  std::string_view first;
  std::string_view last;
  std::string_view step;
  bool multiplies = false;

  [[noreturn]] void refuse(std::string_view problem) const {
    throw ConfigError(fmt::format("{}: is {}, {}", flag, shown_argument(text), problem));
  }
  void check_size(std::size_t values) const {
    if (static_cast<std::int64_t>(values) > most_listed_values) {
      refuse(fmt::format("which has more than the {} values permitted", most_listed_values));
    }
  }
};

Range read_range(std::string_view flag, std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  Range range{flag, text, parts[0], parts[1], "1"};
  if (parts.size() > 3) range.refuse("FIRST:LAST[:STEP] was expected");
  if (parts.size() == 3) range.step = parts[2];
  range.multiplies = range.step.starts_with('x') || range.step.starts_with('*');
  if (range.multiplies) range.step.remove_prefix(1);
  return range;
}

std::vector<std::string> integers_of(const Range& range, std::int64_t first, std::int64_t last, std::int64_t step) {
  if (step < (range.multiplies ? 2 : 1)) range.refuse("a step of 1 or more, or xFACTOR from 2, was expected");
  if (first > last) range.refuse("a range goes upwards");
  if (range.multiplies && first == 0) range.refuse("no factor leads away from 0");
  std::vector<std::string> values;
  for (std::int64_t value = first;;) {
    values.push_back(fmt::format("{}", value));
    range.check_size(values.size());
    if (range.multiplies ? value > last / step : value > last - step) return values;
    value = range.multiplies ? value * step : value + step;
  }
}

std::vector<std::string> reals_of(const Range& range, double first, double last, double step) {
  if (!(step > (range.multiplies ? 1 : 0))) range.refuse("a step above 0, or xFACTOR above 1, was expected");
  if (first > last) range.refuse("a range goes upwards");
  if (range.multiplies && first <= 0) range.refuse("only numbers above 0 are multiplied");
  constexpr double rounding = 1e-9;
  const double end = last + rounding * (range.multiplies ? last : std::min(step, last - first));
  std::vector<std::string> values;
  double product = first;
  for (std::int64_t i = 0;; ++i) {
    const double value = range.multiplies ? product : first + static_cast<double>(i) * step;
    if (value > end) return values;
    values.push_back(fmt::format("{}", std::stod(fmt::format("{:.12g}", value))));
    range.check_size(values.size());
    product *= step;
  }
}

std::vector<std::string> written_out(std::string_view flag, std::string_view text) {
  const Range range = read_range(flag, text);
  const auto first = whole_number(flag, range.first);
  const auto last = whole_number(flag, range.last);
  const auto step = whole_number(flag, range.step);
  if (first && last && step) return integers_of(range, *first, *last, *step);
  const auto real = [&](std::string_view part) {
    const auto whole = whole_number(flag, part);
    return whole ? static_cast<double>(*whole) : parse_real(flag, part, any_real);
  };
  return reals_of(range, real(range.first), real(range.last), real(range.step));
}

}  // namespace

std::vector<std::string> split_list(std::string_view flag, std::string_view text) {
  std::vector<std::string> values;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty()) {
      throw ConfigError(
          fmt::format("{}: is {}, values separated by single commas were expected", flag, shown_argument(text)));
    }
    values.emplace_back(part);
  }
  return values;
}

std::vector<std::string> expand_list(std::string_view flag, std::string_view text) {
  std::vector<std::string> values;
  const Range whole_text{flag, text, {}, {}, {}};
  for (const std::string& part : split_list(flag, text)) {
    if (part.find(':') != std::string::npos) {
      const std::vector<std::string> range = written_out(flag, part);
      values.insert(values.end(), range.begin(), range.end());
    } else {
      const auto whole = whole_number(flag, part);
      values.push_back(whole ? fmt::format("{}", *whole) : part);
    }
    whole_text.check_size(values.size());
  }
  return values;
}

std::vector<std::int64_t> parse_integers(std::string_view flag, std::string_view text, IntegerRange range) {
  std::vector<std::int64_t> values;
  for (const std::string& part : expand_list(flag, text)) values.push_back(parse_integer(flag, part, range));
  return values;
}

std::vector<double> parse_reals(std::string_view flag, std::string_view text, RealRange range) {
  std::vector<double> values;
  for (const std::string& part : expand_list(flag, text)) values.push_back(parse_real(flag, part, range));
  return values;
}

std::vector<std::string> parse_words(std::string_view flag, std::string_view text,
                                     const std::vector<std::string>& permitted) {
  std::vector<std::string> values = split_list(flag, text);
  for (const std::string& value : values) {
    if (std::find(permitted.begin(), permitted.end(), value) != permitted.end()) continue;
    const std::string nearest = value.size() < 3 ? "" : nearest_name(value, permitted);
    throw ConfigError(fmt::format("{}: is {}, permitted are {}{}", flag, shown_argument(value),
                                  fmt::join(permitted, ", "),
                                  nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest)));
  }
  return values;
}

}  // namespace waferline::cli
