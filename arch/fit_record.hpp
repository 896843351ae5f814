#pragma once
// What a calibration leaves behind in the profile it writes.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace waferline {

/// One point of a fit. Error is predicted against measured, (predicted - measured) / measured, in percent.
struct FitResidual {
  std::string id;
  double error_pct = 0;
  bool operator==(const FitResidual&) const = default;
};

/// Which rows a profile was fitted on, with how many constants, and how well it does on them and on rows left out.
struct FitRecord {
  std::string fit_class;          // class of the rows, e.g. "vllm-tp" or "waferllm-decode"
  std::string data;               // data set and file, e.g. "traces/published/gpu_decode.csv"
  std::int64_t points = 0;        // rows fitted on
  std::int64_t constants = 0;     // constants fitted together
  double mean_abs_error_pct = 0;  // over the rows fitted on
  double worst_abs_error_pct = 0;
  std::string worst_id;  // row with the worst error; may be empty
  std::optional<double> held_out_mean_abs_error_pct;
  std::optional<double> held_out_worst_abs_error_pct;
  std::optional<double>
      bound_mean_abs_error_pct;        // error of the pure bandwidth bound on the same rows, where there is one
  std::vector<FitResidual> residuals;  // one for each row fitted on; may be empty
  bool operator==(const FitRecord&) const = default;
};

}  // namespace waferline
