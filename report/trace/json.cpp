#include <nlohmann/json.hpp>

#include "report/json_parts.hpp"
#include "report/trace/summary.hpp"

namespace waferline::report {
namespace {

using Json = nlohmann::ordered_json;

Json cycles_json(const std::vector<traces::NamedCycles>& entries) {
  Json list = Json::array();
  for (const traces::NamedCycles& entry : entries)
    list.push_back({{"name", entry.name}, {"steps", entry.steps}, {"cycles", entry.cycles.value}});
  return list;
}

Json mesh_json(const traces::MeshSummary& mesh) {
  Json json = {{"rows", mesh.extent.rows},
               {"cols", mesh.extent.cols},
               {"regions", mesh.regions},
               {"cycles", mesh.cycles.value},
               {"idle_share", mesh.idle_share}};
  json["hottest_pes"] = Json::array();
  for (const traces::HotPe& pe : mesh.hottest_pes)
    json["hottest_pes"].push_back({{"row", pe.row}, {"col", pe.col}, {"busy_cycles", pe.busy_cycles}});
  json["hottest_links"] = Json::array();
  for (const traces::HotLink& link : mesh.hottest_links) {
    json["hottest_links"].push_back({{"row", link.row},
                                     {"col", link.col},
                                     {"direction", name(link.direction)},
                                     {"wavelets", link.wavelets},
                                     {"share", link.share}});
  }
  return json;
}

}  // namespace

std::string trace_json(const traces::TraceSummary& summary) {
  const traces::TraceOrigin& origin = summary.origin;
  Json json = document();
  Json inputs = Json::object();
  for (const auto& [key, value] : origin.inputs) inputs[key] = value;
  json["trace"] = {{"file", summary.file},      {"schema", traces::kTraceSchema}, {"version", origin.version},
                   {"command", origin.command}, {"system", origin.system},        {"software", origin.software},
                   {"seed", origin.seed},       {"clock_hz", origin.clock.value}, {"inputs", inputs}};
  json["passes"] = summary.passes;
  json["steps"] = summary.steps;
  json["cycles"] = summary.cycles.value;
  json["seconds"] = (summary.cycles / origin.clock).value;
  json["peak_sram_bytes"] = summary.peak_sram_bytes;
  json["regions"] = cycles_json(summary.regions);
  json["parts"] = cycles_json(summary.parts);
  json["labels"] = cycles_json(summary.labels);
  json["meshes"] = Json::array();
  for (const traces::MeshSummary& mesh : summary.meshes) json["meshes"].push_back(mesh_json(mesh));
  return dumped(json);
}

}  // namespace waferline::report
