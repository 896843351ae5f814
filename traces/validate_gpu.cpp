#include <fmt/format.h>

#include <cmath>
#include <set>

#include "arch/data_dir.hpp"
#include "estimate/gpu.hpp"
#include "traces/gpu_rows.hpp"
#include "traces/validate_sets.hpp"

namespace waferline::traces {
namespace {

constexpr std::string_view measured_file = "gpu_decode_measured.csv";
constexpr double milliseconds = 1e3;

/// Errors of some rows of one class.
class Errors {
 public:
  void add(double error_pct, double bound_error_pct) {
    ++group_.rows;
    sum_ += std::abs(error_pct);
    bound_sum_ += std::abs(bound_error_pct);
    group_.worst_abs_error_pct = std::max(group_.worst_abs_error_pct, std::abs(error_pct));
  }

  ValidationGroup group(std::string name, std::int64_t constants) const {
    ValidationGroup group = group_;
    group.name = std::move(name);
    group.constants = constants;
    group.mean_abs_error_pct = sum_ / static_cast<double>(group.rows);
    group.bound_mean_abs_error_pct = bound_sum_ / static_cast<double>(group.rows);
    return group;
  }

  bool empty() const { return group_.rows == 0; }

 private:
  ValidationGroup group_;
  double sum_ = 0;
  double bound_sum_ = 0;
};

std::set<std::string> fitted_ids(const GpuEngine& engine) {
  std::set<std::string> ids;
  for (const FitResidual& residual : engine.fit.residuals) ids.insert(residual.id);
  return ids;
}

/// Errors on configurations and rows left out, from the published rows on which the shipped profile was fitted.
void add_holdouts(ValidationGroup& group, const std::string& class_name) {
  const GpuCalibration calibration = calibrate_gpu_class(data_dir("traces/published") / measured_file, class_name);
  if (calibration.by_configuration) group.held_out_mean_abs_error_pct = calibration.by_configuration->mean;
  if (calibration.by_row) group.held_out_rows_mean_abs_error_pct = calibration.by_row->mean;
}

}  // namespace

ValidationSet validate_gpu(const std::filesystem::path& data_folder) {
  const GpuRows rows = read_gpu_rows(data_folder / measured_file);
  std::vector<ValidationPoint> points;
  std::vector<ValidationGroup> groups;
  std::int64_t constants = 0;
  for (const auto& [name, class_rows] : rows.by_class) {
    const GpuEngine engine = load_gpu_engine(name);
    const std::set<std::string> fitted = fitted_ids(engine);
    Errors all;
    Errors unseen;
    for (const GpuRow& row : class_rows) {
      const GpuEstimate estimate = estimate_gpu(row.workload, row.gpu, row.devices, engine, row.load);
      const bool seen = fitted.contains(row.id);
      points.push_back(make_point(row.id, fmt::format("{}, {}", name, seen ? "fitted" : "held out"), "ms",
                                  row.measured.value * milliseconds, estimate.expected.value * milliseconds));
      const double bound_error = (estimate.bound / row.measured - 1) * 100;
      all.add(points.back().error_pct, bound_error);
      if (!seen) unseen.add(points.back().error_pct, bound_error);
    }
    groups.push_back(all.group(name, engine.fit.constants));
    add_holdouts(groups.back(), name);
    if (!unseen.empty()) groups.push_back(unseen.group(name + ", rows not in the fit", engine.fit.constants));
    constants += engine.fit.constants;
  }
  ValidationSet set = make_validation_set("gpu", constants, std::move(points));
  set.groups = std::move(groups);
  set.skipped = rows.skipped;
  set.notes = {
      "each class has its own five constants, fitted on the published rows; \"held out\" rows are not among them",
      "held-out errors: 20 splits that leave out 30 % of the configurations (model, format, GPU, count) or of the rows",
      "bound: bytes over nominal bandwidth"};
  return set;
}

}  // namespace waferline::traces
