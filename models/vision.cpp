// Follows: the tower of each vision-language model as its published weights lie; each formula is checked to the last
// parameter by the published totals in tests/data/param_counts.csv (Pixtral's by Mistral-Small-3.1's).
#include <fmt/format.h>

#include <array>

#include "models/extras.hpp"
#include "models/weights.hpp"

namespace waferline::models {
namespace {

constexpr IntegerRange kSize{1, 1 << 20};

/// Sizes that all towers have.
struct Tower {
  std::int64_t width = 0;
  std::int64_t layers = 0;
  std::int64_t inner = 0;
  std::int64_t patch = 0;
};

/// Adds `count` blocks: attention of 4 width^2, two or three feed-forward matrices, norms; biases everywhere or
/// nowhere.
void add_blocks(WeightList& weights, const Tower& t, bool biases, bool gated, std::int64_t norm_vectors) {
  weights.matrix("blocks.attn.weight", WeightRole::other, 4 * t.width, t.width, t.layers);
  weights.matrix("blocks.mlp.weight", WeightRole::other, (gated ? 3 : 2) * t.inner, t.width, t.layers);
  if (biases) weights.vector("blocks.bias", WeightRole::other, 4 * t.width + t.inner + t.width, t.layers);
  weights.vector("blocks.norm", WeightRole::other, norm_vectors * t.width, t.layers);
}

/// SigLIP tower of Gemma 3: position table, post-norm, and a projector with a norm.
void add_siglip(ObjectReader& v, WeightList& w, std::int64_t d) {
  const Tower t{v.integer("hidden_size", kSize), v.integer("num_hidden_layers", {1, 512}),
                v.integer("intermediate_size", kSize), v.integer("patch_size", kSize)};
  const std::int64_t side = v.integer("image_size", {1, 1 << 16}) / std::max<std::int64_t>(t.patch, 1);
  w.matrix("patch_embedding.weight", WeightRole::other, t.width, 3 * t.patch * t.patch);
  w.vector("patch_embedding.bias", WeightRole::other, t.width);
  w.matrix("position_embedding.weight", WeightRole::other, side * side, t.width);
  add_blocks(w, t, true, false, 4);
  w.vector("post_layernorm", WeightRole::other, 2 * t.width);
  w.matrix("projector.weight", WeightRole::other, d, t.width);
  w.vector("projector.norm", WeightRole::other, t.width);
}

/// Tower of Qwen3-VL and Qwen3.5: patches in time too, a merger of merge^2 patches, and mergers for deep features.
void add_qwen_tower(ObjectReader& v, WeightList& w, std::int64_t) {
  const Tower t{v.integer("hidden_size", kSize), v.integer("depth", {1, 512}), v.integer("intermediate_size", kSize),
                v.integer("patch_size", kSize)};
  const std::int64_t merge = v.integer("spatial_merge_size", {1, 64});
  const std::int64_t out = v.integer("out_hidden_size", kSize);
  const auto deep = static_cast<std::int64_t>(v.integers("deepstack_visual_indexes", {0, 512}).size());
  const std::int64_t inputs =
      v.integer("in_channels", {1, 16}) * v.integer("temporal_patch_size", {1, 16}) * t.patch * t.patch;
  w.matrix("patch_embed.weight", WeightRole::other, t.width, inputs);
  w.vector("patch_embed.bias", WeightRole::other, t.width);
  w.matrix("pos_embed.weight", WeightRole::other, v.integer("num_position_embeddings", kSize), t.width);
  add_blocks(w, t, true, false, 4);
  const std::int64_t merged = t.width * merge * merge;
  w.matrix("merger.fc1.weight", WeightRole::other, merged, merged, 1 + deep);
  w.matrix("merger.fc2.weight", WeightRole::other, out, merged, 1 + deep);
  w.vector("merger.bias", WeightRole::other, merged + out, 1 + deep);
  w.vector("merger.norm", WeightRole::other, 2 * t.width);
  w.vector("deepstack.norm", WeightRole::other, 2 * merged, deep);
}

void add_llama4_tower(ObjectReader& v, WeightList& w, std::int64_t d) {
  const Tower t{v.integer("hidden_size", kSize), v.integer("num_hidden_layers", {1, 512}),
                v.integer("intermediate_size", kSize), v.integer("patch_size", kSize)};
  const std::int64_t side = v.integer("image_size", {1, 1 << 16}) / std::max<std::int64_t>(t.patch, 1);
  const std::int64_t inner = v.integer("projector_input_dim", kSize);
  const std::int64_t out = v.integer("projector_output_dim", kSize);
  w.matrix("patch_embedding.weight", WeightRole::other, t.width, 3 * t.patch * t.patch);
  w.matrix("positional_embedding", WeightRole::other, side * side + 1, t.width);
  w.vector("class_embedding", WeightRole::other, t.width);
  add_blocks(w, t, true, false, 4);
  w.vector("layernorm", WeightRole::other, 4 * t.width);
  w.matrix("vision_adapter.fc1.weight", WeightRole::other, inner, t.inner);
  w.matrix("vision_adapter.fc2.weight", WeightRole::other, out, inner);
  w.matrix("multi_modal_projector.weight", WeightRole::other, d, v.integer("vision_output_dim", kSize));
}

/// Gemma 4: gated blocks without biases, norms on queries and keys, one position table a direction.
void add_gemma4_tower(ObjectReader& v, WeightList& w, std::int64_t d) {
  const Tower t{v.integer("hidden_size", kSize), v.integer("num_hidden_layers", {1, 512}),
                v.integer("intermediate_size", kSize), v.integer("patch_size", kSize)};
  w.matrix("patch_embedder.weight", WeightRole::other, t.width, 3 * t.patch * t.patch);
  w.matrix("position_embedding_table", WeightRole::other, v.integer("position_embedding_size", kSize), t.width, 2);
  add_blocks(w, t, false, true, 4);
  w.vector("blocks.qk_norm", WeightRole::other, 2 * v.integer("head_dim", kSize), t.layers);
  w.matrix("embed_vision.weight", WeightRole::other, d, t.width);
}

/// Pixtral (Mistral 3): gated blocks without biases, a merger of 2 x 2 patches, a projector of two matrices.
void add_pixtral(ObjectReader& v, WeightList& w, std::int64_t d) {
  const Tower t{v.integer("hidden_size", kSize), v.integer("num_hidden_layers", {1, 512}),
                v.integer("intermediate_size", kSize), v.integer("patch_size", kSize)};
  w.matrix("patch_conv.weight", WeightRole::other, t.width, 3 * t.patch * t.patch);
  w.vector("ln_pre.weight", WeightRole::other, t.width);
  add_blocks(w, t, false, true, 2);
  w.matrix("patch_merger.weight", WeightRole::other, t.width, 4 * t.width);
  w.vector("projector.norm", WeightRole::other, t.width);
  w.matrix("projector.linear_1.weight", WeightRole::other, d, t.width);
  w.matrix("projector.linear_2.weight", WeightRole::other, d, d);
}

struct TowerKind {
  std::string_view model_type;
  void (*add)(ObjectReader&, WeightList&, std::int64_t);
};

constexpr std::array<TowerKind, 9> kTowers{{{"siglip_vision_model", add_siglip},
                                            {"qwen3_vl", add_qwen_tower},
                                            {"qwen3_vl_moe", add_qwen_tower},
                                            {"qwen3_5", add_qwen_tower},
                                            {"qwen3_5_moe", add_qwen_tower},
                                            {"llama4_vision_model", add_llama4_tower},
                                            {"gemma4_vision", add_gemma4_tower},
                                            {"pixtral", add_pixtral},
                                            {"siglip", add_siglip}}};

using Members = ConfigNode::Object;

/// Towers of published checkpoints whose text-only files leave vision_config out.
ConfigNode published_tower(std::string_view model_type) {
  const auto object = [](std::initializer_list<std::pair<const char*, std::int64_t>> sizes, const char* type) {
    Members members;
    for (const auto& [key, value] : sizes) members.push_back({key, ConfigNode(value, 0)});
    members.push_back({"model_type", ConfigNode(std::string(type), 0)});
    return ConfigNode(members, 0);
  };
  if (model_type == "gemma3") {
    return object({{"hidden_size", 1152},
                   {"num_hidden_layers", 27},
                   {"intermediate_size", 4304},
                   {"patch_size", 14},
                   {"image_size", 896}},
                  "siglip_vision_model");
  }
  if (model_type == "llama4") {
    return object({{"hidden_size", 1408},
                   {"num_hidden_layers", 34},
                   {"intermediate_size", 5632},
                   {"patch_size", 14},
                   {"image_size", 336},
                   {"projector_input_dim", 4096},
                   {"projector_output_dim", 4096},
                   {"vision_output_dim", 4096}},
                  "llama4_vision_model");
  }
  return ConfigNode();
}

std::string text_of(const ConfigNode* node) {
  return node != nullptr && node->string() != nullptr ? *node->string() : std::string();
}

}  // namespace

void add_vision(Build& build) {
  Keys& keys = build.keys;
  const ConfigNode* stated = keys.node_anywhere("vision_config");
  const std::string outer = text_of(keys.root().find("model_type"));
  const ConfigNode published = published_tower(outer);
  const ConfigNode* config = stated != nullptr && stated->object() != nullptr ? stated : &published;
  if (config->object() == nullptr) return;
  const std::string type = text_of(config->find("model_type"));
  for (const TowerKind& kind : kTowers) {
    if (kind.model_type != type) continue;
    Problems problems("vision_config");
    ObjectReader reader(*config, problems, "vision_config");
    std::vector<Weight> tower;
    WeightList list(tower);
    kind.add(reader, list, build.hidden_size());
    if (!problems.empty()) {
      keys.note(fmt::format("the vision tower is not counted: {}", problems.lines().front()));
      return;
    }
    if (config == &published)
      keys.note(fmt::format("vision_config is absent: the vision tower of published {} checkpoints is counted", outer));
    build.model.vision = std::move(tower);
    return;
  }
  keys.note(fmt::format("the vision tower is not counted: vision_config of type \"{}\" is not modelled", type));
}

}  // namespace waferline::models
