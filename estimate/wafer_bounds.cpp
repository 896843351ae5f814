// Follows: docs/model/20-wafer.md, F25 and F26.
#include "estimate/wafer_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mapping/part_schedules.hpp"
#include "models/kv.hpp"
#include "models/weights.hpp"

namespace waferline::estimate {
namespace {

using kernels::Schedule;

/// Routed experts of a layer that a batch reads, as a share of all: each token chooses on its own.
double share_of_experts(const models::Layer& layer, std::int64_t batch) {
  double share = 1;
  for (const models::Ffn& ffn : layer.ffns) {
    if (ffn.routed_experts == 0) continue;
    const double chosen = static_cast<double>(ffn.active_experts) / static_cast<double>(ffn.routed_experts);
    share = 1 - std::pow(1 - chosen, static_cast<double>(batch));
  }
  return share;
}

/// Stored bytes of the layer's weights that one pass reads, each once, without padding.
double weight_bytes(const models::Layer& layer, std::int64_t batch) {
  double bytes = 0;
  for (const models::Weight& weight : layer.weights) {
    const auto stored = static_cast<double>(models::stored_bytes(weight).value);
    bytes += weight.role == models::WeightRole::routed_expert ? stored * share_of_experts(layer, batch) : stored;
  }
  return bytes;
}

/// Bytes of one pass through the layers, and through the head.
struct PassBytes {
  double layers = 0;
  double head = 0;
};

PassBytes pass_bytes(const PassInputs& inputs) {
  PassBytes bytes;
  for (std::size_t kind = 0; kind < inputs.kinds.layers.size(); ++kind) {
    bytes.layers +=
        weight_bytes(*inputs.kinds.layers[kind], inputs.pass.batch) * static_cast<double>(inputs.kinds.count[kind]);
  }
  const models::KvFigures kv = models::kv_figures(inputs.model, inputs.pass.context_tokens, inputs.model.kv_dtype);
  bytes.layers += static_cast<double>((kv.at_context + kv.index_at_context + kv.state).value * inputs.pass.batch);
  bytes.head = static_cast<double>(models::stored_bytes(inputs.model.head).value);
  return bytes;
}

/// F26: links crossed one after the other, at one hop time each, and the latency of each wafer-to-wafer link.
Seconds distance(const PassInputs& inputs, const Wafer& wafer, mapping::PartSchedules& schedules,
                 std::int64_t wafer_hops) {
  const Extent extent = inputs.placement.schedule_extent();
  Cycles hops;
  const auto add = [&](const Schedule& schedule, double times) {
    for (const kernels::Step& step : schedule.steps) hops += kernels::time(step, schedules.rates()).hops * times;
  };
  for (std::size_t kind = 0; kind < inputs.kinds.layers.size(); ++kind) {
    add(schedules.layer(*inputs.kinds.layers[kind], extent), static_cast<double>(inputs.kinds.count[kind]));
  }
  add(schedules.head(extent, inputs.placement.head_regions), 1);
  for (std::size_t i = 0; i + 1 < inputs.placement.regions.size(); ++i) {
    add(schedules.transfer(extent, inputs.placement.regions[i].hops_to_next), 1);
  }
  return hops / wafer.clock.value + wafer.links.wafer_to_wafer_latency.value * static_cast<double>(wafer_hops);
}

BoundLine checked(const char* name, Seconds bound, Seconds pass) {
  // A rounding error of the sum is no violation.
  if (pass.value < bound.value * (1 - 1e-9)) {
    throw std::logic_error(
        fmt::format("a pass of {} s is faster than its {} bound of {} s", pass.value, name, bound.value));
  }
  return {name, bound, bound.value > 0 ? pass / bound : 0};
}

}  // namespace

std::vector<BoundLine> wafer_bounds(const PassInputs& inputs, const Wafer& wafer, const SoftwareProfile& software,
                                    Seconds pass) {
  mapping::PartSchedules schedules(inputs.model, wafer, software, inputs.pass);
  const PassBytes bytes = pass_bytes(inputs);
  const double pe_rate = (wafer.pe.sram_read.value * wafer.clock.value).value;
  const double all_pes = static_cast<double>(inputs.placement.wafers * wafer.usable().pes());
  const double region_pes = static_cast<double>(inputs.placement.region_extent.pes());
  const double head_pes = region_pes * static_cast<double>(inputs.placement.head_regions);
  const Seconds aggregate{(bytes.layers + bytes.head) / (all_pes * pe_rate)};
  const Seconds serial{bytes.layers / (region_pes * pe_rate) + bytes.head / (head_pes * pe_rate)};
  std::int64_t wafer_hops = 0;
  for (const mapping::PlacedRegion& region : inputs.placement.regions) wafer_hops += region.next_on_other_wafer ? 1 : 0;
  return {checked("aggregate_bandwidth", aggregate, pass), checked("layer_serial_bandwidth", serial, pass),
          checked("distance", distance(inputs, wafer, schedules, wafer_hops), pass)};
}

}  // namespace waferline::estimate
