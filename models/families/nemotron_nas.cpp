#include <fmt/format.h>

#include "arch/object_reader.hpp"
#include "models/families/nemotron.hpp"
#include "models/weights.hpp"

namespace waferline::models {
namespace {

/// Keys of a block's parts that change its shape in ways that are not modelled.
void refuse_variants(ObjectReader& part, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const ConfigNode* value = part.node(key);
    const bool off = value == nullptr || value->is_null() || (value->boolean() != nullptr && !*value->boolean());
    if (!off) part.problem(key, fmt::format("is {}, which is not modelled", value->describe()));
  }
}

bool is_on(ObjectReader& part, std::string_view key) {
  return part.optional_boolean(key).value_or(false);
}

/// Inner width: two thirds of ffn_mult x hidden_size, rounded up to a multiple of 256.
std::int64_t width_of(double multiple, std::int64_t hidden_size) {
  const auto width = static_cast<std::int64_t>(2.0 * multiple * static_cast<double>(hidden_size) / 3.0);
  return 256 * ceil_div(std::max<std::int64_t>(width, 1), 256);
}

void add_attention_part(Layer& layer, std::int64_t d, const AttentionSizes& sizes, ObjectReader part) {
  refuse_variants(part, {"num_sink_tokens", "sparsify", "unshifted_sink", "use_prefill_window_in_sink_attention",
                         "llama4", "mamba"});
  Mixer mixer;
  if (is_on(part, "replace_with_linear")) {
    mixer.kind = MixerKind::linear;
    WeightList(layer.weights).matrix("self_attn.linear_attn.weight", WeightRole::attention, d, d);
  } else if (!is_on(part, "no_op")) {
    mixer.kind = MixerKind::full_attention;
    mixer.heads = sizes.heads;
    mixer.head_dim = mixer.v_head_dim = sizes.head_dim;
    const std::int64_t group = part.integer("n_heads_in_group", {1, sizes.heads});
    if (sizes.heads % group != 0)
      part.problem("n_heads_in_group", fmt::format("is {}, which does not divide {} heads", group, sizes.heads));
    mixer.kv_heads = sizes.heads / group;
    if (const auto window = part.optional_integer("window_length", {1, std::int64_t{1} << 40})) {
      mixer.kind = MixerKind::sliding_attention;
      mixer.window = *window;
    }
    add_attention_weights(layer.weights, d, mixer, "self_attn");
  }
  part.ignore({"n_heads_in_group", "no_op", "window_length"});
  part.reject_unknown_keys();
  if (mixer.kind != MixerKind::none) add_norms(layer, d, 1, {}, false);
  layer.mixers = {mixer};
}

void add_ffn_part(Layer& layer, Build& build, ObjectReader part) {
  const std::int64_t d = build.hidden_size();
  refuse_variants(part, {"sparsify", "moe"});
  Ffn ffn;
  if (is_on(part, "replace_with_linear")) {
    ffn.kind = FfnKind::linear;
    WeightList(layer.weights).matrix("mlp.linear_mlp.weight", WeightRole::dense_ffn, d, d);
  } else if (!is_on(part, "no_op")) {
    const auto stated = part.optional_integer("intermediate_size", {1, 1 << 22});
    const std::int64_t width = stated ? *stated : width_of(part.real("ffn_mult", {0.001, 64}), d);
    ffn = dense_ffn(build.keys, {.bias = {nullptr, false}}, width);
    add_ffn_weights(layer.weights, d, ffn, {});
  }
  part.ignore({"ffn_mult", "no_op", "intermediate_size", "gated", "hidden_act"});
  part.reject_unknown_keys();
  if (ffn.kind != FfnKind::none) add_norms(layer, d, 1, {}, false);
  layer.ffns = {ffn};
}

}  // namespace

void build_nemotron_nas(Build& build) {
  Keys& keys = build.keys;
  AttentionSizes sizes;
  sizes.heads = keys.size("num_attention_heads");
  sizes.head_dim = keys.positive("head_dim").value_or(build.hidden_size() / sizes.heads);
  if (sizes.head_dim < 1) keys.problem("head_dim", "is not given, and there are more heads than channels");
  keys.ignore({"intermediate_size", "num_key_value_heads"});
  const ConfigNode* blocks = keys.node("block_configs");
  const ConfigNode::Array* list = blocks == nullptr ? nullptr : blocks->array();
  if (list == nullptr || static_cast<std::int64_t>(list->size()) != build.layers) {
    keys.problem("block_configs", fmt::format("must be a list with one entry for each of the {} layers", build.layers));
    return;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    ObjectReader reader((*list)[i], keys.problems(), fmt::format("block_configs[{}]", i));
    Layer layer;
    add_attention_part(layer, build.hidden_size(), sizes, reader.object("attention"));
    add_ffn_part(layer, build, reader.object("ffn"));
    reader.reject_unknown_keys();
    build.model.layers.push_back(std::move(layer));
  }
}

}  // namespace waferline::models
