// Gemma 3n and Gemma 4: two head sizes, layers that reuse a cache, per-layer inputs, alternating updates.
#include <fmt/format.h>

#include "models/families/lists.hpp"
#include "models/weights.hpp"

namespace waferline::models {
namespace {

const FfnTraits kGated{.bias = {nullptr, false}};

/// Widths of a layer's extra inputs and side paths.
struct SidePaths {
  std::int64_t per_layer_input = 0;
  std::int64_t laurel_rank = 0;
  std::int64_t altup_inputs = 0;
};

/// Marks the last num_kv_shared_layers layers: they read the cache of an earlier layer of their kind.
std::int64_t first_shared_layer(Keys& keys, std::int64_t layers) {
  const std::int64_t shared = keys.find("num_kv_shared_layers").value_or(0);
  if (shared > layers) keys.problem("num_kv_shared_layers", fmt::format("is {}, there are {} layers", shared, layers));
  return std::max<std::int64_t>(layers - shared, 0);
}

/// The table of per-layer inputs (an embedding) and what joins it to the model's width.
void add_per_layer_inputs(Build& build, std::int64_t width) {
  if (width == 0) return;
  Model& model = build.model;
  const std::int64_t inner = build.layers * width;
  WeightList(model.embedding)
      .matrix("embed_tokens_per_layer.weight", WeightRole::other, build.keys.size("vocab_size_per_layer_input"), inner);
  WeightList weights(model.final_norm);
  weights.matrix("per_layer_model_projection.weight", WeightRole::other, inner, model.hidden_size);
  weights.vector("per_layer_projection_norm.weight", WeightRole::norm, width);
}

void add_side_paths(Layer& layer, std::int64_t d, const SidePaths& paths) {
  WeightList weights(layer.weights);
  if (paths.laurel_rank > 0) {
    weights.matrix("laurel.linear_left.weight", WeightRole::other, paths.laurel_rank, d);
    weights.matrix("laurel.linear_right.weight", WeightRole::other, d, paths.laurel_rank);
    weights.vector("laurel.post_laurel_norm.weight", WeightRole::norm, d);
  }
  if (paths.per_layer_input > 0) {
    weights.matrix("per_layer_input_gate.weight", WeightRole::other, paths.per_layer_input, d);
    weights.matrix("per_layer_projection.weight", WeightRole::other, d, paths.per_layer_input);
    weights.vector("post_per_layer_input_norm.weight", WeightRole::norm, d);
  }
  const std::int64_t n = paths.altup_inputs;
  weights.matrix("altup.correction_coefs.weight", WeightRole::other, n, n);
  weights.matrix("altup.prediction_coefs.weight", WeightRole::other, n * n, n);
  weights.matrix("altup.modality_router.weight", WeightRole::other, n, n > 0 ? d : 0);
  weights.vector("altup.router_norm.weight", WeightRole::norm, n > 0 ? d : 0);
  weights.vector("altup.correct_output_scale", WeightRole::other, n > 0 ? d : 0);
}

Mixer at_slot(Mixer mixer, const LayerSlot& slot, bool shares) {
  mixer.kind = slot.kind;
  mixer.window = slot.window;
  mixer.shares_kv = shares;
  return mixer;
}

void build_gemma3n(Build& build) {
  Keys& keys = build.keys;
  const std::int64_t d = build.hidden_size();
  const Mixer attention = grouped_attention(keys, read_attention_sizes(keys, d), build.family.attention);
  const std::vector<LayerSlot> slots = attention_layout(keys, build.layers, {.full_every = 5});
  const std::int64_t first_shared = first_shared_layer(keys, build.layers);
  const SidePaths paths{keys.size("hidden_size_per_layer_input"), keys.size("laurel_rank"),
                        keys.size("altup_num_inputs")};
  const auto widths = per_layer_integers(keys, "intermediate_size", build.layers, {1, 1 << 22});
  const std::int64_t one_width = widths ? 0 : keys.size("intermediate_size");
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Layer layer;
    layer.mixers = {at_slot(attention, slots[i], static_cast<std::int64_t>(i) >= first_shared)};
    add_attention_weights(layer.weights, d, layer.mixers.front(), build.family.attention.prefix);
    add_ffn(layer, build, dense_ffn(keys, kGated, widths ? (*widths)[i] : one_width));
    add_norms(layer, d, 4, build.family.norms, false);
    add_side_paths(layer, d, paths);
    build.model.layers.push_back(std::move(layer));
  }
  add_per_layer_inputs(build, paths.per_layer_input);
  WeightList whole(build.model.final_norm);
  whole.matrix("altup_projections.weight", WeightRole::other, d, d, paths.altup_inputs - 1);
  whole.matrix("altup_unembed_projections.weight", WeightRole::other, d, d, paths.altup_inputs - 1);
}

/// Full layers of Gemma 4 have their own head size and KV heads, and may use their keys as values.
Mixer global_attention(Keys& keys, Mixer mixer) {
  mixer.head_dim = keys.positive("global_head_dim").value_or(mixer.head_dim);
  mixer.v_head_dim = mixer.head_dim;
  mixer.kv_heads = keys.find("num_global_key_value_heads").value_or(mixer.kv_heads);
  mixer.k_is_v = keys.on({"attention_k_eq_v", false});
  return mixer;
}

/// Experts beside the dense block: router with its scale, a scale per expert, and three norms more.
void add_parallel_experts(Layer& layer, Build& build, const Ffn& moe) {
  const std::int64_t d = build.hidden_size();
  FfnTraits traits = kGated;
  traits.prefix = "moe";
  add_ffn_weights(layer.weights, d, moe, traits);
  WeightList weights(layer.weights);
  weights.vector("router.scale", WeightRole::router, d);
  weights.vector("moe.per_expert_scale", WeightRole::router, moe.routed_experts);
  add_norms(layer, d, 3, build.family.norms, false);
  layer.ffns.push_back(moe);
}

void build_gemma4(Build& build) {
  Keys& keys = build.keys;
  const std::int64_t d = build.hidden_size();
  const Mixer sliding = grouped_attention(keys, read_attention_sizes(keys, d), build.family.attention);
  const Mixer global = global_attention(keys, sliding);
  const std::vector<LayerSlot> slots = attention_layout(keys, build.layers, {.full_every = 6});
  const std::int64_t first_shared = first_shared_layer(keys, build.layers);
  const SidePaths paths{keys.find("hidden_size_per_layer_input").value_or(0), 0, 0};
  if (paths.per_layer_input > 0)
    keys.note("Gemma 4 with per-layer inputs: shaped as Gemma 3n's, no published total to check against");
  const bool wide = keys.on({"use_double_wide_mlp", false});
  const std::int64_t width = keys.size("intermediate_size");
  const bool experts = keys.on({"enable_moe_block", false});
  const Ffn moe = experts ? expert_ffn(keys, kGated) : Ffn{};
  keys.ignore({"num_experts", "num_experts_per_tok", "moe_intermediate_size", "vocab_size_per_layer_input"});
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const bool shares = static_cast<std::int64_t>(i) >= first_shared;
    Layer layer;
    layer.mixers = {at_slot(slots[i].kind == MixerKind::sliding_attention ? sliding : global, slots[i], shares)};
    add_attention_weights(layer.weights, d, layer.mixers.front(), build.family.attention.prefix);
    add_ffn(layer, build, dense_ffn(keys, kGated, wide && shares ? 2 * width : width));
    add_norms(layer, d, 4, build.family.norms, false);
    if (experts) add_parallel_experts(layer, build, moe);
    add_side_paths(layer, d, paths);
    build.model.layers.push_back(std::move(layer));
  }
  add_per_layer_inputs(build, paths.per_layer_input);
}

}  // namespace

void add_late_gemma(std::vector<Family>& out) {
  const NormTraits four{.per_layer = 4};
  out.push_back({.name = "gemma3n",
                 .model_types = {"gemma3n", "gemma3n_text"},
                 .attention = {.qk_norm = QkNorm::per_head},
                 .ffn = kGated,
                 .norms = four,
                 .tied = true,
                 .build = build_gemma3n});
  out.push_back({.name = "gemma4",
                 .model_types = {"gemma4", "gemma4_text"},
                 .attention = {.qk_norm = QkNorm::per_head},
                 .ffn = kGated,
                 .norms = four,
                 .tied = true,
                 .layer_prefix = "model.language_model.layers",
                 .build = build_gemma4});
}

}  // namespace waferline::models
