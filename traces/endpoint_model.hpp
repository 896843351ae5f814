#pragma once
// What the wafer estimate says about served speeds, and the software profiles fitted on them.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arch/software.hpp"
#include "estimate/calibrate_wafer.hpp"
#include "traces/endpoint_rows.hpp"

namespace waferline::traces {

/// A served model, placed once; its time can then be asked for under many profiles.
class ServedModel {
 public:
  /// Places the model of `row` as `software` would. Errors: DoesNotFit, ConfigError.
  ServedModel(const EndpointRow& row, const SoftwareProfile& software);
  ~ServedModel();

  /// Seconds per token: F24, with the profile's accepted tokens if the row speculates.
  double seconds(const SoftwareProfile& software) const;
  std::int64_t layers() const;
  std::int64_t wafers() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Rows of one era as a fit takes them, placed under `software`; where a model was measured at a short and at a context
/// fifty times as long or more, the difference of the two times is one row more.
std::vector<estimate::WaferFitRow> service_fit_rows(std::span<const EndpointRow> rows, const SoftwareProfile& software);

/// Constants of the service profiles: before speculation one, after it three, and the cost of an exponential if some
/// model was measured at two contexts far apart.
std::vector<estimate::WaferKnob> service_knobs(std::span<const EndpointRow> rows, bool speculates);

/// Fits the era's profile: places all rows, fits, and repeats until the placement no longer moves the constants. Values
/// only.
SoftwareProfile fit_service(const SoftwareProfile& start, std::span<const EndpointRow> rows, bool speculates);

/// As `fit_service`, with bands (each model left out in turn), provenance and the record of the fit.
estimate::WaferFit calibrate_service(const SoftwareProfile& start, std::span<const EndpointRow> rows, bool speculates,
                                     const std::string& data);

/// Profiles with the values at which every fit of the service begins: before speculation, after it.
struct ServiceEras {
  SoftwareProfile before;
  SoftwareProfile after;
};

/// Prediction of one published speed by a fit that saw no row of its model.
struct LeftOut {
  EndpointRow row;
  double predicted_s = 0;
};

/// F31: leaves out one model after the other, in both eras, and predicts its rows.
std::vector<LeftOut> leave_models_out(std::span<const EndpointRow> rows, const ServiceEras& start);

/// How far off predictions are: the geometric mean of max(predicted / measured, measured / predicted) over rows, and
/// over models whose rows were first averaged geometrically.
struct ErrorFactors {
  double rows = 1;
  double models = 1;
};
ErrorFactors error_factors(std::span<const LeftOut> predictions);

/// Error factors over models of the three simplest predictors of the geometric mean time of each model, each model left
/// out in turn: the same time for all, a time for each layer, a time for each layer and one for each token.
struct BaselineFactors {
  double constant = 1;
  double layers = 1;
  double layers_and_constant = 1;
};
BaselineFactors baseline_factors(std::span<const EndpointRow> rows);

/// Rows of one era.
std::vector<EndpointRow> rows_of_era(std::span<const EndpointRow> rows, bool speculates);
/// Rows of all models but one.
std::vector<EndpointRow> without_model(std::span<const EndpointRow> rows, const std::string& model);

}  // namespace waferline::traces
