// Follows: docs/model.md, F42 and F49; least squares after Lawson and Hanson, 1974.
#include "estimate/calibrate_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "estimate/holdout.hpp"
#include "estimate/least_squares.hpp"

namespace waferline {
namespace {

constexpr int splits = 20;
constexpr double left_out_share = 0.3;
constexpr double telling_kv_share = 0.02;  // below it in every row, the cache's fraction is not in the data
constexpr double row_noise = 0.04;         // scatter of a row about a good fit, for the weight of what is known before
constexpr double first_limit = 3;          // bytes per unit and cycle that are tried
constexpr double last_limit = 12;
constexpr double limit_step = 0.25;
constexpr std::int64_t constants_of_a_class = 5;

/// What is known of a constant before any row is seen. It counts as much as one row, so it settles what the rows leave
/// open (two configurations cannot tell three constants apart) and moves nothing else.
struct Expected {
  double value;
  double spread;
};
constexpr std::array<Expected, 4> expected_constants{{
    {1.18, 0.12},    // 1/e_w: decode kernels reach 0.77 to 0.95 of the best bandwidth
    {1.25, 0.5},     // 1/e_kv: attention kernels 0.55 and more
    {30e-6, 60e-6},  // o: 15 us when fused, 50 to 65 us in serving engines, more without graphs
    {15e-6, 30e-6},  // a: 3 to 8 us on NVLink, 27 us on PCIe
}};

/// A class's rows reduced to what the fit needs, whatever rows are left out.
struct Prepared {
  std::vector<GpuTerms> terms;
  std::vector<bool> unit_limited;  // the row's device is of a generation with the limit
  bool fits_kv = false;
  bool fits_allreduce = false;
};

struct Constants {
  std::vector<double> coefficients;  // 1/e_w, 1/e_kv, o, a, c
  double unit_limit = 0;             // bytes per unit and cycle at 1/e_w = 1; 0: none
  double squares = std::numeric_limits<double>::infinity();
};

bool has_limit(const GpuClass& gpu_class, const Gpu& gpu) {
  if (!gpu_class.unit_limited || !gpu.units) return false;
  const std::vector<std::string>& seen = gpu_class.unit_architectures;
  return seen.empty() || std::find(seen.begin(), seen.end(), gpu.units->architecture) != seen.end();
}

Prepared prepare(std::span<const GpuRow> rows, const GpuClass& gpu_class) {
  Prepared prepared;
  for (const GpuRow& row : rows) {
    const GpuTerms terms = gpu_terms(row.workload, row.gpu, row.devices, gpu_class.traits, row.load);
    prepared.fits_kv = prepared.fits_kv || terms.kv / row.measured > telling_kv_share;
    prepared.fits_allreduce = prepared.fits_allreduce || terms.allreduces > 0;
    prepared.unit_limited.push_back(has_limit(gpu_class, row.gpu));
    prepared.terms.push_back(terms);
  }
  return prepared;
}

FitRow fit_row(const Prepared& prepared, const GpuRow& row, std::size_t i, double unit_limit) {
  const GpuTerms& terms = prepared.terms[i];
  double weights = terms.weights.value;
  if (unit_limit > 0 && prepared.unit_limited[i])
    weights = std::max(weights, terms.weights_at_units.value / unit_limit);
  return {.id = row.id,
          .terms = {weights, terms.kv.value, terms.layers, terms.allreduces, terms.tokens},
          .known = (terms.arithmetic + terms.payload).value,
          .measured = row.measured.value};
}

std::vector<FitRow> fit_rows(const Prepared& prepared, std::span<const GpuRow> rows, const std::vector<bool>& used,
                             double unit_limit) {
  std::vector<FitRow> chosen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (used[i]) chosen.push_back(fit_row(prepared, rows[i], i, unit_limit));
  }
  for (std::size_t j = 0; j < expected_constants.size(); ++j) {
    const double weight = row_noise / expected_constants[j].spread;
    FitRow expected{
        .id = "expected", .terms = std::vector<double>(constants_of_a_class, 0.0), .known = 0, .measured = 1};
    expected.terms[j] = weight;
    expected.known = 1 - weight * expected_constants[j].value;
    chosen.push_back(expected);
  }
  return chosen;
}

Constants fit_constants(const Prepared& prepared, std::span<const GpuRow> rows, const std::vector<bool>& used,
                        const GpuClass& gpu_class) {
  // No fraction of bandwidth above one: a time is never below its bytes over bandwidth.
  const std::vector<double> lowest = {1, 1, 0, 0, 0};
  const auto tried = [&](double unit_limit) {
    const LinearFit fit = fit_relative(fit_rows(prepared, rows, used, unit_limit), lowest);
    Constants constants{fit.coefficients, unit_limit, 0};
    for (const double error : fit.errors_pct) constants.squares += error * error;
    return constants;
  };
  if (!gpu_class.unit_limited) return tried(0);
  Constants best;
  for (double limit = first_limit; limit <= last_limit; limit += limit_step) {
    const Constants constants = tried(limit);
    if (constants.squares < best.squares) best = constants;
  }
  return best;
}

double error_pct(const Prepared& prepared, const GpuRow& row, std::size_t i, const Constants& constants) {
  const FitRow fit = fit_row(prepared, row, i, constants.unit_limit);
  return (predict(fit, constants.coefficients) / fit.measured - 1) * 100;
}

/// Errors of the rows left out by each of several splits, each split fitted on the others.
std::optional<HoldoutErrors> holdout(const Prepared& prepared, std::span<const GpuRow> rows, const GpuClass& gpu_class,
                                     const std::vector<std::vector<bool>>& left_out) {
  if (left_out.empty()) return std::nullopt;
  HoldoutErrors errors;
  errors.best = std::numeric_limits<double>::infinity();
  for (const std::vector<bool>& out : left_out) {
    std::vector<bool> used = out;
    used.flip();
    const Constants constants = fit_constants(prepared, rows, used, gpu_class);
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!out[i]) continue;
      const double error = std::abs(error_pct(prepared, rows[i], i, constants));
      sum += error;
      errors.worst_row = std::max(errors.worst_row, error);
    }
    const double mean = sum / static_cast<double>(std::count(out.begin(), out.end(), true));
    errors.mean += mean / static_cast<double>(left_out.size());
    errors.best = std::min(errors.best, mean);
    errors.worst = std::max(errors.worst, mean);
  }
  return errors;
}

std::vector<std::vector<bool>> random_splits(const std::vector<std::string>& groups) {
  if (std::set<std::string>(groups.begin(), groups.end()).size() < 2) return {};
  std::vector<std::vector<bool>> result;
  for (std::uint64_t seed = 0; seed < splits; ++seed) result.push_back(held_out_rows(groups, left_out_share, seed));
  return result;
}

std::vector<std::vector<bool>> one_group_each(const std::vector<std::string>& groups) {
  const std::set<std::string> distinct(groups.begin(), groups.end());
  std::vector<std::vector<bool>> result;
  if (distinct.size() < 2) return result;
  for (const std::string& group : distinct) {
    std::vector<bool> out;
    for (const std::string& name : groups) out.push_back(name == group);
    result.push_back(out);
  }
  return result;
}

template <class Name>
std::vector<std::string> names_of(std::span<const GpuRow> rows, Name name) {
  std::vector<std::string> names;
  for (const GpuRow& row : rows) names.push_back(name(row));
  return names;
}

Provenance fitted(const GpuClass& gpu_class, std::size_t points) {
  return {ProvenanceKind::fitted, gpu_class.data, {}, static_cast<std::int64_t>(points), constants_of_a_class};
}

void set_constants(GpuEngine& engine, const Prepared& prepared, const Constants& constants, const GpuClass& gpu_class,
                   std::size_t points) {
  const Provenance provenance = fitted(gpu_class, points);
  const std::vector<double>& x = constants.coefficients;
  engine.weight_bandwidth_fraction = {1 / x[0], std::nullopt, provenance};
  engine.kv_bandwidth_fraction = {1 / x[1], std::nullopt, provenance};
  if (!prepared.fits_kv) {
    engine.kv_bandwidth_fraction.provenance = {ProvenanceKind::assumed, "attention kernels of other classes",
                                               "the cache is under 2 % of every row's time", 0, 0};
  }
  engine.layer_overhead = {Seconds{x[2]}, std::nullopt, provenance};
  engine.allreduce = {Seconds{x[3]}, std::nullopt, provenance};
  if (!prepared.fits_allreduce) {
    engine.allreduce.band = Band<Seconds>{Seconds{3e-6}, Seconds{27e-6}};
    engine.allreduce.provenance = {ProvenanceKind::assumed,
                                   "small allreduces inside a node: 3 to 8 us on NVLink, 27 us on PCIe",
                                   "no row of this class runs an allreduce", 0, 0};
  }
  engine.token_overhead = {Seconds{x[4]}, std::nullopt, provenance};
  if (constants.unit_limit > 0) {
    // Weights take max(W / BW, W / (units x limit)) / e_w, so the limit that stands alone is the tried one times e_w.
    engine.unit_read_limit = UnitReadLimit{{BytesPerCycle{constants.unit_limit / x[0]}, std::nullopt, provenance},
                                           gpu_class.unit_architectures};
  }
}

void set_record(GpuCalibration& result, const Prepared& prepared, std::span<const GpuRow> rows,
                const Constants& constants, const GpuClass& gpu_class) {
  FitRecord& fit = result.engine.fit;
  fit.fit_class = gpu_class.name;
  fit.data = gpu_class.data;
  fit.points = std::ssize(rows);
  fit.constants = constants_of_a_class;
  const auto count = static_cast<double>(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double error = error_pct(prepared, rows[i], i, constants);
    fit.residuals.push_back({rows[i].id, error});
    fit.mean_abs_error_pct += std::abs(error) / count;
    if (std::abs(error) > fit.worst_abs_error_pct) {
      fit.worst_abs_error_pct = std::abs(error);
      fit.worst_id = rows[i].id;
    }
    result.bound_mean_abs_error_pct += std::abs(prepared.terms[i].bound / rows[i].measured - 1) * 100 / count;
  }
  fit.bound_mean_abs_error_pct = result.bound_mean_abs_error_pct;
  if (result.by_configuration) {
    fit.held_out_mean_abs_error_pct = result.by_configuration->mean;
    fit.held_out_worst_abs_error_pct = result.by_configuration->worst_row;
  }
}

}  // namespace

GpuCalibration calibrate_gpu_engine(std::span<const GpuRow> rows, const GpuClass& gpu_class) {
  if (std::ssize(rows) < constants_of_a_class)
    throw std::invalid_argument(
        fmt::format("class {}: {} rows for {} constants", gpu_class.name, rows.size(), constants_of_a_class));
  const Prepared prepared = prepare(rows, gpu_class);
  const auto configurations = names_of(rows, [](const GpuRow& row) { return row.configuration; });
  const auto gpus = names_of(rows, [](const GpuRow& row) { return row.gpu.name; });

  GpuCalibration result;
  result.configurations = std::ssize(std::set<std::string>(configurations.begin(), configurations.end()));
  result.by_configuration = holdout(prepared, rows, gpu_class, random_splits(configurations));
  result.by_row =
      holdout(prepared, rows, gpu_class, random_splits(names_of(rows, [](const GpuRow& row) { return row.id; })));
  result.by_gpu = holdout(prepared, rows, gpu_class, one_group_each(gpus));

  result.engine.name = gpu_class.name;
  result.engine.description = gpu_class.description;
  const std::set<std::string> distinct_gpus(gpus.begin(), gpus.end());
  result.engine.gpus.assign(distinct_gpus.begin(), distinct_gpus.end());
  result.engine.traits = gpu_class.traits;
  const Constants constants = fit_constants(prepared, rows, std::vector<bool>(rows.size(), true), gpu_class);
  set_constants(result.engine, prepared, constants, gpu_class, rows.size());
  set_record(result, prepared, rows, constants, gpu_class);
  return result;
}

}  // namespace waferline
