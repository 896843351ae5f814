#include <nlohmann/json.hpp>

#include "report/json_parts.hpp"
#include "report/validate.hpp"

namespace waferline::report {
namespace {

using Json = nlohmann::ordered_json;

Json point_json(const traces::ValidationPoint& point) {
  return {{"id", point.id},
          {"split", point.split},
          {"unit", point.unit},
          {"measured", point.measured},
          {"predicted", point.predicted},
          {"error_pct", point.error_pct}};
}

Json group_json(const traces::ValidationGroup& group) {
  return {{"name", group.name},
          {"rows", group.rows},
          {"constants", group.constants},
          {"mean_abs_error_pct", group.mean_abs_error_pct},
          {"worst_abs_error_pct", group.worst_abs_error_pct},
          {"held_out_mean_abs_error_pct", or_null(group.held_out_mean_abs_error_pct)},
          {"held_out_rows_mean_abs_error_pct", or_null(group.held_out_rows_mean_abs_error_pct)},
          {"bound_mean_abs_error_pct", or_null(group.bound_mean_abs_error_pct)}};
}

Json set_json(const traces::ValidationSet& set) {
  Json json{{"name", set.name},
            {"rows", set.rows},
            {"constants", set.constants},
            {"mean_abs_error_pct", set.mean_abs_error_pct},
            {"worst_abs_error_pct", set.worst_abs_error_pct},
            {"points", Json::array()},
            {"groups", Json::array()},
            {"skipped", Json::array()},
            {"notes", set.notes}};
  for (const traces::ValidationPoint& point : set.points) json["points"].push_back(point_json(point));
  for (const traces::ValidationGroup& group : set.groups) json["groups"].push_back(group_json(group));
  for (const traces::SkippedRow& row : set.skipped) json["skipped"].push_back({{"id", row.id}, {"reason", row.reason}});
  return json;
}

}  // namespace

std::string validation_json(std::span<const traces::ValidationSet> sets) {
  Json json = document();
  json["sets"] = Json::array();
  for (const traces::ValidationSet& set : sets) json["sets"].push_back(set_json(set));
  return dumped(json);
}

}  // namespace waferline::report
