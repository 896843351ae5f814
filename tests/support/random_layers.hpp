#pragma once
// Random small layers of every kind, for property and cross tests.

#include <random>

#include "kernels/layer_schedule.hpp"

namespace waferline::tests {

class RandomLayers {
 public:
  explicit RandomLayers(std::uint32_t seed) : random_(seed) {}

  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool coin() { return number(0, 1) == 1; }

  models::Layer layer() {
    models::Layer layer;
    layer.mixers.push_back(mixer(static_cast<models::MixerKind>(number(0, 9))));
    layer.ffns.push_back(ffn());
    layer.norms = number(0, 4);
    layer.layer_norm = coin();
    add_stored(layer);
    return layer;
  }

  models::Mixer mixer(models::MixerKind kind);
  models::Ffn ffn();

 private:
  static void add_stored(models::Layer& layer);
  void size_attention(models::Mixer& m);
  void size_latent(models::Mixer& m);
  void size_recurrent(models::Mixer& m);

  std::mt19937 random_;
};

inline void RandomLayers::size_attention(models::Mixer& m) {
  m.kv_heads = number(1, 6);
  m.heads = m.kv_heads * number(1, 4);
  m.head_dim = 2 * number(1, 16);
  m.k_is_v = coin() && coin();
  m.v_head_dim = m.k_is_v || coin() ? m.head_dim : number(1, 20);
  m.window = number(1, 40);
  m.output_gate = coin();
  m.shares_kv = coin() && coin();
  m.qk_norm = coin();
  m.qk_norm_whole = coin();
  m.qkv_bias = coin();
  m.out_bias = coin();
  m.sinks = coin();
  m.rope = coin();
  if (coin() && coin()) m.q_lora_rank = number(1, 20);
}

inline void RandomLayers::size_latent(models::Mixer& m) {
  m.heads = number(1, 12);
  m.q_lora_rank = coin() ? number(1, 30) : 0;
  m.kv_lora_rank = number(1, 40);
  m.qk_nope_head_dim = number(1, 12);
  m.qk_rope_head_dim = 2 * number(1, 6);
  m.head_dim = m.qk_nope_head_dim + m.qk_rope_head_dim;
  m.v_head_dim = number(1, 12);
  if (coin()) {
    m.index_heads = number(1, 6);
    m.index_head_dim = number(1, 20);
    m.index_topk = number(1, 60);
  }
}

inline void RandomLayers::size_recurrent(models::Mixer& m) {
  m.heads = number(1, 8);
  m.head_dim = number(1, 12);
  m.linear_key_heads = number(1, 6);
  m.linear_value_heads = m.linear_key_heads * number(1, 3);
  m.linear_key_head_dim = number(1, 12);
  m.linear_value_head_dim = number(1, 12);
  m.conv_kernel = number(2, 4);
  m.d_state = number(1, 20);
  m.n_groups = m.heads % 2 == 0 && coin() ? 2 : 1;
  m.d_inner = m.heads * m.head_dim;
  m.dt_rank = number(1, 12);
}

inline models::Mixer RandomLayers::mixer(models::MixerKind kind) {
  models::Mixer m;
  m.kind = kind;
  switch (kind) {
    case models::MixerKind::full_attention:
    case models::MixerKind::sliding_attention:
    case models::MixerKind::chunked_attention:
      size_attention(m);
      break;
    case models::MixerKind::mla:
      size_latent(m);
      break;
    default:
      size_recurrent(m);
  }
  return m;
}

inline models::Ffn RandomLayers::ffn() {
  models::Ffn f;
  f.kind = static_cast<models::FfnKind>(number(0, 3));
  f.gated = coin();
  f.bias = coin();
  f.width = number(1, 80);
  f.routed_experts = number(1, 12);
  f.zero_experts = number(0, 2);
  f.active_experts = number(1, f.routed_experts);
  f.expert_width = number(1, 40);
  f.shared_width = coin() ? number(1, 40) : 0;
  f.shared_gate = coin() && f.shared_width > 0;
  f.router_bias = coin();
  f.latent_size = coin() ? number(1, 30) : 0;
  return f;
}

/// Stored types that differ by role, so that bytes are told apart.
inline void RandomLayers::add_stored(models::Layer& layer) {
  using models::WeightRole;
  layer.weights.push_back({"a", WeightRole::attention, 1, 1, 1, {DType::fp8_e4m3, 8, 8, 32, 0}});
  layer.weights.push_back({"f", WeightRole::dense_ffn, 1, 1, 1, {DType::int4, 1, 32, 16, 0}});
  layer.weights.push_back({"e", WeightRole::routed_expert, 1, 1, 1, {DType::mxfp4, 1, 32, 8, 0}});
  layer.weights.push_back({"n", WeightRole::norm, 1, 1, 1, {DType::fp32, 0, 0, 0, 0}});
}

/// Options that a test should see all of.
inline kernels::ScheduleOptions random_options(RandomLayers& random) {
  kernels::ScheduleOptions options;
  options.loop = random.coin() ? LoopOrder::shorter : LoopOrder::per_input;
  options.accumulate = random.coin() ? DType::fp16 : DType::fp32;
  options.weights_once_per_batch = random.coin();
  options.sum_with_values = random.coin();
  options.latent_copies = random.number(1, 4);
  options.expert_bands = random.number(1, 3);
  return options;
}

}  // namespace waferline::tests
