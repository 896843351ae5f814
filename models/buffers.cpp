#include <fmt/format.h>

#include <array>
#include <charconv>

#include "models/extras.hpp"
#include "models/weights.hpp"

namespace waferline::models {
namespace {

/// Tied models whose published checkpoints store the head again. Source: totals of their safetensors headers.
struct CopiedHead {
  std::string_view family;
  std::int64_t hidden_size;  ///< 0: every size
  std::int64_t layers;
};
constexpr std::array<CopiedHead, 4> kCopiedHeads{
    {{"qwen3", 1024, 28}, {"qwen3", 2048, 28}, {"falcon", 0, 0}, {"gpt_bigcode", 0, 0}}};

/// True if transformers_version is there and before major.minor.
bool written_before(Keys& keys, int major, int minor) {
  const ConfigNode* node = keys.node_anywhere("transformers_version");
  if (node == nullptr || node->string() == nullptr) return false;
  const std::string& text = *node->string();
  int found_major = 0, found_minor = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, found_major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return false;
  if (std::from_chars(first.ptr + 1, end, found_minor).ec != std::errc()) return false;
  return found_major < major || (found_major == major && found_minor < minor);
}

bool head_is_copied(Build& build) {
  const Model& model = build.model;
  if (!model.tied_embeddings) return false;
  if (model.family == "gemma4") return build.keys.node_anywhere("quantization_config") == nullptr;
  if (build.keys.nested()) return false;
  for (const CopiedHead& copied : kCopiedHeads) {
    if (copied.family != model.family) continue;
    if (copied.hidden_size == 0 || (copied.hidden_size == model.hidden_size && copied.layers == build.layers))
      return true;
  }
  return false;
}

}  // namespace

void add_stored_buffers(Build& build) {
  Model& model = build.model;
  Keys& keys = build.keys;
  WeightList weights(model.buffers);
  if (model.family == "gpt2") {
    const std::int64_t positions = keys.size("max_position_embeddings");
    weights.matrix("attn.bias", WeightRole::other, positions, positions, build.layers);
    keys.note("GPT-2's published checkpoints store a causal mask per layer");
  }
  if (model.family == "llama" && written_before(keys, 4, 32) && !model.layers.empty()) {
    weights.vector("rotary_emb.inv_freq", WeightRole::other, model.layers.front().mixers.front().head_dim / 2,
                   build.layers);
    keys.note("written before transformers 4.32: the checkpoint stores a rotary table per layer");
  }
  if (head_is_copied(build)) {
    weights.matrix("lm_head.weight", WeightRole::other, model.vocab_size, model.hidden_size);
    keys.note(
        "the head is tied, yet published checkpoints of this family or shape store it again: counted under buffers");
  }
}

}  // namespace waferline::models
