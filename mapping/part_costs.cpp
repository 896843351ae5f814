#include "mapping/part_costs.hpp"

#include <algorithm>

#include "kernels/count.hpp"
#include "models/weights.hpp"

namespace waferline::mapping {
namespace {

bool same_cost(const models::Layer& a, const models::Layer& b) {
  return a.norms == b.norms && a.layer_norm == b.layer_norm && a.mixers == b.mixers && a.ffns == b.ffns &&
         a.weights == b.weights;
}

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
    : kinds_(&kinds), schedules_(model, wafer, software, pass) {
  for (std::size_t kind = 0; kind < kinds.layers.size(); ++kind) {
    const Bytes bytes = models::stored_bytes(kinds.layers[kind]->weights);
    all_layers_ += bytes * kinds.count[kind];
    largest_layer_ = std::max(largest_layer_, bytes);
  }
}

PartCost PartCosts::cost(const kernels::Schedule& schedule) {
  colors_.add(schedule);
  const kernels::SramBytes sram = kernels::sram(schedule);
  return {sram.weights, sram.kv + sram.state, sram.buffers, kernels::time(schedule, schedules_.rates()).total()};
}

const std::vector<PartCost>& PartCosts::layers(Extent extent) {
  std::vector<PartCost>& costs = layers_[{extent.rows, extent.cols}];
  if (costs.empty()) {
    for (const models::Layer* layer : kinds_->layers) costs.push_back(cost(schedules_.layer(*layer, extent)));
  }
  return costs;
}

const PartCost& PartCosts::head(Extent extent, std::int64_t regions) {
  const auto [entry, is_new] = heads_.try_emplace({{extent.rows, extent.cols}, regions});
  if (is_new) entry->second = cost(schedules_.head(extent, regions));
  return entry->second;
}

const PartCost& PartCosts::embedding(Extent extent, std::int64_t regions) {
  const auto [entry, is_new] = embeddings_.try_emplace({{extent.rows, extent.cols}, regions});
  if (is_new) entry->second = cost(schedules_.embedding(extent, regions));
  return entry->second;
}

}  // namespace waferline::mapping
