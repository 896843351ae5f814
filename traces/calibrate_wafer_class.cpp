#include "traces/calibrate_wafer_class.hpp"

#include <fmt/format.h>

#include <array>

#include "arch/error.hpp"
#include "traces/endpoint_model.hpp"
#include "traces/waferllm_rows.hpp"

namespace waferline::traces {
namespace {

constexpr std::array<std::string_view, 4> kClasses{"waferllm", "wafer-engine", "service-2024", "service-2026"};
constexpr std::string_view kKernelFile = "waferllm_measured.csv";
constexpr std::string_view kServiceFile = "endpoint_speeds.csv";

SoftwareProfile fit_waferllm(const WaferLlmRows& rows, const SoftwareProfile& start, const std::string& data) {
  std::vector<estimate::WaferFitRow> fit_rows;
  for (const WaferLlmRow& row : rows.decode) {
    if (row.in_cycles) fit_rows.push_back(decode_fit_row(row));
  }
  const std::array knobs{estimate::vector_instruction_knob(), estimate::stage_knob()};
  return estimate::calibrate_profile(start, fit_rows, knobs, "waferllm", data,
                                     "WaferLLM, OSDI 2025, Table 4, cycles of a layer")
      .profile;
}

SoftwareProfile fit_engine(const WaferLlmRows& rows, const SoftwareProfile& start, const std::string& data) {
  std::vector<estimate::WaferFitRow> fit_rows;
  for (const WaferEngineRow& row : rows.engine) fit_rows.push_back(engine_fit_row(row));
  const std::array knobs{estimate::tied_overhead_knob(), estimate::exponential_knob(), estimate::fixed_time_knob()};
  return estimate::calibrate_profile(start, fit_rows, knobs, "wafer-engine", data,
                                     "WaferEngine, Qwen3-1.7B with real weights on WSE-3 (public engineering notes)")
      .profile;
}

}  // namespace

SoftwareProfile starting_point(const std::string& class_name) {
  constexpr Cycles kOverhead{25};
  constexpr Cycles kExponential{10};
  SoftwareProfile profile = load_software(class_name);
  profile.vector_instruction_overhead.value = kOverhead;
  profile.stage_overhead.value = kOverhead;
  profile.fit.reset();
  if (class_name == "service-2026") {
    profile.exponential_per_element.value = kExponential;
    profile.fixed_per_token.value = Seconds{};
    profile.accepted_tokens = Sourced<double>{1, {}, {}};
  }
  if (class_name == "wafer-engine") {
    profile.exponential_per_element.value = kExponential;
    profile.fixed_per_token.value = Seconds{};
  }
  return profile;
}

std::span<const std::string_view> wafer_classes() {
  return kClasses;
}

std::string_view data_file_of(const std::string& class_name) {
  if (class_name == "waferllm" || class_name == "wafer-engine") return kKernelFile;
  if (class_name == "service-2024" || class_name == "service-2026") return kServiceFile;
  throw ConfigError(fmt::format("class \"{}\" is no wafer software that is fitted (known: {})", class_name,
                                fmt::join(kClasses, ", ")));
}

SoftwareProfile calibrate_wafer_class(const std::filesystem::path& data_file, const std::string& class_name) {
  const std::string_view file = data_file_of(class_name);
  const std::string data = data_file.filename().string();
  const SoftwareProfile start = starting_point(class_name);
  try {
    if (file == kServiceFile) {
      const bool speculates = class_name == "service-2026";
      const EndpointRows rows = read_endpoint_rows(data_file);
      return calibrate_service(start, rows_of_era(rows.rows, speculates), speculates, data).profile;
    }
    const WaferLlmRows rows = read_waferllm_rows(data_file);
    return class_name == "waferllm" ? fit_waferllm(rows, start, data) : fit_engine(rows, start, data);
  } catch (const std::invalid_argument& problem) {
    throw ConfigError(fmt::format("{}: class {}: {}", data_file.string(), class_name, problem.what()));
  }
}

}  // namespace waferline::traces
