// Follows: grouped-query attention (arXiv 2305.13245); latent attention (arXiv 2405.04434, section 2.1.2: cached are
// the latent and the rotated key); gated DeltaNet (arXiv 2412.06464); Mamba (arXiv 2312.00752) and Mamba-2 (arXiv
// 2405.21060).
#include "models/kv.hpp"

#include <algorithm>

namespace waferline::models {

bool is_windowed(const Mixer& mixer) {
  return mixer.kind == MixerKind::sliding_attention || mixer.kind == MixerKind::chunked_attention;
}

std::int64_t kv_elements_per_token(const Mixer& mixer) {
  if (mixer.shares_kv) return 0;
  if (mixer.kind == MixerKind::mla) return mixer.kv_lora_rank + mixer.qk_rope_head_dim;
  const bool softmax = mixer.kind == MixerKind::full_attention || is_windowed(mixer);
  return softmax ? mixer.kv_heads * (mixer.head_dim + mixer.v_head_dim) : 0;
}

std::int64_t index_elements_per_token(const Mixer& mixer) {
  return mixer.index_heads > 0 && !mixer.index_shared ? mixer.index_head_dim : 0;
}

std::int64_t state_elements(const Mixer& m) {
  const std::int64_t tail = m.conv_kernel - 1;
  switch (m.kind) {
    case MixerKind::gated_delta_net: {
      const std::int64_t key = m.linear_key_heads * m.linear_key_head_dim;
      const std::int64_t value = m.linear_value_heads * m.linear_value_head_dim;
      return value * m.linear_key_head_dim + (2 * key + value) * tail;
    }
    case MixerKind::lightning:
      return m.heads * m.head_dim * m.head_dim;
    case MixerKind::mamba1:
      return m.d_inner * m.d_state + m.d_inner * tail;
    case MixerKind::mamba2:
      return m.d_inner * m.d_state + (m.d_inner + 2 * m.n_groups * m.d_state) * tail;
    default:
      return 0;
  }
}

std::int64_t cached_tokens(const Mixer& mixer, std::int64_t context_tokens) {
  return is_windowed(mixer) ? std::min(context_tokens, mixer.window) : context_tokens;
}

namespace {

void add_mixer(KvFigures& figures, const Mixer& mixer, std::int64_t context_tokens, DType kv_dtype) {
  const Bytes per_token = packed_bytes(kv_dtype, kv_elements_per_token(mixer));
  const Bytes index = packed_bytes(kv_dtype, index_elements_per_token(mixer));
  if (!is_windowed(mixer)) figures.per_token += per_token;
  figures.per_token_without_hybrid_cache += per_token;
  figures.at_context += cached_tokens(mixer, context_tokens) * per_token;
  figures.at_context_without_hybrid_cache += context_tokens * per_token;
  figures.index_per_token += index;
  figures.index_at_context += context_tokens * index;
  figures.state_elements += state_elements(mixer);
  figures.caching_layers += per_token.value > 0 ? 1 : 0;
}

}  // namespace

KvFigures kv_figures(const Model& model, std::int64_t context_tokens, DType kv_dtype, bool with_prediction_layers) {
  KvFigures figures;
  for (const Layer& layer : model.layers) {
    for (const Mixer& mixer : layer.mixers) add_mixer(figures, mixer, context_tokens, kv_dtype);
  }
  if (with_prediction_layers) {
    for (const Layer& layer : model.mtp_layers) {
      for (const Mixer& mixer : layer.mixers) add_mixer(figures, mixer, context_tokens, kv_dtype);
    }
  }
  figures.state = packed_bytes(DType::fp32, figures.state_elements);
  return figures;
}

}  // namespace waferline::models
