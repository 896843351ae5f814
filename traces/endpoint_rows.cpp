#include "traces/endpoint_rows.hpp"

#include <algorithm>
#include <regex>

#include "arch/data_dir.hpp"
#include "arch/error.hpp"
#include "models/library.hpp"
#include "traces/csv.hpp"

namespace waferline::traces {
namespace {

constexpr std::int64_t kUnstatedPrompt = 1000;

/// How published names map to the library: the first pattern that the name holds decides.
class ModelNames {
 public:
  ModelNames() : table_(read_csv_file(data_dir("traces/published") / "endpoint_models.csv")) {}

  /// Library name and bits, or the reason why there is none in `reason`.
  bool resolve(const std::string& label, EndpointRow& row, std::string& reason) const {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const CsvRow entry = table_.row(i);
      if (label.find(entry.text("pattern")) == std::string::npos) continue;
      row.model = std::string(entry.text("model"));
      if (row.model.empty()) return reason = std::string(entry.text("note")), false;
      if (const auto bits = entry.optional_integer("weight_bits", {4, 16})) row.weight_bits = static_cast<int>(*bits);
      return in_library(row.model, reason);
    }
    row.model = label;
    std::transform(label.begin(), label.end(), row.model.begin(),
                   [](unsigned char c) { return c == ' ' ? '-' : static_cast<char>(std::tolower(c)); });
    return in_library(row.model, reason);
  }

 private:
  bool in_library(const std::string& name, std::string& reason) const {
    if (std::any_of(library_.begin(), library_.end(), [&](const auto& entry) { return entry.name == name; }))
      return true;
    reason = "no configuration in the library";
    return false;
  }

  CsvTable table_;
  std::vector<models::LibraryEntry> library_ = models::library_entries();
};

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Why a row is no served speed that can be compared, or nothing.
std::string reason_to_skip(const CsvRow& row) {
  const std::string_view kind = row.text("metric_kind");
  if (row.text("provider") != "Cerebras") return "not served on wafers alone";
  if (holds(kind, "projection")) return "a projection";
  if (holds(kind, "estimate")) return "an analyst's estimate";
  if (holds(kind, "user")) return "one user's test, not of decoding alone";
  if (row.text("reliability") != "high" && row.text("reliability") != "medium") {
    return "reliability " + std::string(row.text("reliability"));
  }
  if (!holds(row.text("hardware"), "CS-3") && !holds(row.text("hardware"), "CS-4"))
    return "hardware that does not exist yet";
  return {};
}

/// "10k-token prompt", "1k prompt", "10k in", "500-token prompt"; context limits do not count.
std::optional<std::int64_t> prompt_tokens(const std::string& text) {
  static const std::regex pattern(R"((\d+)(k?)(?:-token)? (?:prompt|in\b))");
  std::smatch match;
  if (!std::regex_search(text, match, pattern)) return std::nullopt;
  return std::max<std::int64_t>(1, std::stoll(match[1].str().substr(0, 9)) * (match[2].length() > 0 ? 1000 : 1));
}

}  // namespace

EndpointRows read_endpoint_rows(const std::filesystem::path& file) {
  const CsvTable table = read_csv_file(file);
  table.require_columns({"row", "provider", "hardware", "model", "tokens_per_s", "metric_kind", "prompt_or_context",
                         "precision", "speculative_decoding", "date", "reliability"});
  const ModelNames names;
  EndpointRows found;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const CsvRow row = table.row(i);
    EndpointRow one;
    one.id = std::string(row.text("row"));
    one.label = std::string(row.text("model"));
    one.provider = std::string(row.text("provider"));
    one.date = std::string(row.text("date"));
    std::string reason = reason_to_skip(row);
    if (reason.empty()) names.resolve(one.label, one, reason);
    if (!reason.empty()) {
      found.skipped.push_back({one.id, reason});
      continue;
    }
    one.system = holds(row.text("hardware"), "CS-4") ? "cs4" : "wse3";
    one.tokens_per_s = row.real("tokens_per_s", {1e-3, 1e7});
    const std::optional<std::int64_t> prompt = prompt_tokens(std::string(row.text("prompt_or_context")));
    one.context_tokens = prompt.value_or(kUnstatedPrompt);
    one.context_stated = prompt.has_value();
    if (row.text("precision").starts_with("16-bit") || row.text("precision").starts_with("fp16")) one.weight_bits = 16;
    one.speculates = !row.text("speculative_decoding").starts_with("no");
    found.rows.push_back(std::move(one));
  }
  return found;
}

std::vector<EndpointRow> published_speeds_of(const std::string& model, const std::string& system) {
  std::vector<EndpointRow> rows = read_endpoint_rows(data_dir("traces/published") / "endpoint_speeds.csv").rows;
  std::erase_if(rows, [&](const EndpointRow& row) { return row.model != model || row.system != system; });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const EndpointRow& a, const EndpointRow& b) { return a.date < b.date; });
  return rows;
}

}  // namespace waferline::traces
