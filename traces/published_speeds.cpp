#include "traces/published_speeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "arch/data_dir.hpp"
#include "arch/error.hpp"
#include "traces/csv.hpp"

namespace waferline::traces {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool same(const std::string& a, const std::string& b) {
  return lower(a) == lower(b);
}

std::string listed(const std::vector<const PublishedSpeed*>& speeds) {
  std::string text;
  for (const PublishedSpeed* speed : speeds) {
    text += fmt::format("\n#{}: {}/{}@{}: {} {} tokens/s, {}, {}", speed->row, speed->provider, speed->model,
                        speed->date, speed->qualifier, speed->tokens_per_s, speed->kind, speed->conditions);
  }
  return text;
}

std::vector<std::string> distinct(const std::vector<PublishedSpeed>& speeds, std::string PublishedSpeed::*field) {
  std::vector<std::string> values;
  for (const PublishedSpeed& speed : speeds) values.push_back(speed.*field);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

[[noreturn]] void fail_unknown(const std::vector<PublishedSpeed>& speeds, const std::string& provider,
                               const std::string& model) {
  std::vector<PublishedSpeed> of_provider;
  for (const PublishedSpeed& speed : speeds) {
    if (same(speed.provider, provider)) of_provider.push_back(speed);
  }
  if (of_provider.empty()) {
    const std::vector<std::string> providers = distinct(speeds, &PublishedSpeed::provider);
    const std::string nearest = nearest_name(provider, providers);
    throw ConfigError(fmt::format("no published speed of provider \"{}\" ({})", provider,
                                  nearest.empty() ? fmt::format("known: {}", fmt::join(providers, ", "))
                                                  : fmt::format("did you mean {}?", nearest)));
  }
  throw ConfigError(fmt::format("{} has no published speed of \"{}\" with that date (known: {})",
                                of_provider.front().provider, model,
                                fmt::join(distinct(of_provider, &PublishedSpeed::model), ", ")));
}

}  // namespace

std::vector<PublishedSpeed> read_published_speeds(const std::filesystem::path& file) {
  const CsvTable table = read_csv_file(file.empty() ? data_dir("traces/published") / "endpoint_speeds.csv" : file);
  table.require_columns({"row", "provider", "hardware", "model", "tokens_per_s", "qualifier", "metric_kind", "date",
                         "prompt_or_context", "price_out_usd_per_M", "source", "reliability"});
  std::vector<PublishedSpeed> speeds;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const CsvRow row = table.row(i);
    const auto text = [&](const char* column) { return std::string(row.text(column)); };
    PublishedSpeed speed;
    speed.row = text("row");
    speed.provider = text("provider");
    speed.hardware = text("hardware");
    speed.model = text("model");
    speed.tokens_per_s = row.real("tokens_per_s", {1e-3, 1e9});
    speed.qualifier = text("qualifier");
    speed.kind = text("metric_kind");
    speed.date = text("date");
    speed.conditions = text("prompt_or_context");
    speed.usd_per_million_output_tokens = row.optional_real("price_out_usd_per_M", {0, 1e6});
    speed.source = text("source");
    speed.reliability = text("reliability");
    speeds.push_back(std::move(speed));
  }
  return speeds;
}

const PublishedSpeed& find_published_speed(const std::vector<PublishedSpeed>& speeds, const std::string& name) {
  const std::size_t at = name.rfind('@');
  const std::string date = at == std::string::npos ? "" : name.substr(at + 1);
  const std::string rest = name.substr(0, at);
  const std::size_t slash = rest.find('/');
  const bool by_row = name.starts_with('#');
  if (!by_row && slash == std::string::npos) {
    throw ConfigError(fmt::format("\"{}\": PROVIDER/MODEL, PROVIDER/MODEL@DATE or #ROW was expected", name));
  }
  const std::string provider = rest.substr(0, slash);
  const std::string model = by_row ? "" : rest.substr(slash + 1);
  std::vector<const PublishedSpeed*> fitting;
  for (const PublishedSpeed& speed : speeds) {
    const bool fits =
        by_row ? speed.row == name.substr(1)
               : same(speed.provider, provider) && same(speed.model, model) && (date.empty() || speed.date == date);
    if (fits) fitting.push_back(&speed);
  }
  if (fitting.size() == 1) return *fitting.front();
  if (fitting.empty() && by_row) throw ConfigError(fmt::format("no published speed has the number {}", name));
  if (fitting.empty()) fail_unknown(speeds, provider, model);
  throw ConfigError(fmt::format("\"{}\" fits {} published speeds, name one by its date or number:{}", name,
                                fitting.size(), listed(fitting)));
}

}  // namespace waferline::traces
