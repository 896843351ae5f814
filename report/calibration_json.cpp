#include <nlohmann/json.hpp>

#include "report/calibration.hpp"
#include "report/constants.hpp"
#include "report/json_parts.hpp"

namespace waferline::report {
namespace {

using Json = nlohmann::ordered_json;

Json fit_json(const FitRecord& fit) {
  Json json{{"class", fit.fit_class}, {"data", fit.data}, {"rows", fit.points}, {"constants", fit.constants}};
  json["mean_abs_error_pct"] = fit.mean_abs_error_pct;
  json["worst_abs_error_pct"] = fit.worst_abs_error_pct;
  json["worst_id"] = fit.worst_id;
  json["held_out_mean_abs_error_pct"] = or_null(fit.held_out_mean_abs_error_pct);
  json["held_out_worst_abs_error_pct"] = or_null(fit.held_out_worst_abs_error_pct);
  json["bound_mean_abs_error_pct"] = or_null(fit.bound_mean_abs_error_pct);
  json["residuals"] = Json::array();
  for (const FitResidual& residual : fit.residuals) {
    json["residuals"].push_back({{"id", residual.id}, {"error_pct", residual.error_pct}});
  }
  return json;
}

std::string calibration(const std::string& name, const std::vector<Constant>& constants, const FitRecord* fit) {
  Json json = document();
  json["name"] = name;
  json["constants"] = Json::array();
  for (const Constant& constant : constants) {
    json["constants"].push_back({{"name", constant.name},
                                 {"unit", constant.unit},
                                 {"value", constant.value},
                                 {"low", constant.low},
                                 {"high", constant.high},
                                 {"kind", describe(constant.provenance)},
                                 {"source", constant.provenance.source}});
  }
  json["fit"] = fit != nullptr ? fit_json(*fit) : Json(nullptr);
  return dumped(json);
}

}  // namespace

std::string calibration_json(const SoftwareProfile& profile) {
  return calibration(profile.name, constants_of(profile), profile.fit ? &*profile.fit : nullptr);
}

std::string calibration_json(const GpuEngine& engine) {
  return calibration(engine.name, constants_of(engine), &engine.fit);
}

}  // namespace waferline::report
