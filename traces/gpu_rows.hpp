#pragma once
// Measured decode speeds of GPUs, from CSV to rows that a calibration takes.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "estimate/calibrate_gpu.hpp"
#include "traces/validate.hpp"

namespace waferline::traces {

/// Rows by engine class (column `fit_class`), and what was left out with the reason.
struct GpuRows {
  std::map<std::string, std::vector<GpuRow>> by_class;
  std::vector<SkippedRow> skipped;
};

/// Classes that `tables` describes (gpu_classes.csv), sorted by name.
/// `tables`: folder with gpu_classes.csv, gpu_models.csv, gpu_names.csv and gpu_row_rules.csv; empty: the published
/// ones.
std::vector<GpuClass> read_gpu_classes(const std::filesystem::path& tables = {});

/// Reads measured rows. Rows are left out, with their reason, if they have no class or an unknown one, an unknown model
/// or GPU, no count of devices, no bytes of weights, if a rule of gpu_row_rules.csv or their own column `use` says so,
/// or if they are faster than their bytes over nominal bandwidth. Residuals play no part in it. Errors: ConfigError for
/// a missing column or a number that is none or out of range.
GpuRows read_gpu_rows(const std::filesystem::path& measured, const std::filesystem::path& tables = {});

/// Calibrates one class on the rows of a file; `to_toml(result.engine)` is the profile.
/// Errors: ConfigError if the class is not described, naming the nearest, or has fewer rows than constants.
GpuCalibration calibrate_gpu_class(const std::filesystem::path& measured, const std::string& class_name,
                                   const std::filesystem::path& tables = {});

}  // namespace waferline::traces
