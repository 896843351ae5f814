#include "traces/serving_trace.hpp"

#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>

#include "arch/error.hpp"
#include "traces/csv.hpp"

namespace waferline::traces {
namespace {

constexpr CsvLimits trace_limits{std::int64_t{1} << 30, 20'000'000, 64, 4'096};
constexpr IntegerRange token_counts{1, 1'000'000'000};
constexpr RealRange arrival_times{0, 1e9};

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Seconds since 1970 of "YYYY-MM-DD hh:mm:ss[.fraction]", without a time zone; nothing if it is not that.
std::optional<double> timestamp(std::string_view text) {
  constexpr std::string_view pattern = "0000-00-00 00:00:00";
  if (text.size() < pattern.size()) return std::nullopt;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '0' ? (text[i] < '0' || text[i] > '9') : text[i] != pattern[i]) return std::nullopt;
  }
  const auto digits = [&](std::size_t at, std::size_t count) { return *number<int>(text.substr(at, count)); };
  const std::chrono::year_month_day day{std::chrono::year{digits(0, 4)},
                                        std::chrono::month{static_cast<unsigned>(digits(5, 2))},
                                        std::chrono::day{static_cast<unsigned>(digits(8, 2))}};
  const std::optional<double> seconds = number<double>(text.substr(17));
  if (!day.ok() || digits(11, 2) > 23 || digits(14, 2) > 59 || !seconds || !(*seconds < 61)) return std::nullopt;
  const auto days = static_cast<double>(std::chrono::sys_days{day}.time_since_epoch().count());
  return days * 86'400 + digits(11, 2) * 3'600 + digits(14, 2) * 60 + *seconds;
}

}  // namespace

std::vector<estimate::ServingRequest> read_serving_trace(const std::filesystem::path& path) {
  const CsvTable table = read_csv_file(path, trace_limits);
  const bool azure = table.has_column("TIMESTAMP");
  const char* arrival = azure ? "TIMESTAMP" : "arrival_s";
  const char* prompt = azure ? "ContextTokens" : "prompt_tokens";
  const char* output = azure ? "GeneratedTokens" : "output_tokens";
  table.require_columns({arrival, prompt, output});
  if (table.size() == 0) throw ConfigError(path.string() + ": has no requests, permitted are 1 or more");
  std::vector<estimate::ServingRequest> requests;
  double first = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const CsvRow row = table.row(i);
    const std::optional<double> time = azure ? timestamp(row.text(arrival)) : row.real(arrival, arrival_times);
    if (!time) row.fail(arrival, "is no time like 2023-11-16 18:15:46.6805900");
    if (i == 0) first = *time;
    const Seconds since{*time - first};
    if (!requests.empty() && since < requests.back().arrival) row.fail(arrival, "is before the arrival above it");
    requests.push_back({since, row.integer(prompt, token_counts), row.integer(output, token_counts)});
  }
  return requests;
}

}  // namespace waferline::traces
