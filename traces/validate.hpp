#pragma once
// Predictions beside published measurements: named sets, each a file of measured rows and the model that predicts them.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waferline::traces {

/// One measured value and what the model says.
struct ValidationPoint {
  std::string id;
  std::string split;  ///< "fitted", "held out", a class, or empty
  std::string unit;
  double measured = 0;
  double predicted = 0;
  double error_pct = 0;  ///< (predicted - measured) / measured, in percent
};

/// A row that was not predicted, and why. Nothing is left out without an entry here.
struct SkippedRow {
  std::string id;
  std::string reason;
};

/// Errors over a part of a set, e.g. one engine class.
struct ValidationGroup {
  std::string name;
  std::int64_t rows = 0;
  std::int64_t constants = 0;
  double mean_abs_error_pct = 0;
  double worst_abs_error_pct = 0;
  std::optional<double> held_out_mean_abs_error_pct;       ///< repeated splits by configuration
  std::optional<double> held_out_rows_mean_abs_error_pct;  ///< repeated splits by row
  std::optional<double> bound_mean_abs_error_pct;          ///< pure bandwidth bound on the same rows
};

/// All points of one set.
struct ValidationSet {
  std::string name;
  std::int64_t rows = 0;       ///< points predicted
  std::int64_t constants = 0;  ///< constants fitted for these predictions
  double mean_abs_error_pct = 0;
  double worst_abs_error_pct = 0;
  std::vector<ValidationPoint> points;
  std::vector<ValidationGroup> groups;
  std::vector<SkippedRow> skipped;
  std::vector<std::string> notes;  ///< what a reader must know, e.g. which terms were calibrated on these rows
};

/// A point with its error. Preconditions: measured > 0.
ValidationPoint make_point(std::string id, std::string split, std::string unit, double measured, double predicted);

/// A set with its errors computed from the points.
ValidationSet make_validation_set(std::string name, std::int64_t constants, std::vector<ValidationPoint> points);

/// One entry of the table of sets.
struct ValidationEntry {
  std::string_view name;
  std::string_view file;  ///< CSV file in the data folder
  std::string_view what;
  ValidationSet (*run)(const std::filesystem::path& data_folder);
};

/// All sets, in the order in which they are shown.
std::span<const ValidationEntry> validation_entries();

/// Runs the sets of these names (all, if there are none) on the files in `data_folder` (the published ones, if it is
/// empty). A set that was not named and whose file is not there is left out with a note.
/// Errors: ConfigError for an unknown name, a named set without its file, or a file that cannot be read.
std::vector<ValidationSet> run_validation(const std::vector<std::string>& names,
                                          const std::filesystem::path& data_folder = {});

}  // namespace waferline::traces
