#include <fmt/format.h>

#include <algorithm>

#include "models/family.hpp"
#include "models/weights.hpp"

namespace waferline::models {

void add_norms(Layer& layer, std::int64_t hidden_size, int count, const NormTraits& traits, bool bias) {
  WeightList weights(layer.weights);
  layer.norms += count;
  layer.layer_norm = traits.layer_norm;
  for (int i = 0; i < count; ++i) {
    const std::string name = fmt::format("norm_{}", layer.norms - count + i);
    weights.vector(name + ".weight", WeightRole::norm, hidden_size);
    if (bias) weights.vector(name + ".bias", WeightRole::norm, hidden_size);
  }
}

Mixer family_attention(Build& build) {
  Keys& keys = build.keys;
  if (keys.positive("kv_lora_rank")) {
    Mixer mixer = latent_attention(keys);
    mixer.qkv_bias = keys.on(build.family.attention.qkv_bias);
    mixer.out_bias = keys.on(build.family.attention.out_bias);
    return mixer;
  }
  if (const auto rope = keys.positive("qk_rope_head_dim")) {
    keys.problem("qk_rope_head_dim", fmt::format("is {}: latent attention, but the file gives no kv_lora_rank", *rope));
  }
  return grouped_attention(keys, read_attention_sizes(keys, build.hidden_size()), build.family.attention);
}

namespace {

/// Heads of sliding layers where the file gives them their own (MiMo-V2).
void override_sliding_heads(Keys& keys, Mixer& sliding) {
  if (const auto heads = keys.find("swa_num_attention_heads")) sliding.heads = *heads;
  if (const auto kv_heads = keys.find("swa_num_key_value_heads")) sliding.kv_heads = *kv_heads;
  if (const auto head_dim = keys.find("swa_head_dim")) sliding.head_dim = *head_dim;
  if (const auto v_head_dim = keys.find("swa_v_head_dim")) sliding.v_head_dim = *v_head_dim;
  if (const auto sinks = keys.flag("add_swa_attention_sink_bias")) sliding.sinks = *sinks;
}

/// indexer_types (GLM-5.2): "shared" layers reuse the choice of an earlier layer.
std::vector<bool> shared_indexers(Build& build) {
  const auto words = build.keys.strings("indexer_types");
  std::vector<bool> shared(static_cast<std::size_t>(build.layers), false);
  if (!words || words->empty()) return shared;
  if (static_cast<std::int64_t>(words->size()) != build.layers) {
    build.keys.problem("indexer_types", fmt::format("has {} entries for {} layers", words->size(), build.layers));
    return shared;
  }
  for (std::size_t i = 0; i < words->size(); ++i) {
    if ((*words)[i] != "full" && (*words)[i] != "shared") {
      build.keys.problem("indexer_types", fmt::format("holds \"{}\"; known are full, shared", (*words)[i]));
    }
    shared[i] = (*words)[i] == "shared";
  }
  build.keys.note(
      "indexer_types: layers marked \"shared\" keep no index keys; their indexer weights are counted all the same "
      "(no published total to check against)");
  return shared;
}

/// The kinds of softmax mixer that a standard family's layers draw from.
struct SoftmaxMixers {
  Mixer attention;
  Mixer sliding;
  std::vector<LayerSlot> slots;
  std::vector<bool> index_shared;
  std::optional<std::vector<std::int64_t>> heads;     ///< a layer's own, where a file lists them
  std::optional<std::vector<std::int64_t>> kv_heads;  ///< 0: this layer has no attention

  Mixer at(std::size_t layer) const {
    Mixer mixer = slots[layer].kind == MixerKind::sliding_attention ? sliding : attention;
    if (heads) mixer.heads = (*heads)[layer];
    if (kv_heads) mixer.kv_heads = (*kv_heads)[layer];
    if (mixer.kind != MixerKind::mla && mixer.kv_heads == 0) return {};
    if (mixer.kind != MixerKind::mla) mixer.kind = slots[layer].kind;
    mixer.window = slots[layer].window;
    mixer.rope = slots[layer].rope;
    mixer.index_shared = index_shared[layer];
    return mixer;
  }
};

SoftmaxMixers read_mixers(Build& build) {
  Keys& keys = build.keys;
  SoftmaxMixers mixers;
  mixers.attention = family_attention(build);
  mixers.sliding = mixers.attention;
  override_sliding_heads(keys, mixers.sliding);
  if (keys.flag("add_full_attention_sink_bias").value_or(false)) mixers.attention.sinks = true;
  mixers.slots = attention_layout(keys, build.layers, build.family.layout);
  mixers.index_shared = shared_indexers(build);
  mixers.heads = per_layer_integers(keys, "num_attention_heads_per_layer", build.layers, {0, 1 << 16});
  mixers.kv_heads = per_layer_integers(keys, "num_key_value_heads_per_layer", build.layers, {0, 1 << 16});
  return mixers;
}

}  // namespace

FfnPlan plan_ffns(Build& build) {
  Keys& keys = build.keys;
  FfnPlan plan;
  plan.expert_layers.assign(static_cast<std::size_t>(build.layers), false);
  if (keys.positive("num_experts")) {
    plan.expert_layers = expert_layout(keys, build.layers);
    plan.moe = expert_ffn(keys, build.family.ffn);
  } else if (const auto active = keys.positive("num_experts_per_tok")) {
    keys.problem(
        "num_experts_per_tok",
        fmt::format("is {}, but num_experts, num_local_experts and n_routed_experts are absent or 0", *active));
  }
  if (std::count(plan.expert_layers.begin(), plan.expert_layers.end(), false) > 0) {
    plan.dense = dense_ffn(keys, build.family.ffn, dense_width(keys, build.family.ffn, build.hidden_size()));
  }
  keys.ignore(
      {"intermediate_size", "first_k_dense_replace", "decoder_sparse_step", "n_shared_experts", "num_experts_per_tok"});
  return plan;
}

void add_ffn(Layer& layer, const Build& build, const Ffn& ffn) {
  add_ffn_weights(layer.weights, build.hidden_size(), ffn, build.family.ffn);
  layer.ffns.push_back(ffn);
}

void build_standard(Build& build) {
  const SoftmaxMixers mixers = read_mixers(build);
  const FfnPlan plan = plan_ffns(build);
  const auto widths = per_layer_integers(build.keys, "intermediate_size_per_layer", build.layers, {0, 1 << 22});
  const bool norm_bias = build.keys.on(build.family.norms.bias);
  const int norms = build.keys.on(build.family.norms.one_if) ? 1 : build.family.norms.per_layer;
  for (std::size_t i = 0; i < mixers.slots.size(); ++i) {
    Layer layer;
    layer.mixers = {mixers.at(i)};
    Ffn ffn = plan.at(i);
    if (widths && ffn.kind == FfnKind::dense) ffn.width = (*widths)[i];
    if (ffn.kind == FfnKind::dense && ffn.width == 0) ffn = {};
    const bool attends = layer.mixers.front().kind != MixerKind::none;
    if (attends)
      add_attention_weights(layer.weights, build.hidden_size(), layer.mixers.front(), build.family.attention.prefix);
    add_ffn(layer, build, ffn);
    const int parts =
        (attends ? 1 : 0) + (ffn.kind != FfnKind::none ? 1 : 0);  // a part that is left out takes its norms along
    add_norms(layer, build.hidden_size(), parts == 2 ? norms : norms * parts / 2, build.family.norms, norm_bias);
    build.model.layers.push_back(std::move(layer));
  }
}

}  // namespace waferline::models
