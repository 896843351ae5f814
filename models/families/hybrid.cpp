// Follows: gated DeltaNet (arXiv 2412.06464) as Qwen3-Next and Qwen3.5 shape it, lightning attention as MiniMax M1 does
// (arXiv 2506.13585), and the selective state space of Mamba (arXiv 2312.00752) as Jamba does (arXiv 2403.19887).
#include <fmt/format.h>

#include "models/families/lists.hpp"
#include "models/weights.hpp"

namespace waferline::models {
namespace {

constexpr Switch kNever{nullptr, false};

Mixer delta_net(Keys& keys) {
  Mixer mixer;
  mixer.kind = MixerKind::gated_delta_net;
  mixer.linear_key_heads = keys.size("linear_num_key_heads");
  mixer.linear_value_heads = keys.size("linear_num_value_heads");
  mixer.linear_key_head_dim = keys.size("linear_key_head_dim");
  mixer.linear_value_head_dim = keys.size("linear_value_head_dim");
  mixer.conv_kernel = keys.size("conv_kernel");
  mixer.rope = false;
  return mixer;
}

/// Model: F55. Projections for q, k, v and the gate z, two small ones for decay and step, a convolution over q, k, v.
void add_delta_net(std::vector<Weight>& out, std::int64_t d, const Mixer& m) {
  WeightList weights(out);
  const std::int64_t key = m.linear_key_heads * m.linear_key_head_dim;
  const std::int64_t value = m.linear_value_heads * m.linear_value_head_dim;
  weights.matrix("linear_attn.in_proj_qkv.weight", WeightRole::attention, 2 * key + value, d);
  weights.matrix("linear_attn.in_proj_z.weight", WeightRole::attention, value, d);
  weights.matrix("linear_attn.in_proj_ba.weight", WeightRole::state_space, 2 * m.linear_value_heads, d);
  weights.matrix("linear_attn.conv1d.weight", WeightRole::state_space, 2 * key + value, m.conv_kernel);
  weights.vector("linear_attn.A_log", WeightRole::state_space, m.linear_value_heads);
  weights.vector("linear_attn.dt_bias", WeightRole::state_space, m.linear_value_heads);
  weights.vector("linear_attn.norm.weight", WeightRole::norm, m.linear_value_head_dim);
  weights.matrix("linear_attn.out_proj.weight", WeightRole::attention, d, value);
}

Mixer lightning(const Mixer& attention) {
  Mixer mixer = attention;
  mixer.kind = MixerKind::lightning;
  mixer.kv_heads = attention.heads;
  mixer.rope = false;
  return mixer;
}

/// q, k and v together, an output gate, the output projection, and a norm over all heads.
void add_lightning(std::vector<Weight>& out, std::int64_t d, const Mixer& m) {
  WeightList weights(out);
  const std::int64_t inner = m.heads * m.head_dim;
  weights.matrix("self_attn.qkv_proj.weight", WeightRole::attention, 3 * inner, d);
  weights.matrix("self_attn.output_gate.weight", WeightRole::attention, inner, d);
  weights.matrix("self_attn.out_proj.weight", WeightRole::attention, d, inner);
  weights.vector("self_attn.norm.weight", WeightRole::norm, inner);
}

Mixer mamba1(Keys& keys, std::int64_t d) {
  Mixer mixer;
  mixer.kind = MixerKind::mamba1;
  mixer.d_inner = keys.size("mamba_expand") * d;
  mixer.d_state = keys.size("ssm_state_size");
  mixer.conv_kernel = keys.size("conv_kernel");
  const ConfigNode* rank = keys.node("mamba_dt_rank");
  if (rank != nullptr && rank->string() != nullptr && *rank->string() == "auto") {
    mixer.dt_rank = ceil_div(d, 16);
    keys.note(fmt::format("mamba_dt_rank \"auto\" is hidden_size / 16, rounded up: {}", mixer.dt_rank));
  } else {
    mixer.dt_rank = keys.size("mamba_dt_rank");
  }
  mixer.rope = false;
  return mixer;
}

void add_mamba1(Keys& keys, std::vector<Weight>& out, std::int64_t d, const Mixer& m) {
  WeightList weights(out);
  const bool bias = keys.on({"mamba_proj_bias", false});
  weights.linear("mamba.in_proj", WeightRole::attention, 2 * m.d_inner, d, bias);
  weights.matrix("mamba.conv1d.weight", WeightRole::state_space, m.d_inner, m.conv_kernel);
  if (keys.on({"mamba_conv_bias", true})) weights.vector("mamba.conv1d.bias", WeightRole::bias, m.d_inner);
  weights.matrix("mamba.x_proj.weight", WeightRole::attention, m.dt_rank + 2 * m.d_state, m.d_inner);
  weights.linear("mamba.dt_proj", WeightRole::attention, m.d_inner, m.dt_rank, true);
  weights.matrix("mamba.A_log", WeightRole::state_space, m.d_inner, m.d_state);
  weights.vector("mamba.D", WeightRole::state_space, m.d_inner);
  weights.linear("mamba.out_proj", WeightRole::attention, d, m.d_inner, bias);
  weights.vector("mamba.dt_layernorm.weight", WeightRole::norm, m.dt_rank);
  weights.vector("mamba.b_layernorm.weight", WeightRole::norm, m.d_state);
  weights.vector("mamba.c_layernorm.weight", WeightRole::norm, m.d_state);
}

/// Kinds of Jamba's layers: attention every attn_layer_period-th from attn_layer_offset on, Mamba elsewhere.
std::vector<LayerSlot> jamba_layout(Keys& keys, std::int64_t layers) {
  const std::int64_t period = keys.size("attn_layer_period");
  const std::int64_t offset = keys.size("attn_layer_offset");
  std::vector<LayerSlot> slots;
  for (std::int64_t i = 0; i < layers; ++i) {
    slots.push_back({i % period == offset % period ? MixerKind::full_attention : MixerKind::mamba1, 0, false});
  }
  keys.ignore({"sliding_window"});
  return slots;
}

struct HybridParts {
  Mixer attention;
  Mixer other;
  std::vector<LayerSlot> slots;
};

HybridParts read_parts(Build& build, MixerKind linear) {
  Keys& keys = build.keys;
  const AttentionSizes sizes = read_attention_sizes(keys, build.hidden_size());
  HybridParts parts;
  parts.attention = grouped_attention(keys, sizes, build.family.attention);
  if (linear == MixerKind::gated_delta_net) parts.attention.output_gate = keys.on({"attn_output_gate", true});
  parts.slots = linear == MixerKind::mamba1 ? jamba_layout(keys, build.layers)
                                            : attention_layout(keys, build.layers, {.linear_kind = linear});
  if (linear == MixerKind::gated_delta_net) parts.other = delta_net(keys);
  if (linear == MixerKind::lightning) parts.other = lightning(parts.attention);
  if (linear == MixerKind::mamba1) parts.other = mamba1(keys, build.hidden_size());
  return parts;
}

void add_mixer(Build& build, Layer& layer, const HybridParts& parts, MixerKind kind) {
  const std::int64_t d = build.hidden_size();
  const bool softmax = kind == MixerKind::full_attention;
  const Mixer& mixer = softmax ? parts.attention : parts.other;
  if (softmax) add_attention_weights(layer.weights, d, mixer, build.family.attention.prefix);
  if (kind == MixerKind::gated_delta_net) add_delta_net(layer.weights, d, mixer);
  if (kind == MixerKind::lightning) add_lightning(layer.weights, d, mixer);
  if (kind == MixerKind::mamba1) add_mamba1(build.keys, layer.weights, d, mixer);
  layer.mixers.push_back(mixer);
}

void build_hybrid(Build& build, MixerKind linear) {
  const HybridParts parts = read_parts(build, linear);
  const FfnPlan plan = plan_ffns(build);
  const bool norm_bias = build.keys.on(build.family.norms.bias);
  for (std::size_t i = 0; i < parts.slots.size(); ++i) {
    Layer layer;
    add_mixer(build, layer, parts, parts.slots[i].kind);
    add_ffn(layer, build, plan.at(i));
    add_norms(layer, build.hidden_size(), build.family.norms.per_layer, build.family.norms, norm_bias);
    build.model.layers.push_back(std::move(layer));
  }
}

void build_delta_net(Build& build) {
  build_hybrid(build, MixerKind::gated_delta_net);
}
void build_lightning(Build& build) {
  build_hybrid(build, MixerKind::lightning);
}
void build_jamba(Build& build) {
  build_hybrid(build, MixerKind::mamba1);
}

}  // namespace

void add_hybrid_families(std::vector<Family>& out) {
  const FfnTraits gated_shared{.shared = SharedExperts::own_width, .shared_gate = true};
  out.push_back({.name = "qwen3_next",
                 .model_types = {"qwen3_next"},
                 .attention = {.qk_norm = QkNorm::per_head},
                 .ffn = gated_shared,
                 .mtp = {.stored = true, .assumed = 1},
                 .build = build_delta_net,
                 .note = "Qwen3-Next: its checkpoints hold one multi-token-prediction layer, which no key states "
                         "(Qwen3-Coder-Next has the same keys and none)"});
  out.push_back({.name = "qwen3_5",
                 .model_types = {"qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"},
                 .attention = {.qk_norm = QkNorm::per_head},
                 .ffn = gated_shared,
                 .mtp = {.stored = true},
                 .build = build_delta_net});
  out.push_back(
      {.name = "minimax_m1",
       .model_types = {"minimax_m1", "minimax_text_01", "minimax"},
       .attention = {.qkv_bias = kNever, .out_bias = kNever},
       .ffn = {.prefix = "block_sparse_moe", .expert_width = "intermediate_size", .shared = SharedExperts::own_width},
       .build = build_lightning});
  out.push_back({.name = "jamba",
                 .model_types = {"jamba"},
                 .attention = {.qkv_bias = kNever, .out_bias = kNever},
                 .ffn = {.prefix = "feed_forward", .expert_width = "intermediate_size"},
                 .build = build_jamba});
}

}  // namespace waferline::models
