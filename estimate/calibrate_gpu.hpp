#pragma once
// From measured rows of one engine class to its five constants, with residuals and errors on configurations left out.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/gpu.hpp"
#include "arch/gpu_engine.hpp"
#include "estimate/gpu.hpp"

namespace waferline {

/// One measured time per output token.
struct GpuRow {
  std::string id;
  std::string configuration;  ///< model, format, GPU and count: rows of one configuration are left out together
  GpuWorkload workload;
  Gpu gpu;
  std::int64_t devices = 1;
  GpuLoad load;
  Seconds measured;
};

/// What is known of a class before the fit.
struct GpuClass {
  std::string name;
  std::string description;
  std::string data;  ///< file and class that the rows come from
  EngineTraits traits;
  bool unit_limited = false;  ///< fit a read limit of compute units in place of the allreduce
  std::vector<std::string> unit_architectures;
};

/// Mean errors, in percent, over 20 fixed splits that leave out 30 %.
struct HoldoutErrors {
  double mean = 0;
  double best = 0;   ///< split with the least mean error
  double worst = 0;  ///< split with the largest mean error
  double worst_row = 0;
};

struct GpuCalibration {
  GpuEngine engine;  ///< with residuals and provenance
  std::optional<HoldoutErrors> by_configuration;
  std::optional<HoldoutErrors> by_row;
  std::optional<HoldoutErrors> by_gpu;  ///< each GPU left out in turn; nothing if all rows are of one GPU
  double bound_mean_abs_error_pct = 0;  ///< error of the bandwidth bound on the same rows
  std::int64_t configurations = 0;
};

/// Fits the constants of one class: least squares on relative error, fractions of bandwidth at most one.
/// Method:  F42 is linear in 1/e_w, 1/e_kv, o, a and c. What is known of them beforehand counts as one row each. A read
///          limit of compute units is found by trying values in steps of a quarter byte per cycle. A constant on which
///          the rows are silent (no allreduce, hardly any cache) keeps its expected value and is marked as assumed.
/// Errors:  std::invalid_argument for fewer rows than constants.
GpuCalibration calibrate_gpu_engine(std::span<const GpuRow> rows, const GpuClass& gpu_class);

}  // namespace waferline
