#pragma once
// What a sequence keeps between tokens: the KV cache, the indexer's keys, and recurrent state.

#include <cstdint>

#include "arch/dtype.hpp"
#include "arch/units.hpp"
#include "models/model.hpp"

namespace waferline::models {

/// Elements that one mixer adds to its cache per token: kv_heads x (head_dim + v_head_dim); for latent attention
/// kv_lora_rank + qk_rope_head_dim, one vector for all heads. 0 for mixers without a cache of their own. Model: F59.
std::int64_t kv_elements_per_token(const Mixer& mixer);

/// Elements of the indexer's key per token; 0 without one, and for layers that use another layer's choice.
std::int64_t index_elements_per_token(const Mixer& mixer);

/// Elements of fixed recurrent state: matrix or channel states and the convolution's tail.
std::int64_t state_elements(const Mixer& mixer);

/// True if the mixer's cache stops growing at its window.
bool is_windowed(const Mixer& mixer);

/// Tokens that the mixer's cache holds at that context: min(context, window) for windowed mixers.
std::int64_t cached_tokens(const Mixer& mixer, std::int64_t context_tokens);

/// What one sequence needs. "Without a hybrid cache" is what an engine takes that gives every layer the full length.
struct KvFigures {
  Bytes per_token;                       ///< growth per token once every window is full
  Bytes per_token_without_hybrid_cache;  ///< growth per token if windows are not used to save memory
  Bytes at_context;
  Bytes at_context_without_hybrid_cache;
  Bytes index_per_token;  ///< indexer keys, in the KV cache's type, on top of the above
  Bytes index_at_context;
  Bytes state;  ///< recurrent state, fp32
  std::int64_t state_elements = 0;
  int caching_layers = 0;  ///< mixers that own a cache
  bool operator==(const KvFigures&) const = default;
};

/// Figures of a model at a context of `context_tokens` >= 0, its cache stored as `kv_dtype`.
/// `with_prediction_layers` adds the caches of its multi-token-prediction layers, which run when they are used.
KvFigures kv_figures(const Model& model, std::int64_t context_tokens, DType kv_dtype,
                     bool with_prediction_layers = false);

}  // namespace waferline::models
