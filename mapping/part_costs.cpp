#include "mapping/part_costs.hpp"

#include <algorithm>

#include "kernels/count.hpp"
#include "models/kv.hpp"
#include "models/weights.hpp"

namespace waferline::mapping {
namespace {

bool same_cost(const models::Layer& a, const models::Layer& b) {
  return a.norms == b.norms && a.layer_norm == b.layer_norm && a.mixers == b.mixers && a.ffns == b.ffns &&
         a.weights == b.weights;
}

/// Parts that are told apart in a key; kinds of layers follow the last.
enum Part : std::size_t { kHead, kEmbedding, kTransfer, kFeedback, kLayer };

}  // namespace

LayerKinds group_layers(const models::Model& model) {
  LayerKinds kinds;
  kinds.of_layer.reserve(model.layers.size());
  for (const models::Layer& layer : model.layers) {
    const auto known = std::find_if(kinds.layers.begin(), kinds.layers.end(),
                                    [&](const models::Layer* other) { return same_cost(layer, *other); });
    const auto kind = static_cast<std::size_t>(known - kinds.layers.begin());
    if (known == kinds.layers.end()) {
      kinds.layers.push_back(&layer);
      kinds.count.push_back(0);
    }
    kinds.of_layer.push_back(kind);
    ++kinds.count[kind];
  }
  return kinds;
}

PartCosts::PartCosts(const models::Model& model, const LayerKinds& kinds, const Wafer& wafer,
                     const SoftwareProfile& software, const kernels::Pass& pass)
    : kinds_(&kinds), schedules_(model, wafer, software, pass), hop_(wafer.fabric.hop.value) {
  for (std::size_t kind = 0; kind < kinds.layers.size(); ++kind) {
    const Bytes bytes = models::stored_bytes(kinds.layers[kind]->weights);
    all_layers_ += bytes * kinds.count[kind];
    largest_layer_ = std::max(largest_layer_, bytes);
    smallest_layer_ = std::min(smallest_layer_, bytes);
    for (const models::Ffn& ffn : kinds.layers[kind]->ffns) has_experts_ = has_experts_ || ffn.routed_experts > 0;
    for (const models::Mixer& mixer : kinds.layers[kind]->mixers) {
      if (mixer.kind == models::MixerKind::mla) latent_heads_ = std::max(latent_heads_, mixer.heads);
    }
  }
  const models::KvFigures kv = models::kv_figures(model, pass.context_tokens, model.kv_dtype);
  cache_bytes_ = kv.at_context + kv.index_at_context + kv.state;
  const auto link = [&](Bytes bytes) {
    const Seconds time = wafer.links.wafer_to_wafer_latency.value + software.per_wafer_hop.value +
                         bytes / wafer.links.wafer_to_wafer.value;
    return Cycles{time.value * wafer.clock.value.value};
  };
  wafer_hop_ = link(schedules_.hidden_bytes());
  wafer_hop_back_ = link(kTokenBytes * pass.batch);
}

std::size_t PartCosts::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = key.part;
  for (const std::int64_t number :
       {key.form.extent.rows, key.form.extent.cols, key.form.expert_bands, key.form.latent_copies}) {
    // Multiplication by 2^64 over the golden ratio spreads small numbers over all bits.
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

PartCost PartCosts::cost(const kernels::Schedule& schedule) {
  colors_.add(schedule);
  const kernels::SramBytes sram = kernels::sram(schedule);
  return {sram.weights, sram.kv + sram.state, sram.buffers, kernels::time(schedule, schedules_.rates()).total()};
}

const PartCost& PartCosts::layer(std::size_t kind, const Form& form) {
  const auto [entry, is_new] = parts_.try_emplace(Key{kLayer + kind, form});
  if (is_new) entry->second = cost(schedules_.layer(*kinds_->layers[kind], form));
  return entry->second;
}

const PartCost& PartCosts::head(Extent extent, std::int64_t regions) {
  const auto [entry, is_new] = parts_.try_emplace(Key{kHead, {extent, regions, 1}});
  if (is_new) entry->second = cost(schedules_.head(extent, regions));
  return entry->second;
}

const PartCost& PartCosts::embedding(Extent extent, std::int64_t regions) {
  const auto [entry, is_new] = parts_.try_emplace(Key{kEmbedding, {extent, regions, 1}});
  if (is_new) entry->second = cost(schedules_.embedding(extent, regions));
  return entry->second;
}

Cycles PartCosts::transfer(Extent extent, std::int64_t hops) {
  const auto [entry, is_new] = ways_.try_emplace(Key{kTransfer, {extent, 1, 1}});
  if (is_new) entry->second = cost(schedules_.transfer(extent, 1)).cycles;
  return entry->second + hop_ * static_cast<double>(hops - 1);
}

Cycles PartCosts::feedback(Extent extent, std::int64_t hops) {
  const auto [entry, is_new] = ways_.try_emplace(Key{kFeedback, {extent, 1, 1}});
  if (is_new) entry->second = cost(schedules_.feedback(extent, 1)).cycles;
  return entry->second + hop_ * static_cast<double>(hops - 1);
}

}  // namespace waferline::mapping
