#include <nlohmann/json.hpp>

#include "report/estimate.hpp"
#include "report/html/estimate_page.hpp"
#include "report/json_parts.hpp"

namespace waferline::report {
namespace {

using Json = nlohmann::ordered_json;
using namespace estimate;

Json inputs_json(const EstimateAnswer& answer) {
  const DecodeRequest& request = answer.decode.request;
  Json json{{"model", answer.model.source_file},
            {"system", answer.decode.system},
            {"software", answer.decode.software},
            {"context_tokens", request.context_tokens},
            {"batch", request.batch}};
  json["wafers"] = answer.decode.placement.wafers;
  json["wafers_given"] = request.wafers.has_value();
  json["weight_bits"] = request.weight_bits ? Json(*request.weight_bits) : Json("auto");
  json["weight_types"] = answer.model.weight_types;
  json["kv_type"] = answer.model.kv_type;
  json["accepted_tokens"] = request.accepted_tokens;
  return json;
}

Json region_json(const mapping::PlacedRegion& placed) {
  Json json{{"wafer", placed.region.wafer},
            {"row", placed.region.row},
            {"col", placed.region.col},
            {"rows", placed.region.extent.rows},
            {"cols", placed.region.extent.cols}};
  json["layers"] = Json::array();
  if (placed.layer_count > 0) json["layers"] = {placed.first_layer, placed.first_layer + placed.layer_count - 1};
  json["what"] = mapping::name(placed.use);
  return json;
}

/// `code` is all that holds neither weights nor cache nor activations, so that the six numbers of the schema add up.
Json sram_json(const mapping::SramUse& use) {
  return {{"weights", use.weights.value},
          {"kv", use.kv.value},
          {"buffers", use.buffers.value},
          {"code", (use.code + use.system).value},
          {"free", use.free().value},
          {"capacity", use.capacity.value},
          {"code_parts", {{"program", use.code.value}, {"system", use.system.value}}}};
}

Json wafer_json(const EstimateAnswer& answer) {
  const mapping::Placement& placement = answer.decode.placement;
  Json json{{"system", answer.decode.system}, {"software", answer.decode.software}, {"wafers", placement.wafers}};
  json["pes_used"] = placement.pes_used;
  json["regions"] = Json::array();
  for (const mapping::PlacedRegion& region : placement.regions) json["regions"].push_back(region_json(region));
  json["sram_per_pe_bytes"] = sram_json(placement.fullest);
  json["max_context_tokens"] = placement.max_context_tokens;
  json["max_users"] = placement.max_users;
  json["usable_pes_per_wafer"] = answer.usable_pes_per_wafer;
  json["colors_used"] = placement.colors_used;
  json["colors_available"] = placement.colors_available;
  json["embedding_on_wafer"] = placement.embedding_on_wafer;
  json["wafer_hops"] = answer.decode.wafer_hops;
  json["pipelined_tokens_per_s"] = answer.decode.pipelined_tokens_per_s;
  json["slowest_stage_s"] = answer.decode.slowest_stage.value;
  return json;
}

Json seconds_band(Seconds low, Seconds expected, Seconds high) {
  return {{"low", low.value}, {"expected", expected.value}, {"high", high.value}};
}

Json gpu_json(const GpuAnswer& answer) {
  const GpuEstimate& gpu = answer.estimate;
  Json json{{"system", gpu.gpu}, {"devices", gpu.devices}, {"engine", gpu.engine}};
  json["roofline_tpot_s"] = gpu.bound.value;
  json["tpot_s"] = seconds_band(gpu.low, gpu.expected, gpu.high);
  json["fits"] = gpu.fits;
  json["shortfall"] = gpu.fits ? Json(nullptr) : Json(gpu.shortfall);
  json["memory_needed_bytes_per_device"] = gpu.memory_needed.value;
  json["memory_bytes_per_device"] = gpu.memory.value;
  json["breakdown_s"] = Json::object();
  for (const GpuPart& part : gpu.parts) json["breakdown_s"][part.name] = part.time.value;
  json["engine_reason"] = answer.engine_reason;
  json["notes"] = gpu.notes;
  return json;
}

Json published_json(const traces::EndpointRow& row) {
  return {{"row", row.id},
          {"date", row.date},
          {"provider", row.provider},
          {"label", row.label},
          {"tokens_per_s", row.tokens_per_s},
          {"prompt_tokens", row.context_stated ? Json(row.context_tokens) : Json(nullptr)},
          {"may_speculate", row.speculates}};
}

Json series_json(const std::vector<SeriesPoint>& points) {
  Json json = Json::array();
  for (const SeriesPoint& point : points) {
    Json entry{{"context_tokens", point.context_tokens}, {"users", point.users}};
    entry["tokens_per_s"] = {
        {"low", point.tokens_per_s.low}, {"expected", point.tokens_per_s.expected}, {"high", point.tokens_per_s.high}};
    entry["pipelined_tokens_per_s"] = point.pipelined_tokens_per_s;
    entry["gpu_tokens_per_s"] = Json::array();
    for (const std::optional<double>& gpu : point.gpus) entry["gpu_tokens_per_s"].push_back(or_null(gpu));
    entry["roof_tokens_per_s"] = Json::object();
    for (const RoofRate& rate : point.roof) entry["roof_tokens_per_s"][rate.name] = rate.tokens_per_s;
    json.push_back(std::move(entry));
  }
  return json;
}

/// Numbers that only the page shows, so that each of them can be found here.
Json page_json(const EstimateAnswer& answer) {
  Json json{{"over_context", series_json(answer.series->over_context)},
            {"over_users", series_json(answer.series->over_users)}};
  json["breakdown_share"] = breakdown_share_json(answer.decode);
  json["gpus"] = Json::array();
  for (const GpuAnswer& gpu : answer.gpus) {
    const GpuEstimate& time = gpu.estimate;
    json["gpus"].push_back(
        {{"name", gpu_name(gpu)},
         {"tokens_per_s",
          {{"low", 1 / time.high.value}, {"expected", 1 / time.expected.value}, {"high", 1 / time.low.value}}},
         {"times_as_long", time.expected / answer.decode.tpot.expected}});
  }
  json["usable_rows"] = answer.usable_extent.rows;
  json["usable_cols"] = answer.usable_extent.cols;
  if (answer.speculating_service) {
    json["speculating_service"] = {{"software", answer.speculating_service->software},
                                   {"accepted_tokens", answer.speculating_service->accepted_tokens}};
  }
  return json;
}

}  // namespace

std::string estimate_json(const EstimateAnswer& answer) {
  const DecodeEstimate& decode = answer.decode;
  Json json = document();
  json["inputs"] = inputs_json(answer);
  json["model"] = model_json(answer.model);
  json["wafer"] = wafer_json(answer);
  json["tpot_s"] = seconds_band(decode.tpot.low, decode.tpot.expected, decode.tpot.high);
  json["tokens_per_s"] = {
      {"low", decode.tokens_per_s.low}, {"expected", decode.tokens_per_s.expected}, {"high", decode.tokens_per_s.high}};
  json["breakdown_s"] = breakdown_json(decode);
  json["bounds_s"] = Json::object();
  for (const BoundLine& bound : decode.bounds) json["bounds_s"][bound.name] = bound.time.value;
  json["estimate_over_bounds"] = Json::object();
  for (const BoundLine& bound : decode.bounds) json["estimate_over_bounds"][bound.name] = bound.estimate_over_bound;
  json["gpus"] = Json::array();
  for (const GpuAnswer& gpu : answer.gpus) json["gpus"].push_back(gpu_json(gpu));
  json["published"] = Json::array();
  for (const traces::EndpointRow& row : answer.published) json["published"].push_back(published_json(row));
  json["assumptions"] = assumptions_json(decode.assumptions);
  json["sensitivity"] = Json::array();
  for (const SensitivityLine& line : decode.sensitivity) {
    json["sensitivity"].push_back({{"key", line.key},
                                   {"tokens_per_s_low", line.tokens_per_s_low},
                                   {"tokens_per_s_high", line.tokens_per_s_high}});
  }
  json["notes"] = decode.notes;
  if (answer.series) json["page"] = page_json(answer);
  add_whole_answer(answer.whole, json);
  return dumped(json);
}

}  // namespace waferline::report
