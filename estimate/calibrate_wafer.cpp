// Follows: docs/model/20-wafer.md, F29; C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, 1974,
// chapter 23.
#include "estimate/calibrate_wafer.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "estimate/least_squares.hpp"

namespace waferline::estimate {
namespace {

constexpr int kRounds = 12;

/// Six significant digits: more would say nothing, and files stay readable.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

void measure_errors(WaferFit& fit, std::span<const WaferFitRow> rows) {
  fit.errors_pct.clear();
  fit.mean_abs_error_pct = fit.worst_abs_error_pct = 0;
  for (const WaferFitRow& row : rows) {
    const double error = (row.predict(fit.profile) / row.measured - 1) * 100;
    fit.errors_pct.push_back(error);
    fit.mean_abs_error_pct += std::abs(error) / static_cast<double>(rows.size());
    fit.worst_abs_error_pct = std::max(fit.worst_abs_error_pct, std::abs(error));
  }
}

/// A knob on one field. `Unit` is Cycles or Seconds.
template <class Unit>
WaferKnob field_knob(std::string key, std::vector<Sourced<Unit> SoftwareProfile::*> fields, double step) {
  WaferKnob knob;
  knob.key = std::move(key);
  knob.step = step;
  knob.set = [fields](SoftwareProfile& profile, double value) {
    for (const auto field : fields) (profile.*field).value = Unit{value};
  };
  knob.get = [first = fields.front()](const SoftwareProfile& profile) { return (profile.*first).value.value; };
  knob.describe = [fields](SoftwareProfile& profile, const Band<double>& band, const Provenance& provenance) {
    for (const auto field : fields) {
      (profile.*field).band = Band<Unit>{Unit{band.low}, Unit{band.high}};
      (profile.*field).provenance = provenance;
    }
  };
  return knob;
}

/// Rows as a linear problem around the profile's present constants, each scaled by its weight.
std::vector<FitRow> linearise(const SoftwareProfile& profile, std::span<const WaferFitRow> rows,
                              std::span<const WaferKnob> knobs) {
  std::vector<FitRow> linear;
  for (const WaferFitRow& row : rows) {
    FitRow fit;
    fit.id = row.id;
    fit.measured = row.measured;
    fit.known = row.predict(profile);
    for (const WaferKnob& knob : knobs) {
      SoftwareProfile moved = profile;
      const double value = knob.get(profile);
      knob.set(moved, value + knob.step);
      fit.terms.push_back((row.predict(moved) - row.predict(profile)) / knob.step);
      fit.known -= fit.terms.back() * value;
    }
    linear.push_back(std::move(fit));
  }
  return linear;
}

/// Constants that minimise the weighted squares of the relative residuals.
std::vector<double> solve(const std::vector<FitRow>& rows, const std::vector<double>& weights,
                          std::span<const WaferKnob> knobs) {
  const std::size_t columns = knobs.size();
  std::vector<double> matrix;
  std::vector<double> target;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double scale = weights[i] / rows[i].measured;
    double rest = rows[i].measured - rows[i].known;
    for (std::size_t j = 0; j < columns; ++j) {
      matrix.push_back(rows[i].terms[j] * scale);
      rest -= rows[i].terms[j] * knobs[j].lowest;
    }
    target.push_back(rest * scale);
  }
  std::vector<double> values = nonnegative_least_squares(matrix, rows.size(), columns, target);
  for (std::size_t j = 0; j < columns; ++j) values[j] += knobs[j].lowest;
  return values;
}

std::vector<double> row_weights(std::span<const WaferFitRow> rows, bool equal_groups) {
  std::map<std::string, double> sizes;
  for (const WaferFitRow& row : rows) sizes[row.group] += 1;
  std::vector<double> weights;
  for (const WaferFitRow& row : rows) weights.push_back(equal_groups ? 1 / std::sqrt(sizes[row.group]) : 1);
  return weights;
}

std::vector<WaferFitRow> without(std::span<const WaferFitRow> rows, const std::string& group) {
  std::vector<WaferFitRow> kept;
  for (const WaferFitRow& row : rows) {
    if (row.group != group) kept.push_back(row);
  }
  return kept;
}

/// Range of each constant when each group is left out in turn, the fitted value included.
std::vector<Band<double>> jackknife(const WaferFit& fit, std::span<const WaferFitRow> rows,
                                    std::span<const WaferKnob> knobs, bool equal_groups) {
  std::vector<Band<double>> bands;
  for (const double value : fit.values) bands.push_back({value, value});
  std::set<std::string> groups;
  for (const WaferFitRow& row : rows) groups.insert(row.group);
  for (const std::string& group : groups) {
    const std::vector<WaferFitRow> kept = without(rows, group);
    if (kept.size() < knobs.size()) continue;
    const WaferFit other = fit_profile(fit.profile, kept, knobs, equal_groups);
    for (std::size_t j = 0; j < knobs.size(); ++j) {
      bands[j].low = std::min(bands[j].low, other.values[j]);
      bands[j].high = std::max(bands[j].high, other.values[j]);
    }
  }
  return bands;
}

}  // namespace

WaferKnob vector_instruction_knob() {
  return field_knob<Cycles>("vector_instruction_overhead_cycles", {&SoftwareProfile::vector_instruction_overhead}, 0.5);
}
WaferKnob stage_knob() {
  return field_knob<Cycles>("stage_overhead_cycles", {&SoftwareProfile::stage_overhead}, 0.5);
}
WaferKnob tied_overhead_knob() {
  return field_knob<Cycles>("vector_instruction_overhead_cycles and stage_overhead_cycles, tied",
                            {&SoftwareProfile::vector_instruction_overhead, &SoftwareProfile::stage_overhead}, 0.5);
}
WaferKnob exponential_knob() {
  return field_knob<Cycles>("exponential_cycles_per_element", {&SoftwareProfile::exponential_per_element}, 0.5);
}
WaferKnob fixed_time_knob() {
  return field_knob<Seconds>("fixed_s", {&SoftwareProfile::fixed_per_token}, 1e-6);
}

WaferKnob pass_share_knob(double lowest) {
  WaferKnob knob;
  knob.key = "accepted_tokens";
  knob.step = 0.01;
  knob.lowest = lowest;
  knob.set = [](SoftwareProfile& profile, double share) {
    if (!profile.accepted_tokens) profile.accepted_tokens.emplace();
    profile.accepted_tokens->value = 1 / share;
  };
  knob.get = [](const SoftwareProfile& profile) {
    return profile.accepted_tokens ? 1 / profile.accepted_tokens->value : 1.0;
  };
  knob.describe = [](SoftwareProfile& profile, const Band<double>& band, const Provenance& provenance) {
    profile.accepted_tokens->band = Band<double>{rounded(1 / band.high), rounded(1 / band.low)};
    profile.accepted_tokens->value = rounded(profile.accepted_tokens->value);
    profile.accepted_tokens->provenance = provenance;
  };
  return knob;
}

WaferFit fit_profile(const SoftwareProfile& start, std::span<const WaferFitRow> rows, std::span<const WaferKnob> knobs,
                     bool equal_groups) {
  if (rows.size() < knobs.size()) throw std::invalid_argument("a fit needs at least as many rows as constants");
  WaferFit fit;
  fit.profile = start;
  const std::vector<double> weights = row_weights(rows, equal_groups);
  for (int round = 0; round < kRounds; ++round) {
    fit.values = solve(linearise(fit.profile, rows, knobs), weights, knobs);
    double change = 0;
    for (std::size_t j = 0; j < knobs.size(); ++j) {
      const double before = knobs[j].get(fit.profile);
      change = std::max(change, std::abs(fit.values[j] - before) / std::max(std::abs(fit.values[j]), knobs[j].step));
      knobs[j].set(fit.profile, fit.values[j]);
    }
    if (change < 1e-9) break;
  }
  measure_errors(fit, rows);
  return fit;
}

WaferFit calibrate_profile(const SoftwareProfile& start, std::span<const WaferFitRow> rows,
                           std::span<const WaferKnob> knobs, const std::string& fit_class, const std::string& data,
                           const std::string& source, bool equal_groups) {
  WaferFit fit = fit_profile(start, rows, knobs, equal_groups);
  const std::vector<Band<double>> bands = jackknife(fit, rows, knobs, equal_groups);
  const auto points = static_cast<std::int64_t>(rows.size());
  const auto constants = static_cast<std::int64_t>(knobs.size());
  for (std::size_t j = 0; j < knobs.size(); ++j) {
    knobs[j].set(fit.profile, rounded(fit.values[j]));
    knobs[j].describe(
        fit.profile, {rounded(bands[j].low), rounded(bands[j].high)},
        {ProvenanceKind::fitted, source, "band: one group of rows left out after the other", points, constants});
  }
  measure_errors(fit, rows);
  FitRecord record;
  record.fit_class = fit_class;
  record.data = data;
  record.points = points;
  record.constants = constants;
  record.mean_abs_error_pct = rounded(fit.mean_abs_error_pct);
  record.worst_abs_error_pct = rounded(fit.worst_abs_error_pct);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    record.residuals.push_back({rows[i].id, rounded(fit.errors_pct[i])});
    if (std::abs(fit.errors_pct[i]) == fit.worst_abs_error_pct) record.worst_id = rows[i].id;
  }
  fit.profile.fit = std::move(record);
  return fit;
}

}  // namespace waferline::estimate
