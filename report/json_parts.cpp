#include "report/json_parts.hpp"

#include <nlohmann/json.hpp>

#include "estimate/wafer.hpp"
#include "report/version.hpp"

namespace waferline::report {

nlohmann::ordered_json document() {
  nlohmann::ordered_json json;
  json["schema"] = schema_version;
  json["tool"] = {{"name", "waferline"}, {"version", version()}};
  return json;
}

std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json breakdown_json(const estimate::DecodeEstimate& decode) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const estimate::BreakdownPart& part : decode.breakdown) json[part.name] = part.time.value;
  return json;
}

nlohmann::ordered_json breakdown_share_json(const estimate::DecodeEstimate& decode) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const estimate::BreakdownPart& part : decode.breakdown) json[part.name] = part.time / decode.tpot.expected;
  return json;
}

nlohmann::ordered_json assumptions_json(const std::vector<estimate::Assumption>& assumptions) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const estimate::Assumption& assumption : assumptions) {
    json.push_back({{"key", assumption.key},
                    {"value", assumption.value},
                    {"kind", assumption.kind},
                    {"source", assumption.source}});
  }
  return json;
}

}  // namespace waferline::report
