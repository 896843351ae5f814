// Families whose layers are put together in their own way.
#include <fmt/format.h>

#include <algorithm>

#include "models/families/lists.hpp"
#include "models/weights.hpp"

namespace waferline::models {
namespace {

constexpr Switch kAlways{nullptr, true};
constexpr Switch kNever{nullptr, false};

/// Falcon: multi_query means one KV head, but only in the old architecture; the new one states num_kv_heads and has a
/// norm more. Its feed-forward block is 4 x hidden_size wide unless a key says otherwise.
void build_falcon(Build& build) {
  Keys& keys = build.keys;
  const std::int64_t d = build.hidden_size();
  const bool new_architecture = keys.flag("new_decoder_architecture").value_or(false);
  const bool multi_query = keys.flag("multi_query").value_or(false);
  const bool parallel = keys.flag("parallel_attn").value_or(true);
  AttentionSizes sizes = read_attention_sizes(keys, d);
  if (multi_query && !new_architecture) {
    keys.note("multi_query without new_decoder_architecture: one KV head");
    sizes.kv_heads = 1;
  }
  const Switch biased{"bias", false};
  const Mixer mixer =
      grouped_attention(keys, sizes, {.qkv_bias = biased, .out_bias = biased, .prefix = "self_attention"});
  const Ffn ffn = dense_ffn(keys, build.family.ffn, dense_width(keys, build.family.ffn, d));
  const int norms = new_architecture ? static_cast<int>(keys.integer("num_ln_in_parallel_attn", {1, 2}).value_or(2))
                    : parallel       ? 1
                                     : 2;
  for (std::int64_t i = 0; i < build.layers; ++i) {
    Layer layer;
    layer.mixers = {mixer};
    add_attention_weights(layer.weights, d, mixer, "self_attention");
    add_ffn(layer, build, ffn);
    add_norms(layer, d, norms, build.family.norms, true);
    build.model.layers.push_back(std::move(layer));
  }
}

/// One KV head where multi_query says so (GPT-BigCode).
void build_bigcode(Build& build) {
  Keys& keys = build.keys;
  const std::int64_t d = build.hidden_size();
  AttentionSizes sizes = read_attention_sizes(keys, d);
  if (keys.flag("multi_query").value_or(true)) {
    keys.note("multi_query: one KV head");
    sizes.kv_heads = 1;
  }
  const Mixer mixer = grouped_attention(keys, sizes, build.family.attention);
  const Ffn ffn = dense_ffn(keys, build.family.ffn, dense_width(keys, build.family.ffn, d));
  for (std::int64_t i = 0; i < build.layers; ++i) {
    Layer layer;
    layer.mixers = {mixer};
    add_attention_weights(layer.weights, d, mixer, build.family.attention.prefix);
    add_ffn(layer, build, ffn);
    add_norms(layer, d, build.family.norms.per_layer, build.family.norms, true);
    build.model.layers.push_back(std::move(layer));
  }
}

/// MPT: no_bias switches every bias off, those of the norms too; learned positions only without alibi.
void build_mpt(Build& build) {
  Keys& keys = build.keys;
  const std::int64_t d = build.hidden_size();
  const bool bias = !keys.flag("no_bias").value_or(false);
  const Switch biased{nullptr, bias};
  if (keys.flag("attn_config.qk_ln").value_or(false))
    keys.problem("attn_config.qk_ln", "is true, which is not modelled");
  const AttentionSizes sizes = read_attention_sizes(keys, d);
  const Mixer mixer = grouped_attention(keys, sizes, {.qkv_bias = biased, .out_bias = biased, .prefix = "attn"});
  Ffn ffn = dense_ffn(keys, build.family.ffn, dense_width(keys, build.family.ffn, d));
  ffn.bias = bias;
  for (std::int64_t i = 0; i < build.layers; ++i) {
    Layer layer;
    layer.mixers = {mixer};
    add_attention_weights(layer.weights, d, mixer, "attn");
    add_ffn(layer, build, ffn);
    add_norms(layer, d, 2, build.family.norms, bias);
    build.model.layers.push_back(std::move(layer));
  }
  if (keys.flag("learned_pos_emb").value_or(true) && !keys.flag("attn_config.alibi").value_or(false)) {
    WeightList(build.model.embedding).matrix("wpe.weight", WeightRole::other, keys.size("max_position_embeddings"), d);
  }
}

/// Step 3: queries through a shared factor of share_q_dim, one KV head of head_dim for all query heads.
void build_step3(Build& build) {
  Keys& keys = build.keys;
  const std::int64_t d = build.hidden_size();
  const AttentionSizes sizes = read_attention_sizes(keys, d);
  Mixer mixer = grouped_attention(keys, sizes, {.qkv_bias = kNever, .out_bias = kNever});
  mixer.q_lora_rank = keys.size("share_q_dim");
  const FfnPlan plan = plan_ffns(build);
  for (std::size_t i = 0; i < plan.expert_layers.size(); ++i) {
    Layer layer;
    layer.mixers = {mixer};
    WeightList weights(layer.weights);
    weights.matrix("self_attn.q_proj.weight", WeightRole::attention, mixer.q_lora_rank, d);
    weights.vector("self_attn.inter_norm.weight", WeightRole::norm, mixer.q_lora_rank);
    weights.matrix("self_attn.wq.weight", WeightRole::attention, mixer.heads * mixer.head_dim, mixer.q_lora_rank);
    weights.matrix("self_attn.k_proj.weight", WeightRole::attention, mixer.kv_heads * mixer.head_dim, d);
    weights.matrix("self_attn.v_proj.weight", WeightRole::attention, mixer.kv_heads * mixer.head_dim, d);
    weights.matrix("self_attn.o_proj.weight", WeightRole::attention, d, mixer.heads * mixer.head_dim);
    add_ffn(layer, build, plan.at(i));
    add_norms(layer, d, 2, build.family.norms, false);
    build.model.layers.push_back(std::move(layer));
  }
}

/// LongCat: each of num_layers layers holds two latent attention blocks, two dense blocks and one block of experts,
/// some of which have no weights. num_hidden_layers, where it stands beside, counts attention blocks.
void build_longcat(Build& build) {
  Keys& keys = build.keys;
  const std::int64_t d = build.hidden_size();
  const Mixer mixer = latent_attention(keys);
  Ffn experts = expert_ffn(keys, {.expert_width = "moe_intermediate_size", .router_bias = RouterBias::always});
  experts.zero_experts = keys.find("zero_expert_num").value_or(0);
  const Ffn dense = dense_ffn(keys, {.bias = kNever}, keys.size("intermediate_size"));
  const FfnTraits moe_traits{.prefix = "mlp"};
  for (std::int64_t i = 0; i < build.layers; ++i) {
    Layer layer;
    for (int half = 0; half < 2; ++half) {
      layer.mixers.push_back(mixer);
      add_attention_weights(layer.weights, d, mixer, fmt::format("self_attn.{}", half));
      layer.ffns.push_back(dense);
      add_ffn_weights(layer.weights, d, dense, {.prefix = fmt::format("mlps.{}", half)});
    }
    layer.ffns.insert(layer.ffns.begin(), experts);
    add_ffn_weights(layer.weights, d, experts, moe_traits);
    add_norms(layer, d, 4, build.family.norms, false);
    build.model.layers.push_back(std::move(layer));
  }
  keys.note("LongCat: its multi-token-prediction layer is not modelled");
}

std::int64_t make_divisible(double value, std::int64_t divisor) {
  const auto down = static_cast<std::int64_t>(value + static_cast<double>(divisor) / 2) / divisor * divisor;
  const std::int64_t rounded = std::max(divisor, down);
  return static_cast<double>(rounded) < 0.9 * value ? rounded + divisor : rounded;
}

/// A list of real factors, one a layer.
std::vector<double> layer_factors(Keys& keys, std::string_view key, std::int64_t layers) {
  const ConfigNode* node = keys.node(key);
  const ConfigNode::Array* list = node == nullptr ? nullptr : node->array();
  std::vector<double> factors;
  if (list != nullptr) {
    for (const ConfigNode& value : *list) {
      const double* real = value.real();
      const std::int64_t* whole = value.integer();
      const double factor = real != nullptr ? *real : whole != nullptr ? static_cast<double>(*whole) : 0.0;
      if (!(factor > 0.0 && factor <= 256.0))
        keys.problem(key, fmt::format("holds {}, numbers above 0, at most 256, were expected", value.describe()));
      factors.push_back(std::clamp(factor, 0.0, 256.0));
    }
  }
  if (static_cast<std::int64_t>(factors.size()) != layers) {
    keys.problem(key, fmt::format("has {} entries for {} layers, or is missing", factors.size(), layers));
  }
  factors.resize(static_cast<std::size_t>(layers), 1.0);
  return factors;
}

/// OpenELM: heads, KV heads and inner widths differ from layer to layer.
void build_openelm(Build& build) {
  Keys& keys = build.keys;
  const std::int64_t d = build.hidden_size();
  const auto count = static_cast<std::size_t>(build.layers);
  const auto heads = per_layer_integers(keys, "num_query_heads", build.layers, {1, 1 << 16});
  const auto kv_heads = per_layer_integers(keys, "num_kv_heads", build.layers, {1, 1 << 16});
  if (!heads) keys.problem("num_query_heads", "is missing: a list of one entry a layer is required");
  if (!kv_heads) keys.problem("num_kv_heads", "is missing: a list of one entry a layer is required");
  const std::vector<double> factors = layer_factors(keys, "ffn_multipliers", build.layers);
  const std::int64_t divisor = keys.size("ffn_dim_divisor");
  const std::int64_t head_dim = keys.size("head_dim");
  const bool qk_norm = keys.on({"normalize_qk_projections", true});
  for (std::size_t i = 0; i < count && heads && kv_heads; ++i) {
    Mixer mixer;
    mixer.kind = MixerKind::full_attention;
    mixer.heads = (*heads)[i];
    mixer.kv_heads = (*kv_heads)[i];
    mixer.head_dim = mixer.v_head_dim = head_dim;
    mixer.qk_norm = qk_norm;
    Layer layer;
    layer.mixers = {mixer};
    add_attention_weights(layer.weights, d, mixer, "attn");
    add_ffn(layer, build,
            dense_ffn(keys, build.family.ffn, make_divisible(factors[i] * static_cast<double>(d), divisor)));
    add_norms(layer, d, 2, build.family.norms, false);
    build.model.layers.push_back(std::move(layer));
  }
}

}  // namespace

void add_odd_families(std::vector<Family>& out) {
  const FfnTraits plain{.gated = false, .bias = {"bias", false}};
  const NormTraits layer_norm{.per_layer = 2, .layer_norm = true};
  out.push_back({.name = "falcon",
                 .model_types = {"falcon", "RefinedWeb", "RefinedWebModel"},
                 .ffn = plain,
                 .norms = {.per_layer = 2, .layer_norm = true, .bias = kAlways},
                 .tied = true,
                 .layer_prefix = "transformer.h",
                 .build = build_falcon});
  out.push_back({.name = "gpt_bigcode",
                 .model_types = {"gpt_bigcode"},
                 .attention = {.qkv_bias = kAlways, .out_bias = kAlways},
                 .ffn = {.gated = false, .bias = kAlways},
                 .norms = {.per_layer = 2, .layer_norm = true, .bias = kAlways},
                 .tied = true,
                 .positions = true,
                 .layer_prefix = "transformer.h",
                 .build = build_bigcode});
  out.push_back({.name = "mpt",
                 .model_types = {"mpt"},
                 .ffn = {.gated = false, .prefix = "ffn"},
                 .norms = layer_norm,
                 .tied = true,
                 .layer_prefix = "transformer.blocks",
                 .build = build_mpt});
  out.push_back({.name = "step3",
                 .model_types = {"step3_vl", "step3_text"},
                 .ffn = {.shared = SharedExperts::own_width},
                 .build = build_step3});
  out.push_back(
      {.name = "longcat", .model_types = {"longcat_flash"}, .layers_key = "num_layers", .build = build_longcat});
  out.push_back({.name = "openelm", .model_types = {"openelm"}, .tied = true, .build = build_openelm});
}

}  // namespace waferline::models
