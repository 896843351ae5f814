// Follows: docs/model/20-wafer.md, F29 and F30.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "arch/data_dir.hpp"
#include "estimate/least_squares.hpp"
#include "estimate/prefill_kernel.hpp"
#include "models/library.hpp"
#include "traces/validate_sets.hpp"
#include "traces/waferllm_rows.hpp"

namespace waferline::traces {
namespace {

constexpr std::string_view kFile = "waferllm_measured.csv";

std::set<std::string> fitted_ids(const SoftwareProfile& software) {
  std::set<std::string> ids;
  if (!software.fit) return ids;
  for (const FitResidual& residual : software.fit->residuals) ids.insert(residual.id);
  return ids;
}

ValidationGroup group_of(std::string name, std::int64_t constants, const std::vector<ValidationPoint>& points) {
  const ValidationSet set = make_validation_set(name, constants, points);
  ValidationGroup group;
  group.name = std::move(name);
  group.rows = set.rows;
  group.constants = constants;
  group.mean_abs_error_pct = set.mean_abs_error_pct;
  group.worst_abs_error_pct = set.worst_abs_error_pct;
  return group;
}

std::int64_t constants_of(const SoftwareProfile& software) {
  return software.fit ? software.fit->constants : 0;
}

struct Collected {
  std::vector<ValidationPoint> all;
  std::vector<ValidationGroup> groups;

  void add(std::string name, std::int64_t constants, const std::vector<ValidationPoint>& points) {
    if (points.empty()) return;
    groups.push_back(group_of(std::move(name), constants, points));
    all.insert(all.end(), points.begin(), points.end());
  }
};

void add_kernel(const std::vector<WaferLlmRow>& rows, Collected& collected) {
  const SoftwareProfile software = load_software("waferllm");
  const std::set<std::string> fitted = fitted_ids(software);
  std::vector<ValidationPoint> seen;
  std::vector<ValidationPoint> unseen;
  for (const WaferLlmRow& row : rows) {
    const bool in_fit = fitted.contains(row.id);
    (in_fit ? seen : unseen)
        .push_back(make_point(row.id, in_fit ? "waferllm, fitted" : "waferllm, held out",
                              row.in_cycles ? "cycles" : "tok/s", row.measured, decode_fit_row(row).predict(software)));
  }
  collected.add("WaferLLM on WSE-2, one layer, rows fitted on", constants_of(software), seen);
  collected.add("WaferLLM on WSE-2, other rows (the same in tok/s, other grids, other models)", constants_of(software),
                unseen);
}

void add_engine(const std::vector<WaferEngineRow>& rows, Collected& collected) {
  const SoftwareProfile software = load_software("wafer-engine");
  const std::set<std::string> fitted = fitted_ids(software);
  std::vector<ValidationPoint> points;
  for (const WaferEngineRow& row : rows) {
    points.push_back(make_point(row.id, fitted.contains(row.id) ? "wafer-engine, fitted" : "wafer-engine, held out",
                                row.what == WaferEngineRow::What::slope ? "us/token/token" : "us", row.measured_us,
                                engine_fit_row(row).predict(software)));
  }
  collected.add("full decode of Qwen3-1.7B on WSE-3", constants_of(software), points);
}

/// A prefill row with its counts; the measured value is turned into cycles of one layer.
struct PrefillPoint {
  WaferLlmRow row;
  FitRow fit;
  double cycles_to_unit = 1;  ///< of a row in tok/s: predicted = this / cycles
};

PrefillPoint prefill_point(const WaferLlmRow& row) {
  const models::Model model = models::load_model(row.model);
  const estimate::PrefillKernelCounts counts = estimate::count_prefill(
      {model.hidden_size, model.layers.front().ffns.front().width, row.tokens, row.pes_per_side, 4});
  PrefillPoint point{row, {row.id, {counts.instructions, counts.rotations}, counts.arithmetic, row.measured}, 1};
  if (!row.in_cycles) {
    point.cycles_to_unit =
        static_cast<double>(row.tokens) * kWaferLlmClockHz / static_cast<double>(model.layers.size());
    point.fit.measured = point.cycles_to_unit / row.measured;
  }
  return point;
}

}  // namespace

LinearFit fit_waferllm_prefill() {
  std::vector<FitRow> rows;
  for (const WaferLlmRow& row : read_waferllm_rows(data_dir("traces/published") / kFile).prefill) {
    if (row.in_cycles) rows.push_back(prefill_point(row).fit);
  }
  return fit_relative(rows);
}

ValidationSet validate_waferllm_decode(const std::filesystem::path& data_folder) {
  WaferLlmRows rows = read_waferllm_rows(data_folder / kFile);
  Collected collected;
  add_kernel(rows.decode, collected);
  add_engine(rows.engine, collected);
  const std::int64_t constants = constants_of(load_software("waferllm")) + constants_of(load_software("wafer-engine"));
  ValidationSet set = make_validation_set("waferllm-decode", constants, std::move(collected.all));
  set.groups = std::move(collected.groups);
  set.skipped = std::move(rows.skipped);
  set.notes = {
      "WaferLLM: the released kernel, one head as wide as the model and K, V of full width; one layer, no head, no "
      "sampling",
      "WaferLLM's two constants, overhead of a vector instruction and of a stage, were calibrated on the cycle rows of "
      "Table 4",
      "engine: its overheads (tied), the cost of an exponential (from the slope) and the time outside the layers "
      "(head, top-k "
      "and feedback beyond the steps counted) were calibrated on these rows"};
  return set;
}

ValidationSet validate_waferllm_prefill(const std::filesystem::path& data_folder) {
  WaferLlmRows rows = read_waferllm_rows(data_folder / kFile);
  const LinearFit fit = fit_waferllm_prefill();
  std::vector<ValidationPoint> points;
  for (const WaferLlmRow& row : rows.prefill) {
    const PrefillPoint point = prefill_point(row);
    const double cycles = predict(point.fit, fit.coefficients);
    points.push_back(make_point(row.id, "", row.in_cycles ? "cycles" : "tok/s", row.measured,
                                row.in_cycles ? cycles : point.cycles_to_unit / cycles));
  }
  ValidationSet set = make_validation_set("waferllm-prefill", 2, std::move(points));
  set.skipped = std::move(rows.skipped);
  set.notes = {fmt::format(
      "two constants fitted on the published cycle rows: {:.1f} cycles a vector instruction, {:.0f} a rotation",
      fit.coefficients[0], fit.coefficients[1])};
  return set;
}

}  // namespace waferline::traces
