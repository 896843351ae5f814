// Follows: docs/model/20-wafer.md, F31.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "estimate/least_squares.hpp"
#include "models/library.hpp"
#include "traces/endpoint_model.hpp"

namespace waferline::traces {
namespace {

std::vector<std::string> models_of(std::span<const EndpointRow> rows) {
  std::vector<std::string> names;
  for (const EndpointRow& row : rows) {
    if (std::find(names.begin(), names.end(), row.model) == names.end()) names.push_back(row.model);
  }
  return names;
}

SoftwareProfile fitted_or(const SoftwareProfile& start, const std::vector<EndpointRow>& rows, bool speculates) {
  if (rows.size() < service_knobs(rows, speculates).size()) return start;
  return fit_service(start, rows, speculates);
}

/// Geometric mean time and layers of each model.
struct ModelTime {
  double layers = 0;
  double seconds = 0;
};

std::vector<ModelTime> model_times(std::span<const EndpointRow> rows) {
  std::vector<ModelTime> times;
  for (const std::string& name : models_of(rows)) {
    double sum = 0;
    double count = 0;
    for (const EndpointRow& row : rows) {
      if (row.model != name) continue;
      sum -= std::log(row.tokens_per_s);
      count += 1;
    }
    times.push_back({static_cast<double>(models::load_model(name).layers.size()), std::exp(sum / count)});
  }
  return times;
}

double mean_log(const std::vector<ModelTime>& times, bool per_layer) {
  double sum = 0;
  for (const ModelTime& time : times) sum += std::log(per_layer ? time.seconds / time.layers : time.seconds);
  return sum / static_cast<double>(times.size());
}

double with_layers_and_constant(const std::vector<ModelTime>& others, double layers) {
  std::vector<FitRow> rows;
  for (const ModelTime& time : others) rows.push_back({{}, {time.layers, 1}, 0, time.seconds});
  const LinearFit fit = fit_relative(rows);
  return fit.coefficients[0] * layers + fit.coefficients[1];
}

}  // namespace

std::vector<LeftOut> leave_models_out(std::span<const EndpointRow> rows, const ServiceEras& start) {
  std::vector<LeftOut> predictions;
  for (const std::string& model : models_of(rows)) {
    const std::vector<EndpointRow> others = without_model(rows, model);
    const SoftwareProfile before = fitted_or(start.before, rows_of_era(others, false), false);
    const SoftwareProfile after = fitted_or(start.after, rows_of_era(others, true), true);
    for (const EndpointRow& row : rows) {
      if (row.model != model) continue;
      const SoftwareProfile& software = row.speculates ? after : before;
      predictions.push_back({row, ServedModel(row, software).seconds(software)});
    }
  }
  return predictions;
}

ErrorFactors error_factors(std::span<const LeftOut> predictions) {
  std::map<std::string, std::pair<double, double>> of_model;
  double rows = 0;
  for (const LeftOut& one : predictions) {
    const double error = std::log(one.predicted_s * one.row.tokens_per_s);
    rows += std::abs(error);
    of_model[one.row.model].first += error;
    of_model[one.row.model].second += 1;
  }
  double models = 0;
  for (const auto& [name, sum] : of_model) models += std::abs(sum.first / sum.second);
  return {std::exp(rows / static_cast<double>(predictions.size())),
          std::exp(models / static_cast<double>(of_model.size()))};
}

BaselineFactors baseline_factors(std::span<const EndpointRow> rows) {
  const std::vector<ModelTime> times = model_times(rows);
  std::array<double, 3> sums{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::vector<ModelTime> others = times;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const std::array predicted{std::exp(mean_log(others, false)), std::exp(mean_log(others, true)) * times[i].layers,
                               with_layers_and_constant(others, times[i].layers)};
    for (std::size_t j = 0; j < 3; ++j) sums[j] += std::abs(std::log(predicted[j] / times[i].seconds));
  }
  const auto factor = [&](double sum) { return std::exp(sum / static_cast<double>(times.size())); };
  return {factor(sums[0]), factor(sums[1]), factor(sums[2])};
}

}  // namespace waferline::traces
