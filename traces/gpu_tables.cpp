#include "traces/gpu_tables.hpp"

#include <fmt/format.h>

#include "arch/data_dir.hpp"
#include "arch/error.hpp"

namespace waferline::traces {
namespace {

constexpr IntegerRange sizes{1, 1'000'000'000};
constexpr RealRange fraction{0.01, 1};

template <class E>
E word(const CsvRow& row, std::string_view column, std::initializer_list<std::pair<std::string_view, E>> permitted) {
  std::string names;
  for (const auto& [name, value] : permitted) {
    if (row.text(column) == name) return value;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  row.fail(column, fmt::format("\"{}\" is none of {}", row.text(column), names));
}

Sourced<double> assumed(double value, std::string source) {
  return {value, std::nullopt, {ProvenanceKind::assumed, std::move(source), {}, 0, 0}};
}

EngineTraits read_traits(const CsvRow& row) {
  EngineTraits traits;
  traits.engine = row.text("engine");
  traits.measured = row.text("measured");
  traits.device_split =
      word<DeviceSplit>(row, "device_split", {{"tensor", DeviceSplit::tensor}, {"layers", DeviceSplit::layers}});
  traits.allreduce_rounds = word<AllreduceRounds>(
      row, "allreduce_rounds", {{"one_shot", AllreduceRounds::one_shot}, {"tree", AllreduceRounds::tree}});
  traits.kv_reads = word<KvReads>(row, "kv_reads",
                                  {{"per_kv_head", KvReads::per_kv_head}, {"per_query_head", KvReads::per_query_head}});
  traits.admission = word<Admission>(
      row, "admission", {{"whole_request", Admission::whole_request}, {"current_tokens", Admission::current_tokens}});
  const std::string source(row.text("source"));
  traits.memory_fraction = assumed(row.real("memory_fraction", fraction), source);
  // One value each for all classes: what large multiplies and allreduces commonly reach, not fitted to a class.
  traits.arithmetic_fraction =
      assumed(0.65, "0.6 to 0.75 of the dense rate in public reports of large multiplies; one value for all classes");
  traits.link_fraction =
      assumed(0.4, "0.4 to 0.5 of the link rate in public reports of allreduces of 1 MB; one value for all classes");
  traits.layer_kernels = assumed(
      14,
      "norm and multiplies of Q, K, V, rotation, cache write, two for attention, output, allreduce, norm, gate and up, "
      "activation, down, allreduce, two for scales");
  return traits;
}

std::map<std::string, GpuModelSizes> read_models(const CsvTable& table) {
  table.require_columns({"model", "layers", "hidden_size", "heads", "kv_heads", "head_dim", "kv_elements_per_token",
                         "active_decoder_parameters", "source"});
  std::map<std::string, GpuModelSizes> models;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const CsvRow row = table.row(i);
    GpuModelSizes model;
    model.layers = row.integer("layers", sizes);
    model.hidden_size = row.integer("hidden_size", sizes);
    model.heads = row.integer("heads", sizes);
    model.kv_heads = row.integer("kv_heads", sizes);
    model.head_dim = row.integer("head_dim", sizes);
    model.kv_elements_per_token = row.integer("kv_elements_per_token", sizes);
    model.active_decoder_parameters = row.real("active_decoder_parameters", {1, 1e15});
    if (!models.emplace(row.text("model"), model).second) row.fail("model", "stands twice");
  }
  return models;
}

std::map<std::string, Gpu> read_gpus(const CsvTable& table) {
  table.require_columns({"measured_name", "gpu", "units", "note"});
  std::map<std::string, Gpu> gpus;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const CsvRow row = table.row(i);
    Gpu gpu = load_gpu(std::string(row.text("gpu")));
    const auto units = row.optional_integer("units", {1, 100'000});
    if (units && !gpu.units) row.fail("units", fmt::format("{} has no units to count", gpu.name));
    if (units) gpu.units->count.value = *units;
    if (!gpus.emplace(row.text("measured_name"), gpu).second) row.fail("measured_name", "stands twice");
  }
  return gpus;
}

std::map<std::string, GpuClassEntry> read_classes(const CsvTable& table) {
  table.require_columns({"class", "engine", "measured", "description", "device_split", "allreduce_rounds", "kv_reads",
                         "admission", "memory_fraction", "kv_bits", "unit_limit", "source"});
  std::map<std::string, GpuClassEntry> classes;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const CsvRow row = table.row(i);
    GpuClassEntry entry;
    entry.gpu_class.name = row.text("class");
    entry.gpu_class.description = row.text("description");
    entry.gpu_class.data = fmt::format("traces/published/gpu_decode_measured.csv, class {}", row.text("class"));
    entry.gpu_class.traits = read_traits(row);
    entry.gpu_class.unit_limited = !row.empty("unit_limit");
    if (entry.gpu_class.unit_limited && row.text("unit_limit") != "all")
      entry.gpu_class.unit_architectures = {std::string(row.text("unit_limit"))};
    entry.kv_bits = row.integer("kv_bits", {1, 32});
    if (!classes.emplace(row.text("class"), entry).second) row.fail("class", "stands twice");
  }
  return classes;
}

std::vector<GpuRowRule> read_rules(const CsvTable& table) {
  table.require_columns({"column", "contains", "gpu", "min_output_tokens", "reason"});
  std::vector<GpuRowRule> rules;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const CsvRow row = table.row(i);
    if (row.empty("reason")) row.fail("reason", "no row is left out without a reason");
    rules.push_back({std::string(row.text("column")), std::string(row.text("contains")), std::string(row.text("gpu")),
                     row.optional_integer("min_output_tokens", {0, 1'000'000'000}), std::string(row.text("reason"))});
  }
  return rules;
}

}  // namespace

GpuTables read_gpu_tables(const std::filesystem::path& folder) {
  const std::filesystem::path from = folder.empty() ? data_dir("traces/published") : folder;
  return {read_models(read_csv_file(from / "gpu_models.csv")), read_gpus(read_csv_file(from / "gpu_names.csv")),
          read_classes(read_csv_file(from / "gpu_classes.csv")), read_rules(read_csv_file(from / "gpu_row_rules.csv"))};
}

MultiplyFormat multiply_format(std::string_view quant_dtype) {
  constexpr std::int64_t inputs_of_a_layer = 4;  // of Q, K and V, of the output, of gate and up, of down
  if (quant_dtype.starts_with("nvfp4")) return {DType::nvfp4, inputs_of_a_layer};
  if (quant_dtype.starts_with("fp8")) return {DType::fp8_e4m3, 0};
  return {};
}

}  // namespace waferline::traces
