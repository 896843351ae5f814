#include "report/json_parts.hpp"

#include <nlohmann/json.hpp>

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

}  // namespace waferline::report
