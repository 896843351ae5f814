#pragma once
// What a layer, the output head or the input embedding takes of each PE's SRAM and of the time of a pass, on a
// rectangle of a given size. Equal layers are worked out once.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "kernels/options.hpp"
#include "mapping/part_schedules.hpp"
#include "models/model.hpp"

namespace waferline::mapping {

/// Bytes of the fullest PE and cycles of one pass.
struct PartCost {
  Bytes weights;
  Bytes kv;       ///< caches and states of all sequences of the pass
  Bytes buffers;  ///< activations and partial sums; the parts of a region use the same ones in turn
  Cycles cycles;
};

/// The distinct layers of a model, in the order of their first use.
struct LayerKinds {
  std::vector<const models::Layer*> layers;  ///< one of each kind; owned by the model
  std::vector<std::size_t> of_layer;         ///< kind of each layer
  std::vector<std::int64_t> count;           ///< layers of each kind
};

/// Groups a model's layers by equality of everything that costs bytes or time.
LayerKinds group_layers(const models::Model& model);

/// Costs of a model's parts, remembered by extent. Keeps references: model, kinds and software must outlive it.
class PartCosts {
 public:
  PartCosts(const models::Model& model, const LayerKinds& kinds, const Wafer& wafer, const SoftwareProfile& software,
            const kernels::Pass& pass);

  /// Costs of each kind of layer on `extent`. References hold until the object is destroyed.
  const std::vector<PartCost>& layers(Extent extent);
  /// The output head with final norm and sampling, the vocabulary dealt over `regions` regions.
  const PartCost& head(Extent extent, std::int64_t regions);
  /// The input embedding, its rows dealt over `regions` regions.
  const PartCost& embedding(Extent extent, std::int64_t regions);

  /// Colors of all schedules worked out so far.
  std::int64_t colors() const { return colors_.colors(); }
  /// Stored bytes of all layers' weights, without padding.
  Bytes all_layers() const { return all_layers_; }
  /// Stored bytes of the largest layer's weights, without padding.
  Bytes largest_layer() const { return largest_layer_; }

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;
  PartCost cost(const kernels::Schedule& schedule);

  const LayerKinds* kinds_;
  PartSchedules schedules_;
  ColorCount colors_;
  Bytes all_layers_;
  Bytes largest_layer_;
  std::map<Key, std::vector<PartCost>> layers_;
  std::map<std::pair<Key, std::int64_t>, PartCost> heads_;
  std::map<std::pair<Key, std::int64_t>, PartCost> embeddings_;
};

}  // namespace waferline::mapping
