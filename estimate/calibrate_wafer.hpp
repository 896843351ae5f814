#pragma once
// From measured times on wafers to the constants of a software profile.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/software.hpp"

namespace waferline::estimate {

/// One measured value and the model that predicts it, in the same unit.
struct WaferFitRow {
  std::string id;
  std::string group;  ///< rows that are left out together, e.g. of one model
  double measured = 0;
  std::function<double(const SoftwareProfile&)> predict;
};

/// One constant that is fitted. Several fields of a profile may be tied to it.
struct WaferKnob {
  std::string key;                                    ///< as in the profile's file
  std::function<void(SoftwareProfile&, double)> set;  ///< writes the value
  std::function<double(const SoftwareProfile&)> get;  ///< reads it
  double lowest = 0;                                  ///< set by physics
  double step = 1;                                    ///< for difference quotients, in the constant's unit
  std::function<void(SoftwareProfile&, const Band<double>&, const Provenance&)> describe;  ///< writes band and source
};

/// vector_instruction_overhead_cycles and stage_overhead_cycles, each alone, or tied to one value.
WaferKnob vector_instruction_knob();
WaferKnob stage_knob();
WaferKnob tied_overhead_knob();
WaferKnob exponential_knob();
WaferKnob fixed_time_knob();
/// Share of a pass that a token costs, 1 / accepted_tokens, at least `lowest`.
WaferKnob pass_share_knob(double lowest);

/// What a fit leaves.
struct WaferFit {
  SoftwareProfile profile;         ///< with values, bands, provenance and the record of the fit
  std::vector<double> values;      ///< of the knobs
  std::vector<double> errors_pct;  ///< of each row
  double mean_abs_error_pct = 0;
  double worst_abs_error_pct = 0;
};

/// Values of the knobs that minimise the squared relative errors of the rows, each row weighted by 1 / rows of its
/// group if `equal_groups`. Gauss-Newton on F23, each step a non-negative least squares problem. Errors:
/// std::invalid_argument if there are fewer rows than knobs.
WaferFit fit_profile(const SoftwareProfile& start, std::span<const WaferFitRow> rows, std::span<const WaferKnob> knobs,
                     bool equal_groups = false);

/// As `fit_profile`, and writes into the profile the band of each constant (its least and greatest value when one group
/// of rows after the other is left out, and the fitted one), its provenance, and the record.
WaferFit calibrate_profile(const SoftwareProfile& start, std::span<const WaferFitRow> rows,
                           std::span<const WaferKnob> knobs, const std::string& fit_class, const std::string& data,
                           const std::string& source, bool equal_groups = false);

}  // namespace waferline::estimate
