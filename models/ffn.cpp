// Follows: the parameter shapes of gated feed-forward blocks (arXiv 2002.05202) and of mixtures of experts with shared
// experts (arXiv 2401.06066, section 3).
#include "models/ffn.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/weights.hpp"

namespace waferline::models {

Ffn dense_ffn(Keys& keys, const FfnTraits& traits, std::int64_t ffn_width) {
  Ffn ffn;
  ffn.kind = FfnKind::dense;
  ffn.gated = traits.gated;
  ffn.bias = keys.on(traits.bias);
  ffn.width = ffn_width;
  return ffn;
}

namespace {

/// Llama's own files: two thirds of 4 x dim, scaled, rounded up to a multiple.
std::int64_t computed_width(Keys& keys, std::int64_t multiple, std::int64_t hidden_size) {
  std::int64_t width = 2 * (4 * hidden_size) / 3;
  const ConfigNode* scale = keys.node("ffn_dim_multiplier");
  if (scale != nullptr) {
    const double* real = scale->real();
    const std::int64_t* whole = scale->integer();
    const double factor = real != nullptr ? *real : whole != nullptr ? static_cast<double>(*whole) : 0.0;
    if (!(factor > 0.0 && factor <= 16.0))
      keys.problem("ffn_dim_multiplier",
                   fmt::format("is {}, a number above 0, at most 16, was expected", scale->describe()));
    width = static_cast<std::int64_t>(std::clamp(factor, 0.0, 16.0) * static_cast<double>(width));
  }
  keys.note(fmt::format("inner width computed: two thirds of 4 x dim, up to a multiple of {}", multiple));
  return multiple * ceil_div(std::max<std::int64_t>(width, 1), multiple);
}

}  // namespace

std::int64_t dense_width(Keys& keys, const FfnTraits& traits, std::int64_t hidden_size) {
  if (const std::optional<std::int64_t> width = keys.find(traits.dense_width)) {
    if (*width % traits.dense_width_divisor != 0)
      keys.problem(traits.dense_width,
                   fmt::format("is {}, a multiple of {} was expected", *width, traits.dense_width_divisor));
    return *width / traits.dense_width_divisor;
  }
  if (const std::optional<std::int64_t> multiple = keys.find("multiple_of"))
    return computed_width(keys, *multiple, hidden_size);
  if (const std::optional<std::int64_t> ratio = keys.find("expansion_ratio")) {
    keys.note(fmt::format("inner width is expansion_ratio x hidden_size = {}", *ratio * hidden_size));
    return *ratio * hidden_size;
  }
  if (!traits.gated) {
    keys.note(
        "the inner width is absent or null: 4 x hidden_size, which is what null stands for in this family's class");
    return 4 * hidden_size;
  }
  return keys.size(traits.dense_width);
}

namespace {

void read_shared(Keys& keys, const FfnTraits& traits, Ffn& ffn) {
  if (traits.shared == SharedExperts::counted) {
    ffn.shared_width = keys.find("n_shared_experts").value_or(0) * ffn.expert_width;
  } else if (traits.shared == SharedExperts::own_width) {
    ffn.shared_width = keys.find("shared_expert_intermediate_size").value_or(0);
  } else if (traits.shared == SharedExperts::one_expert) {
    ffn.shared_width = ffn.expert_width;
    keys.note("one shared expert of the routed experts' width, which no key states");
  }
  ffn.shared_gate = traits.shared_gate && ffn.shared_width > 0;
}

bool has_router_bias(Keys& keys, RouterBias rule) {
  if (rule == RouterBias::by_key) return keys.flag("use_routing_bias").value_or(false);
  if (rule != RouterBias::by_method) return rule == RouterBias::always;
  const auto says = [&keys](std::string_view key, std::string_view word) {
    const ConfigNode* value = keys.node(key);
    return value != nullptr && value->string() != nullptr && *value->string() == word;
  };
  return says("topk_method", "noaux_tc") || says("scoring_func", "sigmoid") || says("score_func", "sigmoid");
}

}  // namespace

Ffn expert_ffn(Keys& keys, const FfnTraits& traits) {
  Ffn ffn;
  ffn.kind = FfnKind::moe;
  ffn.gated = traits.gated;
  ffn.bias = traits.expert_bias;
  ffn.routed_experts = keys.size("num_experts");
  ffn.active_experts = keys.size("num_experts_per_tok");
  ffn.expert_width = keys.size(traits.expert_width);
  if (ffn.active_experts < 1 || ffn.active_experts > ffn.routed_experts) {
    keys.problem("num_experts_per_tok", fmt::format("is {}, permitted are 1 to the {} routed experts",
                                                    ffn.active_experts, ffn.routed_experts));
  }
  read_shared(keys, traits, ffn);
  ffn.router_bias = has_router_bias(keys, traits.router_bias);
  return ffn;
}

namespace {

void add_block(WeightList& weights, std::int64_t d, std::int64_t width, bool gated, bool bias, WeightRole role,
               const std::string& at, std::int64_t count) {
  if (gated) weights.linear(at + ".gate_proj", role, width, d, bias, count);
  weights.linear(at + ".up_proj", role, width, d, bias, count);
  weights.linear(at + ".down_proj", role, d, width, bias, count);
}

void add_experts(WeightList& weights, std::int64_t d, const Ffn& ffn, const FfnTraits& traits) {
  const std::string& at = traits.prefix;
  const std::int64_t outputs = ffn.routed_experts + ffn.zero_experts;
  weights.linear(at + ".gate", WeightRole::router, outputs, d, traits.expert_bias);
  if (ffn.router_bias) weights.vector(at + ".gate.e_score_correction_bias", WeightRole::bias, outputs);
  const std::int64_t inner = ffn.latent_size > 0 ? ffn.latent_size : d;
  if (ffn.latent_size > 0) {
    weights.matrix(at + ".fc1_latent_proj.weight", WeightRole::shared_expert, ffn.latent_size, d);
    weights.matrix(at + ".fc2_latent_proj.weight", WeightRole::shared_expert, d, ffn.latent_size);
  }
  add_block(weights, inner, ffn.expert_width, ffn.gated, ffn.bias, WeightRole::routed_expert, at + ".experts",
            ffn.routed_experts);
  if (ffn.shared_width > 0) {
    const std::string shared = at + (traits.shared == SharedExperts::counted ? ".shared_experts" : ".shared_expert");
    add_block(weights, d, ffn.shared_width, ffn.gated, false, WeightRole::shared_expert, shared, 1);
  }
  if (ffn.shared_gate) weights.matrix(at + ".shared_expert_gate.weight", WeightRole::router, 1, d);
}

}  // namespace

void add_ffn_weights(std::vector<Weight>& out, std::int64_t hidden_size, const Ffn& ffn, const FfnTraits& traits) {
  WeightList weights(out);
  if (ffn.kind == FfnKind::dense) {
    add_block(weights, hidden_size, ffn.width, ffn.gated, ffn.bias, WeightRole::dense_ffn, traits.prefix, 1);
  } else if (ffn.kind == FfnKind::moe) {
    add_experts(weights, hidden_size, ffn, traits);
  }
}

}  // namespace waferline::models
