#pragma once
// Softmax attention of one layer: its sizes from the keys, and the weights that follow from them.

#include <cstdint>
#include <string>
#include <vector>

#include "models/keys.hpp"
#include "models/layer.hpp"

namespace waferline::models {

/// per_head: one vector of head_dim for all heads; whole: one norm over all heads together; per_each_head: a vector for
/// every head apart. whole and per_each_head hold equally many weights.
enum class QkNorm { none, per_head, whole, per_each_head };

/// What a family's attention has that its keys do not always say.
struct AttentionTraits {
  Switch qkv_bias{"attention_bias", false};
  Switch out_bias{"attention_bias", false};
  QkNorm qk_norm = QkNorm::none;
  Switch qk_norm_on{nullptr, true};  ///< switches qk_norm off where a key says so
  bool sinks = false;
  std::string prefix = "self_attn";
};

/// Sizes that all layers share unless the layer's kind overrides them.
struct AttentionSizes {
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t v_head_dim = 0;
};

/// Reads heads, KV heads and head size. Absent or null KV heads mean one per query head; an absent, null or zero head
/// size means hidden_size / heads, which must divide; both follow the model classes and are noted.
AttentionSizes read_attention_sizes(Keys& keys, std::int64_t hidden_size);

/// Grouped-query attention with those sizes and a family's traits.
Mixer grouped_attention(Keys& keys, const AttentionSizes& sizes, const AttentionTraits& traits);

/// Multi-head latent attention (DeepSeek V2 and later), with the indexer of V3.2 if its keys are there.
Mixer latent_attention(Keys& keys);

/// Appends the weights of a softmax mixer of any kind to `out`, named under `prefix`.
/// Model: F50 (grouped), F51 (latent and indexer).
void add_attention_weights(std::vector<Weight>& out, std::int64_t hidden_size, const Mixer& mixer,
                           const std::string& prefix);

}  // namespace waferline::models
