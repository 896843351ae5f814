#include <nlohmann/json.hpp>

#include "report/json_parts.hpp"
#include "report/list.hpp"

namespace waferline::report {
namespace {

using Json = nlohmann::ordered_json;

Json raw(std::int64_t value) {
  return value;
}
Json raw(double value) {
  return value;
}
template <class Tag, class Rep>
Json raw(Quantity<Tag, Rep> quantity) {
  return quantity.value;
}

/// {"value", "low", "high", "kind", "source"}; the band only where there is one.
template <class T>
Json sourced(const Sourced<T>& number) {
  Json json;
  json["value"] = raw(number.value);
  if (number.band) {
    json["low"] = raw(number.band->low);
    json["high"] = raw(number.band->high);
  }
  json["kind"] = describe(number.provenance);
  json["source"] = number.provenance.source;
  return json;
}

template <class T>
Json sourced(const std::optional<Sourced<T>>& number) {
  return number ? sourced(*number) : Json(nullptr);
}

template <class Item, class ToJson>
std::string list_json(const char* key, const std::vector<Item>& items, ToJson to_json) {
  Json json = document();
  json[key] = Json::array();
  for (const Item& item : items) json[key].push_back(to_json(item));
  return dumped(json);
}

Json wafer_json(const Wafer& wafer) {
  Json json{{"name", wafer.name}, {"description", wafer.description}, {"pes", usable_pes(wafer)}};
  json["usable_rows"] = wafer.usable().rows;
  json["usable_cols"] = wafer.usable().cols;
  json["sram_per_pe_bytes"] = sourced(wafer.pe.sram);
  json["sram_bytes"] = aggregate_sram(wafer).value;
  json["clock_hz"] = sourced(wafer.clock);
  json["aggregates"] = Json::array();
  for (const AggregateLine& line : aggregates(wafer)) {
    json["aggregates"].push_back({{"what", line.what},
                                  {"unit", line.unit},
                                  {"derived", line.derived},
                                  {"derived_low", line.derived_low},
                                  {"derived_high", line.derived_high},
                                  {"formula", line.formula},
                                  {"vendor", or_null(line.vendor)}});
  }
  return json;
}

Json software_profile_json(const SoftwareProfile& profile) {
  Json json{{"name", profile.name}, {"description", profile.description}, {"wafer", profile.wafer}};
  json["vector_instruction_overhead_cycles"] = sourced(profile.vector_instruction_overhead);
  json["stage_overhead_cycles"] = sourced(profile.stage_overhead);
  json["exponential_cycles"] = sourced(profile.exponential_per_element);
  json["code_bytes"] = sourced(profile.code);
  json["buffers_bytes"] = sourced(profile.buffers);
  json["system_bytes"] = sourced(profile.system);
  json["fixed_per_token_s"] = sourced(profile.fixed_per_token);
  return json;
}

Json gpu_json(const Gpu& gpu) {
  Json json{{"name", gpu.name}, {"description", gpu.description}, {"vendor", gpu.vendor}};
  json["memory_bytes"] = sourced(gpu.memory);
  json["bandwidth_bytes_per_s"] = sourced(gpu.bandwidth);
  json["achieved_bandwidth_bytes_per_s"] = sourced(gpu.achieved_bandwidth);
  json["fp16_flops_per_s"] = sourced(gpu.dense.fp16);
  json["fp8_flops_per_s"] = sourced(gpu.dense.fp8);
  json["fp4_flops_per_s"] = sourced(gpu.dense.fp4);
  json["link"] = gpu.scale_up.link;
  json["link_bytes_per_s_per_direction"] = sourced(gpu.scale_up.link_per_direction);
  json["devices_per_node"] = sourced(gpu.scale_up.devices_per_node);
  json["tdp_w"] = sourced(gpu.tdp);
  return json;
}

Json engine_json(const GpuEngine& engine) {
  Json json{{"name", engine.name}, {"description", engine.description}, {"gpus", engine.gpus}};
  json["weight_bandwidth_fraction"] = sourced(engine.weight_bandwidth_fraction);
  json["kv_bandwidth_fraction"] = sourced(engine.kv_bandwidth_fraction);
  json["layer_overhead_s"] = sourced(engine.layer_overhead);
  json["allreduce_s"] = sourced(engine.allreduce);
  json["token_overhead_s"] = sourced(engine.token_overhead);
  json["fit"] = {{"class", engine.fit.fit_class},
                 {"data", engine.fit.data},
                 {"points", engine.fit.points},
                 {"constants", engine.fit.constants},
                 {"mean_abs_error_pct", engine.fit.mean_abs_error_pct},
                 {"worst_abs_error_pct", engine.fit.worst_abs_error_pct},
                 {"held_out_mean_abs_error_pct", or_null(engine.fit.held_out_mean_abs_error_pct)}};
  return json;
}

Json speed_json(const traces::PublishedSpeed& speed) {
  Json json{{"row", speed.row}, {"provider", speed.provider}, {"hardware", speed.hardware}, {"model", speed.model}};
  json["tokens_per_s"] = speed.tokens_per_s;
  json["qualifier"] = speed.qualifier;
  json["kind"] = speed.kind;
  json["date"] = speed.date;
  json["conditions"] = speed.conditions;
  json["usd_per_million_output_tokens"] = or_null(speed.usd_per_million_output_tokens);
  json["source"] = speed.source;
  json["reliability"] = speed.reliability;
  return json;
}

}  // namespace

std::string wafers_json(const std::vector<Wafer>& wafers) {
  return list_json("systems", wafers, wafer_json);
}

std::string software_json(const std::vector<SoftwareProfile>& profiles) {
  return list_json("software", profiles, software_profile_json);
}

std::string gpus_json(const std::vector<Gpu>& gpus) {
  return list_json("gpus", gpus, gpu_json);
}

std::string engines_json(const std::vector<GpuEngine>& engines) {
  return list_json("engines", engines, engine_json);
}

std::string speeds_json(const std::vector<traces::PublishedSpeed>& speeds) {
  return list_json("endpoints", speeds, speed_json);
}

}  // namespace waferline::report
