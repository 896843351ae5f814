#include "traces/waferllm_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <regex>

#include "arch/error.hpp"
#include "models/library.hpp"
#include "traces/csv.hpp"

namespace waferline::traces {
namespace {

struct PublishedName {
  std::string_view published;
  std::string_view library;
};

// QWen2-72B and Qwen2.5-72B have the same sizes, as have LLaMA 3 and 3.1.
constexpr std::array kNames{
    PublishedName{"LLaMA3-8B", "llama-3.1-8b"},      PublishedName{"LLaMA2-13B", "llama-2-13b"},
    PublishedName{"CodeLLaMA-34B", "codellama-34b"}, PublishedName{"QWen2-72B", "qwen2.5-72b"},
    PublishedName{"LLaMA2-7B", "llama-2-7b"},        PublishedName{"LLaMA3-70B", "llama-3.1-70b"},
    PublishedName{"LLaMA2-70B", "llama-2-70b"}};

std::optional<std::string> library_name(std::string_view published) {
  for (const PublishedName& name : kNames) {
    if (name.published == published) return std::string(name.library);
  }
  std::string lower(published);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const models::LibraryEntry& entry : models::library_entries()) {
    if (entry.name == lower) return lower;
  }
  return std::nullopt;
}

std::int64_t number(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// All capture groups of the first match, or nothing.
std::vector<std::string> groups_of(std::string_view text, const char* pattern) {
  const std::string copy(text);
  std::smatch match;
  if (!std::regex_search(copy, match, std::regex(pattern))) return {};
  std::vector<std::string> groups;
  for (std::size_t i = 1; i < match.size(); ++i) groups.push_back(match[i].str());
  return groups;
}

/// Tokens in the cache, averaged over the step or steps that the row speaks of. "implied" figures are the difference of
/// a long and of a 128-token answer, so that the mean position lies halfway between the two ends.
std::int64_t tokens_of(const CsvRow& row) {
  const std::string_view lengths = row.text("shape_or_lengths");
  if (const auto context = groups_of(lengths, R"(^context (\d+)$)"); !context.empty()) return number(context[0]);
  if (const auto input = groups_of(lengths, R"(^in (\d+)$)"); !input.empty()) {
    const std::int64_t prompt = number(input[0]);
    return prompt + (128 + prompt) / 2;
  }
  return 0;
}

std::string reason_to_skip(const CsvRow& row) {
  if (row.text("system") != "WaferLLM" && !row.text("system").starts_with("WaferEngine")) return "another software";
  if (row.text("phase") != "decode" && row.text("phase") != "prefill" && row.text("phase") != "forced decode") {
    return "not a time of decode or prefill";
  }
  return {};
}

std::string add_waferllm(const CsvRow& row, WaferLlmRows& rows) {
  const auto grid = groups_of(row.text("cores_or_gpus"), R"(^(\d+)x(\d+)$)");
  const std::int64_t tokens = tokens_of(row);
  if (grid.empty() || grid[0] != grid[1] || tokens == 0) return "region or length not given";
  const std::string_view metric = row.text("metric");
  const bool cycles = metric.starts_with("cycles per layer");
  if (!cycles && metric != "TPR" && metric != "implied decode TPR") return "another quantity";
  const auto model = library_name(row.text("model_or_kernel"));
  if (!model) return "no configuration in the library";
  WaferLlmRow one{std::string(row.text("id")),    *model, number(grid[0]), tokens, cycles,
                  row.real("value", {1e-6, 1e15})};
  (row.text("phase") == "decode" ? rows.decode : rows.prefill).push_back(std::move(one));
  return {};
}

std::string add_engine(const CsvRow& row, WaferLlmRows& rows) {
  using What = WaferEngineRow::What;
  const std::string id(row.text("id"));
  if (row.text("model_or_kernel") != "Qwen3-1.7B" || row.text("unit") != "us/token") return "another quantity";
  const bool forced = row.text("phase") == "forced decode";
  if (const auto line = groups_of(row.text("value"), R"(^([\d.]+) \+ ([\d.]+)\*[cp]$)"); !line.empty()) {
    const double base = std::stod(line[0]);
    const double slope = std::stod(line[1]);
    if (forced) {
      for (const std::int64_t p : {1024, 4096}) {
        rows.engine.push_back({id + "@" + std::to_string(p), What::stage, p, base + slope * static_cast<double>(p)});
      }
      return {};
    }
    rows.engine.push_back({id + " base", What::base, 0, base});
    rows.engine.push_back({id + " slope", What::slope, 0, slope});
    return {};
  }
  const auto lengths = groups_of(row.text("shape_or_lengths"), R"(^prompt (\d+), generated (\d+)$)");
  const auto mean = groups_of(row.text("shape_or_lengths"), R"(mean context ~(\d+)$)");
  if (lengths.empty() && mean.empty()) return "context not given";
  const std::int64_t context = lengths.empty() ? number(mean[0]) : number(lengths[0]) + number(lengths[1]) / 2;
  rows.engine.push_back({id, What::token, context, row.real("value", {1e-3, 1e9})});
  return {};
}

}  // namespace

WaferLlmRows read_waferllm_rows(const std::filesystem::path& file) {
  const CsvTable table = read_csv_file(file);
  table.require_columns(
      {"id", "system", "phase", "model_or_kernel", "shape_or_lengths", "cores_or_gpus", "metric", "value", "unit"});
  WaferLlmRows rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const CsvRow row = table.row(i);
    std::string reason = reason_to_skip(row);
    if (reason.empty()) reason = row.text("system") == "WaferLLM" ? add_waferllm(row, rows) : add_engine(row, rows);
    if (!reason.empty()) rows.skipped.push_back({std::string(row.text("id")), reason});
  }
  return rows;
}

}  // namespace waferline::traces
