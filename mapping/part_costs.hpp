#pragma once
// What a layer, the output head or the input embedding takes of each PE's SRAM and of the time of a pass, on a
// rectangle of a given size. Equal layers are worked out once.

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "kernels/options.hpp"
#include "mapping/part_schedules.hpp"
#include "models/model.hpp"

namespace waferline::mapping {

/// What goes back from the head to the first region for each user.
inline constexpr Bytes kTokenBytes{4};

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

/// Costs of a model's parts, remembered by form. Keeps references: model, kinds and software must outlive it.
/// References that it returns hold until the object is destroyed.
class PartCosts {
 public:
  PartCosts(const models::Model& model, const LayerKinds& kinds, const Wafer& wafer, const SoftwareProfile& software,
            const kernels::Pass& pass);

  /// A layer of one kind.
  const PartCost& layer(std::size_t kind, const Form& form);
  /// The output head with final norm and sampling, the vocabulary dealt over `regions` regions.
  const PartCost& head(Extent extent, std::int64_t regions);
  /// The input embedding, its rows dealt over `regions` regions.
  const PartCost& embedding(Extent extent, std::int64_t regions);
  /// The hidden vector's way to a region of schedule extent `extent`, `hops` links away.
  Cycles transfer(Extent extent, std::int64_t hops);
  /// The chosen token's way back, `hops` links from a region of schedule extent `extent`.
  Cycles feedback(Extent extent, std::int64_t hops);
  /// The hidden vectors from one wafer to the next, without the way to and from the edges.
  Cycles wafer_hop() const { return wafer_hop_; }
  /// The chosen tokens from the last wafer to the first.
  Cycles wafer_hop_back() const { return wafer_hop_back_; }

  /// Colors of all schedules worked out so far.
  std::int64_t colors() const { return colors_.colors(); }
  /// Stored bytes of all layers' weights, without padding.
  Bytes all_layers() const { return all_layers_; }
  /// Stored bytes of the largest layer's weights, without padding.
  Bytes largest_layer() const { return largest_layer_; }
  /// Stored bytes of the smallest layer's weights, without padding.
  Bytes smallest_layer() const { return smallest_layer_; }
  /// What one user's caches and state take, without padding.
  Bytes least_cache_bytes() const { return cache_bytes_; }
  bool has_experts() const { return has_experts_; }
  /// Most heads over one latent cache; 0 without latent attention.
  std::int64_t latent_heads() const { return latent_heads_; }
  const LayerKinds& kinds() const { return *kinds_; }

 private:
  /// Which part (0 to 3: head, embedding, the two ways; then the kinds of layers) in which form.
  struct Key {
    std::size_t part = 0;
    Form form;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  PartCost cost(const kernels::Schedule& schedule);

  const LayerKinds* kinds_;
  PartSchedules schedules_;
  ColorCount colors_;
  Bytes all_layers_;
  Bytes largest_layer_;
  Bytes smallest_layer_{std::numeric_limits<std::int64_t>::max()};
  Cycles hop_;
  Cycles wafer_hop_;
  Cycles wafer_hop_back_;
  Bytes cache_bytes_;
  bool has_experts_ = false;
  std::int64_t latent_heads_ = 0;
  std::unordered_map<Key, PartCost, KeyHash> parts_;
  std::unordered_map<Key, Cycles, KeyHash> ways_;  ///< of one hop, by extent
};

}  // namespace waferline::mapping
