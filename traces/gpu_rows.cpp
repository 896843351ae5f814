#include "traces/gpu_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "arch/error.hpp"
#include "arch/object_reader.hpp"
#include "traces/gpu_tables.hpp"

namespace waferline::traces {
namespace {

constexpr RealRange token_range{0, 1e8};
constexpr std::string_view weights_column = "weight_GB_streamed_per_token_my_derivation";

std::string configuration_of(const CsvRow& row) {
  return fmt::format("{} | {} | {} | {}", row.text("model"), row.text("quant_dtype"), row.text("gpu"),
                     row.text("n_devices"));
}

std::string id_of(const CsvRow& row) {
  return fmt::format("{}: {} | batch {} | {} + {} tokens", row.text("row"), configuration_of(row),
                     row.text("batch_or_concurrency"), row.text("prompt_tokens"), row.text("output_tokens"));
}

bool is_count(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool applies(const GpuRowRule& rule, const CsvRow& row) {
  if (!rule.gpu.empty() && row.text("gpu") != rule.gpu) return false;
  if (rule.min_output_tokens &&
      (row.empty("output_tokens") || row.integer("output_tokens", {0, 100'000'000}) < *rule.min_output_tokens))
    return false;
  return row.text(rule.column).find(rule.contains) != std::string_view::npos;
}

/// Why a row cannot or must not be used, or nothing.
std::string reason_to_skip(const CsvRow& row, const CsvTable& table, const GpuTables& tables) {
  if (row.empty("fit_class")) return "no engine class";
  if (!tables.classes.contains(std::string(row.text("fit_class"))))
    return fmt::format("engine class {} is not described in gpu_classes.csv", row.text("fit_class"));
  if (table.has_column("use") && row.text("use") != "yes" && !row.empty("use")) return std::string(row.text("use"));
  for (const GpuRowRule& rule : tables.rules) {
    if (applies(rule, row)) return rule.reason;
  }
  if (!tables.models.contains(std::string(row.text("model"))))
    return fmt::format("model {} is not in gpu_models.csv", row.text("model"));
  if (!tables.gpus.contains(std::string(row.text("gpu"))))
    return fmt::format("GPU {} is not in gpu_names.csv", row.text("gpu"));
  if (!is_count(row.text("n_devices"))) return fmt::format("\"{}\" devices is no count", row.text("n_devices"));
  if (!is_count(row.text("batch_or_concurrency")))
    return fmt::format("batch \"{}\" is no count", row.text("batch_or_concurrency"));
  if (row.empty(weights_column)) return "no bytes of weights";
  return {};
}

GpuWorkload workload_of(const CsvRow& row, const GpuModelSizes& model, std::int64_t kv_bits, std::int64_t context) {
  GpuWorkload workload;
  workload.name = row.text("model");
  workload.weights_read = Bytes{static_cast<std::int64_t>(row.real(weights_column, {1e-3, 1e5}) * 1e9)};
  workload.weights_kept = workload.weights_read;
  const Bytes cache{model.kv_elements_per_token * kv_bits / 8 * context};
  workload.kv = {{cache, cache, model.kv_heads, std::max<std::int64_t>(1, model.heads / model.kv_heads)}};
  workload.layers = model.layers;
  workload.hidden_size = model.hidden_size;
  workload.flops_per_token = 2 * model.active_decoder_parameters;
  workload.flops_per_pair = 4.0 * static_cast<double>(model.layers * model.heads * model.head_dim);
  const MultiplyFormat format = multiply_format(row.text("quant_dtype"));
  workload.multiply_type = format.type;
  workload.layer_quantisations = format.layer_quantisations;
  return workload;
}

GpuLoad load_of(const CsvRow& row, std::int64_t context) {
  const std::string_view note = row.text("note");
  GpuLoad load;
  load.context_tokens = context;
  load.batch = row.real("batch_or_concurrency", {1, 1e6});
  load.prompt_tokens = row.optional_real("prompt_tokens", token_range).value_or(0);
  load.output_tokens = row.optional_real("output_tokens", token_range).value_or(0);
  load.prefill_included = note.find("includes prefill") != std::string_view::npos;
  load.closed_loop = note.find("concurrency") != std::string_view::npos;
  return load;
}

}  // namespace

std::vector<GpuClass> read_gpu_classes(const std::filesystem::path& tables) {
  std::vector<GpuClass> classes;
  for (const auto& [name, entry] : read_gpu_tables(tables).classes) classes.push_back(entry.gpu_class);
  return classes;
}

GpuRows read_gpu_rows(const std::filesystem::path& measured, const std::filesystem::path& tables_folder) {
  const GpuTables tables = read_gpu_tables(tables_folder);
  const CsvTable table = read_csv_file(measured);
  table.require_columns({"row", "model", "quant_dtype", "gpu", "n_devices", "batch_or_concurrency", "prompt_tokens",
                         "output_tokens", "mean_context_tokens", "ms_per_token", "speculative", "note", weights_column,
                         "fit_class"});
  GpuRows rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const CsvRow csv = table.row(i);
    if (std::string reason = reason_to_skip(csv, table, tables); !reason.empty()) {
      rows.skipped.push_back({id_of(csv), std::move(reason)});
      continue;
    }
    const GpuClassEntry& entry = tables.classes.at(std::string(csv.text("fit_class")));
    const auto context = static_cast<std::int64_t>(csv.real("mean_context_tokens", token_range));
    GpuRow row;
    row.id = id_of(csv);
    row.configuration = configuration_of(csv);
    row.workload = workload_of(csv, tables.models.at(std::string(csv.text("model"))), entry.kv_bits, context);
    row.gpu = tables.gpus.at(std::string(csv.text("gpu")));
    row.devices = csv.integer("n_devices", {1, 100'000});
    row.load = load_of(csv, context);
    row.measured = Seconds{csv.real("ms_per_token", {1e-6, 1e9}) * 1e-3};
    const GpuTerms terms = gpu_terms(row.workload, row.gpu, row.devices, entry.gpu_class.traits, row.load);
    if (row.measured < terms.bound) {
      rows.skipped.push_back({row.id, "faster than its bytes over nominal bandwidth: speculative or wrong"});
      continue;
    }
    rows.by_class[entry.gpu_class.name].push_back(std::move(row));
  }
  return rows;
}

GpuCalibration calibrate_gpu_class(const std::filesystem::path& measured, const std::string& class_name,
                                   const std::filesystem::path& tables) {
  std::vector<std::string> names;
  for (const GpuClass& gpu_class : read_gpu_classes(tables)) {
    if (gpu_class.name != class_name) {
      names.push_back(gpu_class.name);
      continue;
    }
    const GpuRows rows = read_gpu_rows(measured, tables);
    const auto found = rows.by_class.find(class_name);
    const std::size_t count = found == rows.by_class.end() ? 0 : found->second.size();
    if (count < 5) {
      throw ConfigError(fmt::format("{}: class {} has {} usable rows (at least 5 are needed for five constants)",
                                    measured.string(), class_name, count));
    }
    return calibrate_gpu_engine(found->second, gpu_class);
  }
  const std::string nearest = nearest_name(class_name, names);
  throw ConfigError(fmt::format("no engine class \"{}\" in gpu_classes.csv ({})", class_name,
                                nearest.empty() ? fmt::format("known: {}", fmt::join(names, ", "))
                                                : fmt::format("did you mean \"{}\"?", nearest)));
}

}  // namespace waferline::traces
