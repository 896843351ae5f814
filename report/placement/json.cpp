#include <nlohmann/json.hpp>

#include "report/json_parts.hpp"
#include "report/placement/figures.hpp"
#include "report/placement/placement.hpp"

namespace waferline::report {
namespace {

using Json = nlohmann::ordered_json;
using mapping::PlacedRegion;

Json region_json(const PlacementAnswer& answer, std::size_t index) {
  const PlacedRegion& placed = answer.decode.placement.regions[index];
  Json json{{"wafer", placed.region.wafer},
            {"row", placed.region.row},
            {"col", placed.region.col},
            {"rows", placed.region.extent.rows},
            {"cols", placed.region.extent.cols}};
  json["layers"] = Json::array();
  if (placed.layer_count > 0) json["layers"] = {placed.first_layer, placed.first_layer + placed.layer_count - 1};
  json["what"] = mapping::name(placed.use);
  json["turned"] = placed.turned;
  json["expert_bands"] = placed.expert_bands;
  json["latent_copies"] = placed.latent_copies;
  json["stage_s"] = answer.decode.stages[index].time.value;
  json["hops_to_next"] = placed.hops_to_next;
  json["next_on_other_wafer"] = placed.next_on_other_wafer;
  const mapping::SramUse& use = placed.sram;
  json["sram_per_pe_bytes"] = {{"weights", use.weights.value}, {"kv", use.kv.value},
                               {"buffers", use.buffers.value}, {"code", (use.code + use.system).value},
                               {"free", use.free().value},     {"capacity", use.capacity.value}};
  return json;
}

Json search_json(const PlacementAnswer& answer) {
  const mapping::SearchAccount& search = answer.decode.placement.search;
  const auto seconds = [&](Cycles cycles) { return wafer_time(answer, cycles).value; };
  Json json{{"objective", mapping::name(search.objective)}, {"space", search.space}};
  json["partial_plans"] = search.plans;
  json["moves_tried"] = search.tried;
  json["gap_pct"] = search.gap_pct;
  json["pass_s"] = seconds(search.pass);
  if (search.optimum) json["shortest_pass_of_space_s"] = seconds(*search.optimum);
  json["pass_bound_s"] = seconds(search.latency_bound);
  json["slowest_region_s"] = seconds(search.slowest_stage);
  json["slowest_region_bound_s"] = seconds(search.stage_bound);
  json["users_bound"] = search.users_bound;
  json["wafers_bound"] = search.wafers_bound;
  return json;
}

Json front_json(const std::vector<estimate::ParetoPoint>& front) {
  Json json = Json::array();
  for (const estimate::ParetoPoint& point : front) {
    json.push_back({{"objective", mapping::name(point.objective)},
                    {"wafers", point.wafers},
                    {"tpot_s", point.tpot.value},
                    {"pipelined_tokens_per_s", point.pipelined_tokens_per_s},
                    {"max_users", point.max_users},
                    {"regions", point.regions}});
  }
  return json;
}

Json pipeline_json(const PipelineFigures& figures) {
  return {{"stages", figures.stages},
          {"busy_share", figures.busy_share},
          {"tokens_per_s", figures.tokens_per_s},
          {"idle_share_of_one_user", figures.idle_share_of_one},
          {"cache_bytes_per_user", figures.cache_per_user.value}};
}

/// Numbers that only the page shows, so that each of them can be found here.
Json page_json(const PlacementAnswer& answer) {
  const Defects& defects = answer.wafer.defects;
  Json json{{"usable_rows", answer.wafer.usable().rows}, {"usable_cols", answer.wafer.usable().cols}};
  json["breakdown_share"] = breakdown_share_json(answer.decode);
  json["defects"] = {{"rows", defects.rows}, {"cols", defects.cols}, {"pes", Json::array()}};
  for (const PePosition& pe : defects.pes) json["defects"]["pes"].push_back({{"row", pe.row}, {"col", pe.col}});
  return json;
}

void add_placement(const PlacementAnswer& answer, Json& json) {
  const estimate::DecodeEstimate& decode = answer.decode;
  const mapping::Placement& placement = decode.placement;
  json["inputs"] = {{"model", answer.model},         {"system", decode.system},
                    {"software", decode.software},   {"context_tokens", decode.request.context_tokens},
                    {"batch", decode.request.batch}, {"users", decode.request.users}};
  json["wafers"] = placement.wafers;
  json["regions"] = Json::array();
  for (std::size_t i = 0; i < placement.regions.size(); ++i) json["regions"].push_back(region_json(answer, i));
  json["pes_used"] = placement.pes_used;
  json["colors_used"] = placement.colors_used;
  json["colors_available"] = placement.colors_available;
  json["embedding_on_wafer"] = placement.embedding_on_wafer;
  json["max_context_tokens"] = placement.max_context_tokens;
  json["max_users"] = placement.max_users;
  json["tpot_s"] = {
      {"low", decode.tpot.low.value}, {"expected", decode.tpot.expected.value}, {"high", decode.tpot.high.value}};
  json["tokens_per_s"] = {
      {"low", decode.tokens_per_s.low}, {"expected", decode.tokens_per_s.expected}, {"high", decode.tokens_per_s.high}};
  json["pipelined_tokens_per_s"] = decode.pipelined_tokens_per_s;
  json["slowest_stage_s"] = decode.slowest_stage.value;
  const PipelineFigures figures = pipeline_figures(answer);
  json["users_to_fill"] = figures.users_to_fill;
  json["pipeline"] = pipeline_json(figures);
  json["breakdown_s"] = breakdown_json(decode);
  json["search"] = search_json(answer);
  json["pareto"] = front_json(answer.front);
  json["assumptions"] = assumptions_json(decode.assumptions);
  json["notes"] = placement.notes;
  if (answer.with_page) json["page"] = page_json(answer);
}

}  // namespace

std::string placement_json(const PlacementAnswer& answer) {
  Json json = document();
  add_placement(answer, json);
  return dumped(json);
}

std::string comparison_json(const PlacementAnswer& a, const PlacementAnswer& b) {
  Json json = document();
  json["a"] = Json::object();
  add_placement(a, json["a"]);
  json["b"] = Json::object();
  add_placement(b, json["b"]);
  return dumped(json);
}

}  // namespace waferline::report
