// Follows: docs/model/20-wafer.md, F25 and F26.
#include "estimate/wafer_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

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
  std::vector<double> of_kind;  ///< one layer of each kind, caches and state included
  double layers = 0;            ///< all of them
  double head = 0;
};

PassBytes pass_bytes(const PassInputs& inputs) {
  PassBytes bytes;
  for (std::size_t kind = 0; kind < inputs.kinds.layers.size(); ++kind) {
    models::Model alone;
    alone.layers.push_back(*inputs.kinds.layers[kind]);
    const models::KvFigures kv = models::kv_figures(alone, inputs.pass.context_tokens, inputs.model.kv_dtype);
    const Bytes caches = (kv.at_context + kv.index_at_context + kv.state) * inputs.pass.batch;
    bytes.of_kind.push_back(weight_bytes(*inputs.kinds.layers[kind], inputs.pass.batch) +
                            static_cast<double>(caches.value));
    bytes.layers += bytes.of_kind.back() * static_cast<double>(inputs.kinds.count[kind]);
  }
  bytes.head = static_cast<double>(models::stored_bytes(inputs.model.head).value);
  return bytes;
}

/// F26: links crossed one after the other, at one hop time each, and the latency of each wafer-to-wafer link.
Seconds distance(const PassInputs& inputs, const Wafer& wafer, mapping::PartSchedules& schedules,
                 std::int64_t wafer_hops) {
  const std::vector<mapping::PlacedRegion>& regions = inputs.placement.regions;
  std::map<std::pair<std::size_t, std::size_t>, Cycles> known;  // by kind and index of the form
  std::vector<mapping::Form> forms;
  const auto hops_of = [&](const Schedule& schedule) {
    Cycles hops;
    for (const kernels::Step& step : schedule.steps) hops += kernels::time(step, schedules.rates()).hops;
    return hops;
  };
  Cycles hops;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const mapping::Form form = regions[i].form();
    auto same = std::find(forms.begin(), forms.end(), form);
    if (same == forms.end()) same = forms.insert(same, form);
    for (std::int64_t k = 0; k < regions[i].layer_count; ++k) {
      const std::size_t kind = inputs.kinds.of_layer[static_cast<std::size_t>(regions[i].first_layer + k)];
      const auto [entry, is_new] = known.try_emplace({kind, static_cast<std::size_t>(same - forms.begin())});
      if (is_new) entry->second = hops_of(schedules.layer(*inputs.kinds.layers[kind], form));
      hops += entry->second;
    }
    if (i + 1 == regions.size()) {
      if (regions[i].use == mapping::RegionUse::head) {
        hops += hops_of(schedules.head(form.extent, inputs.placement.head_regions));
      }
    } else {
      hops += hops_of(schedules.transfer(regions[i + 1].form().extent, regions[i].hops_to_next));
    }
  }
  return hops / wafer.clock.value + wafer.links.wafer_to_wafer_latency.value * static_cast<double>(wafer_hops);
}

/// F25: the bytes of each layer through the read ports of the region that holds it, one layer after the other.
Seconds layer_serial(const PassInputs& inputs, const PassBytes& bytes, double pe_rate) {
  double seconds = 0;
  double head_pes = 0;
  for (const mapping::PlacedRegion& region : inputs.placement.regions) {
    const auto pes = static_cast<double>(region.region.extent.pes());
    if (region.use == mapping::RegionUse::head) head_pes += pes;
    double held = 0;
    for (std::int64_t k = 0; k < region.layer_count; ++k) {
      held += bytes.of_kind[inputs.kinds.of_layer[static_cast<std::size_t>(region.first_layer + k)]];
    }
    seconds += held / (pes * pe_rate);
  }
  return Seconds{seconds + (head_pes > 0 ? bytes.head / (head_pes * pe_rate) : 0)};
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
  const Seconds aggregate{(bytes.layers + bytes.head) / (all_pes * pe_rate)};
  const Seconds serial = layer_serial(inputs, bytes, pe_rate);
  std::int64_t wafer_hops = 0;
  for (const mapping::PlacedRegion& region : inputs.placement.regions) wafer_hops += region.next_on_other_wafer ? 1 : 0;
  return {checked("aggregate_bandwidth", aggregate, pass), checked("layer_serial_bandwidth", serial, pass),
          checked("distance", distance(inputs, wafer, schedules, wafer_hops), pass)};
}

}  // namespace waferline::estimate
