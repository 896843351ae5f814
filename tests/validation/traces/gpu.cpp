// How far the GPU engine model is from what was measured, and what it may not exceed.
#include <algorithm>
#include <cmath>

#include "estimate/gpu_choice.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reference_data.hpp"
#include "traces/gpu_rows.hpp"
#include "traces/validate.hpp"

using namespace waferline;
using namespace waferline::traces;

namespace {

constexpr double required_mean_error_pct = 7;
constexpr std::int64_t rows_of_a_required_class = 30;

const std::vector<GpuCalibration>& calibrations() {
  static const std::vector<GpuCalibration> all = [] {
    std::vector<GpuCalibration> result;
    const auto measured = tests::source_dir() / "traces/published/gpu_decode_measured.csv";
    for (const GpuClass& gpu_class : read_gpu_classes())
      result.push_back(calibrate_gpu_class(measured, gpu_class.name));
    return result;
  }();
  return all;
}

}  // namespace

TEST_CASE("on configurations left out every class of 30 rows or more is within 7 % on average, and the bound is not") {
  std::int64_t classes = 0;
  for (const GpuCalibration& calibration : calibrations()) {
    if (calibration.engine.fit.points < rows_of_a_required_class) continue;
    ++classes;
    INFO(calibration.engine.name << ": configurations left out " << calibration.by_configuration->mean
                                 << " %, rows left out " << calibration.by_row->mean << " %, bound "
                                 << calibration.bound_mean_abs_error_pct << " %");
    CHECK(calibration.by_configuration->mean <= required_mean_error_pct);
    CHECK(calibration.by_row->mean <= required_mean_error_pct);
    CHECK(calibration.bound_mean_abs_error_pct > 4 * calibration.by_configuration->mean);
    CHECK(calibration.engine.fit.constants == 5);
  }
  CHECK(classes == 10);
}

TEST_CASE("the band for a GPU that no row is of is as much wider as errors on GPUs left out are larger") {
  double largest = 0;
  for (const GpuCalibration& calibration : calibrations()) {
    if (calibration.engine.fit.points < rows_of_a_required_class || !calibration.by_gpu) continue;
    largest = std::max(largest, calibration.by_gpu->mean / calibration.by_configuration->mean);
  }
  INFO("errors on GPUs left out are up to " << largest << " times those on configurations left out");
  CHECK(largest > other_gpu_widening - 1);
  CHECK(largest <= other_gpu_widening);
}

TEST_CASE("nine of ten measured rows lie in the band of their prediction") {
  std::int64_t inside = 0;
  std::int64_t rows = 0;
  const GpuRows measured = read_gpu_rows(tests::source_dir() / "traces/published/gpu_decode_measured.csv");
  for (const auto& [name, class_rows] : measured.by_class) {
    const GpuEngine engine = load_gpu_engine(name);
    for (const GpuRow& row : class_rows) {
      const GpuEstimate estimate = estimate_gpu(row.workload, row.gpu, row.devices, engine, row.load);
      ++rows;
      if (row.measured >= estimate.low && row.measured <= estimate.high) ++inside;
    }
  }
  INFO(inside << " of " << rows);
  CHECK(static_cast<double>(inside) >= 0.9 * static_cast<double>(rows));
}

TEST_CASE("the set on the published rows repeats the errors that the profiles record") {
  const ValidationSet set = run_validation({"gpu"}).front();
  CHECK(set.rows == 1038);
  CHECK(set.skipped.size() == 1);
  CHECK(set.mean_abs_error_pct < 5);
  for (const ValidationGroup& group : set.groups) {
    const FitRecord fit = load_gpu_engine(group.name).fit;
    INFO(group.name);
    CHECK(group.rows == fit.points);
    CHECK(group.mean_abs_error_pct == Approx(fit.mean_abs_error_pct).epsilon(1e-6));
    CHECK(group.bound_mean_abs_error_pct.value() == Approx(fit.bound_mean_abs_error_pct.value()).epsilon(1e-6));
    CHECK(group.held_out_mean_abs_error_pct.value() == Approx(fit.held_out_mean_abs_error_pct.value()).epsilon(1e-6));
  }
}

TEST_CASE("every row of the whole reference file is predicted or left out with a reason") {
  WAFERLINE_REQUIRE_REFERENCE(reference);
  const ValidationSet set = run_validation({"gpu"}, reference).front();
  CHECK(set.rows + std::ssize(set.skipped) == 1939);
  CHECK(set.rows == 1038);
  for (const SkippedRow& row : set.skipped) CHECK_FALSE(row.reason.empty());
}
