// The shipped engine profiles are what the calibration makes of the published rows, and the table of errors in the
// documentation is what it measured: both are remade here and compared.
#include <fmt/format.h>

#include "arch/gpu_engine.hpp"
#include "estimate/gpu_choice.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"
#include "traces/gpu_rows.hpp"

using namespace waferline;
using namespace waferline::tests;

namespace {

std::vector<GpuCalibration> calibrate_all() {
  const auto measured = source_dir() / "traces/published/gpu_decode_measured.csv";
  std::vector<GpuCalibration> calibrations;
  for (const GpuClass& gpu_class : traces::read_gpu_classes(source_dir() / "traces/published"))
    calibrations.push_back(traces::calibrate_gpu_class(measured, gpu_class.name));
  return calibrations;
}

std::string percent(const std::optional<HoldoutErrors>& errors) {
  return errors ? fmt::format("{:.1f}", errors->mean) : "one only";
}

std::string range(const std::optional<HoldoutErrors>& errors) {
  return errors ? fmt::format("{:.1f} ({:.1f} to {:.1f})", errors->mean, errors->best, errors->worst) : "one only";
}

std::string table_of_errors(const std::vector<GpuCalibration>& calibrations) {
  std::string out =
      "# Errors of the GPU engine classes\n\n"
      "Written by `tests/golden/regenerate` from `traces/published/gpu_decode_measured.csv`; do not edit. Mean "
      "absolute\n"
      "error of the time per token, in percent. *Left out*: mean over 20 fixed splits (least and largest split) that "
      "leave\n"
      "out 30 % of the configurations (model, format, GPU, count), or of the rows; *GPU left out*: each GPU of the "
      "class in\n"
      "turn. *Bound*: the same rows against bytes over nominal bandwidth.\n\n"
      "| class | rows | configurations | fitted | worst row | configurations left out | rows left out | GPU left out | "
      "bound |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const GpuCalibration& c : calibrations) {
    const FitRecord& fit = c.engine.fit;
    out += fmt::format("| {} | {} | {} | {:.1f} | {:.1f} | {} | {} | {} | {:.1f} |\n", c.engine.name, fit.points,
                       c.configurations, fit.mean_abs_error_pct, fit.worst_abs_error_pct, range(c.by_configuration),
                       percent(c.by_row), percent(c.by_gpu), c.bound_mean_abs_error_pct);
  }
  out +=
      "\n| class | e_w | e_kv | o, us | a, us | c, us | limit, bytes per unit and cycle "
      "|\n|---|---:|---:|---:|---:|---:|---:|\n";
  for (const GpuCalibration& c : calibrations) {
    const GpuEngine& e = c.engine;
    const auto mark = [](const Provenance& provenance) {
      return provenance.kind == ProvenanceKind::fitted ? "" : " (assumed)";
    };
    out += fmt::format("| {} | {:.2f} | {:.2f}{} | {:.1f} | {:.1f}{} | {:.0f} | {} |\n", e.name,
                       e.weight_bandwidth_fraction.value, e.kv_bandwidth_fraction.value,
                       mark(e.kv_bandwidth_fraction.provenance), e.layer_overhead.value.value * 1e6,
                       e.allreduce.value.value * 1e6, mark(e.allreduce.provenance), e.token_overhead.value.value * 1e6,
                       e.unit_read_limit ? fmt::format("{:.1f}", e.unit_read_limit->bytes_per_cycle.value.value) : "");
  }
  return out;
}

void check_near(double shipped, double remade) {
  CHECK(std::abs(shipped - remade) <= 1e-6 * std::abs(remade) + 1e-15);
}

void check_same(const GpuEngine& shipped, const GpuEngine& remade) {
  INFO(shipped.name);
  check_near(shipped.weight_bandwidth_fraction.value, remade.weight_bandwidth_fraction.value);
  check_near(shipped.kv_bandwidth_fraction.value, remade.kv_bandwidth_fraction.value);
  check_near(shipped.layer_overhead.value.value, remade.layer_overhead.value.value);
  check_near(shipped.allreduce.value.value, remade.allreduce.value.value);
  check_near(shipped.token_overhead.value.value, remade.token_overhead.value.value);
  REQUIRE(shipped.unit_read_limit.has_value() == remade.unit_read_limit.has_value());
  if (shipped.unit_read_limit) {
    check_near(shipped.unit_read_limit->bytes_per_cycle.value.value,
               remade.unit_read_limit->bytes_per_cycle.value.value);
  }
  CHECK(shipped.traits == remade.traits);
  CHECK(shipped.gpus == remade.gpus);
  REQUIRE(shipped.fit.residuals.size() == remade.fit.residuals.size());
  for (std::size_t i = 0; i < remade.fit.residuals.size(); ++i) {
    CHECK(shipped.fit.residuals[i].id == remade.fit.residuals[i].id);
    CHECK(shipped.fit.residuals[i].error_pct == Approx(remade.fit.residuals[i].error_pct).margin(1e-5));
  }
  CHECK(shipped.fit.mean_abs_error_pct == Approx(remade.fit.mean_abs_error_pct).epsilon(1e-6));
}

}  // namespace

TEST_CASE("every shipped engine profile is what the calibration makes of the published rows") {
  for (const GpuCalibration& calibration : calibrate_all()) {
    const auto file = source_dir() / "arch/engines" / (calibration.engine.name + ".toml");
    if (regenerating()) {
      std::ofstream(file, std::ios::binary) << to_toml(calibration.engine);
      continue;
    }
    check_same(parse_gpu_engine(read_whole(file), file.string()), calibration.engine);
  }
}

TEST_CASE("the index of engine profiles is made of them") {
  std::vector<EngineSummary> engines;
  for (const GpuCalibration& calibration : calibrate_all()) engines.push_back(summarise(calibration.engine));
  check_golden("arch/engines/index.json", engine_index_json(engines));
}

TEST_CASE("the table of engine classes in the documentation is the measured one") {
  check_golden("docs/generated/gpu_classes.md", table_of_errors(calibrate_all()));
}
