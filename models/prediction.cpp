// Follows: DeepSeek-V3 (arXiv 2412.19437, section 2.2): each prediction layer joins the embedding and the last hidden
// state by a projection of 2 d -> d, with a norm for each and one before the head.
#include "models/prediction.hpp"

#include <fmt/format.h>

#include "models/weights.hpp"

namespace waferline::models {
namespace {

/// Layers stated by num_nextn_predict_layers or mtp_num_hidden_layers, else what the family's checkpoints hold.
std::int64_t stated_layers(Build& build) {
  Keys& keys = build.keys;
  const MtpTraits& traits = build.family.mtp;
  const auto stated = keys.find("num_nextn_predict_layers");
  const std::int64_t modules = keys.find("num_mtp_modules").value_or(0);
  keys.ignore({"mtp_transformer_layers"});
  if (!traits.stored) {
    if (stated.value_or(0) + modules > 0) {
      keys.note(fmt::format(
          "{} prediction layers are stated, which this family's published checkpoints do not hold or which are "
          "not modelled: they are not counted",
          stated.value_or(0) + modules));
    }
    return 0;
  }
  if (!stated && traits.assumed > 0) {
    keys.note(
        fmt::format("no key states prediction layers: published checkpoints of this family hold {}", traits.assumed));
  }
  return stated.value_or(traits.assumed);
}

/// The last layer with softmax attention over everything.
const Layer* pattern_layer(const Model& model) {
  for (auto layer = model.layers.rbegin(); layer != model.layers.rend(); ++layer) {
    if (layer->mixers.size() != 1) continue;
    const MixerKind kind = layer->mixers.front().kind;
    if (kind == MixerKind::full_attention || kind == MixerKind::mla) return &*layer;
  }
  return nullptr;
}

void add_joints(Build& build, int times) {
  const std::int64_t d = build.hidden_size();
  WeightList weights(build.model.mtp_extra);
  weights.matrix("eh_proj.weight", WeightRole::other, d, 2 * d, times);
  for (const char* name : {"enorm.weight", "hnorm.weight", "norm.weight"})
    weights.vector(name, WeightRole::norm, d, times);
  if (!build.family.mtp.repeats_ends) return;
  weights.matrix("embed_tokens.weight", WeightRole::other, build.model.vocab_size, d, times);
  weights.matrix("shared_head.head.weight", WeightRole::other, build.model.vocab_size, d, times);
  build.keys.note("each prediction layer's checkpoint stores the embedding and the head again");
}

}  // namespace

void add_prediction_layers(Build& build) {
  Model& model = build.model;
  const std::int64_t layers = stated_layers(build);
  if (!model.mtp_layers.empty()) {  // the builder read them from a pattern of their own
    add_joints(build, 1);
    return;
  }
  const Layer* pattern = layers > 0 ? pattern_layer(model) : nullptr;
  if (pattern == nullptr) return;
  const Layer copy = *pattern;
  for (std::int64_t i = 0; i < layers; ++i) model.mtp_layers.push_back(copy);
  add_joints(build, static_cast<int>(layers));
}

}  // namespace waferline::models
