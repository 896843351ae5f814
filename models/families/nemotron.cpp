// Follows: Mamba-2 (arXiv 2405.21060) as Nemotron-H shapes it (arXiv 2504.03624), and the pruned blocks of Nemotron-NAS
// (Puzzle, arXiv 2411.19146).
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "models/families/lists.hpp"
#include "models/families/nemotron.hpp"
#include "models/weights.hpp"

namespace waferline::models {
namespace {

constexpr Switch kNever{nullptr, false};
constexpr char kMamba = 'M', kAttention = '*', kDense = '-', kExperts = 'E';

/// One letter a block, from a pattern or from a list of words; nothing if neither key is there.
std::optional<std::string> blocks_of(Keys& keys, std::string_view pattern_key, std::string_view words_key) {
  const ConfigNode* pattern = keys.node(pattern_key);
  if (pattern != nullptr && pattern->string() != nullptr) return *pattern->string();
  const auto words = keys.strings(words_key);
  if (!words) return std::nullopt;
  std::string letters;
  for (const std::string& word : *words) {
    const char letter = word == "mamba"       ? kMamba
                        : word == "attention" ? kAttention
                        : word == "mlp"       ? kDense
                        : word == "moe"       ? kExperts
                                              : '?';
    if (letter == '?') keys.problem(words_key, fmt::format("holds \"{}\"; known are mamba, attention, mlp, moe", word));
    letters += letter;
  }
  return letters;
}

Mixer mamba2(Keys& keys) {
  Mixer mixer;
  mixer.kind = MixerKind::mamba2;
  mixer.heads = keys.size("mamba_num_heads");
  mixer.head_dim = keys.size("mamba_head_dim");
  mixer.d_inner = mixer.heads * mixer.head_dim;
  mixer.d_state = keys.size("ssm_state_size");
  mixer.n_groups = keys.size("n_groups");
  mixer.conv_kernel = keys.size("conv_kernel");
  mixer.rope = false;
  keys.ignore({"mamba_expand", "mamba_dt_rank"});
  return mixer;
}

/// Model: F56.
void add_mamba2(Keys& keys, std::vector<Weight>& out, std::int64_t d, const Mixer& m) {
  WeightList weights(out);
  const std::int64_t mixed = m.d_inner + 2 * m.n_groups * m.d_state;
  const bool bias = keys.on({"mamba_proj_bias", false});
  weights.linear("mixer.in_proj", WeightRole::attention, m.d_inner + mixed + m.heads, d, bias);
  weights.matrix("mixer.conv1d.weight", WeightRole::state_space, mixed, m.conv_kernel);
  if (keys.on({"use_conv_bias", true})) weights.vector("mixer.conv1d.bias", WeightRole::bias, mixed);
  for (const char* name : {"mixer.A_log", "mixer.D", "mixer.dt_bias"})
    weights.vector(name, WeightRole::state_space, m.heads);
  weights.vector("mixer.norm.weight", WeightRole::norm, m.d_inner);
  weights.linear("mixer.out_proj", WeightRole::attention, d, m.d_inner, bias);
}

const FfnTraits kBlockFfn{
    .gated = false, .bias = {"mlp_bias", false}, .prefix = "mixer", .shared = SharedExperts::own_width};

/// What the letters of a pattern stand for in one file; read only if the letter occurs.
struct BlockKinds {
  std::optional<Mixer> mamba;
  std::optional<Mixer> attention;
  std::optional<Ffn> dense;
  std::optional<Ffn> experts;
};

Ffn nemotron_experts(Keys& keys) {
  Ffn ffn = expert_ffn(keys, kBlockFfn);
  ffn.latent_size = keys.positive("moe_latent_size").value_or(0);
  const std::int64_t shared = keys.find("n_shared_experts").value_or(ffn.shared_width > 0 ? 1 : 0);
  ffn.shared_width *= shared;
  return ffn;
}

BlockKinds read_kinds(Build& build, const std::string& letters) {
  Keys& keys = build.keys;
  const auto occurs = [&letters](char c) { return letters.find(c) != letters.npos; };
  BlockKinds kinds;
  if (occurs(kMamba)) kinds.mamba = mamba2(keys);
  if (occurs(kAttention)) {
    kinds.attention = grouped_attention(keys, read_attention_sizes(keys, build.hidden_size()), build.family.attention);
    kinds.attention->rope = false;
  }
  if (occurs(kDense)) kinds.dense = dense_ffn(keys, kBlockFfn, keys.size("intermediate_size"));
  if (occurs(kExperts)) {
    kinds.experts = nemotron_experts(keys);
  } else if (keys.has("num_experts")) {
    keys.note("n_routed_experts is stated, but no block of the pattern has experts: the model is dense");
  }
  keys.ignore({"num_experts", "num_experts_per_tok", "n_shared_experts", "shared_expert_intermediate_size",
               "moe_intermediate_size", "moe_latent_size", "intermediate_size", "sliding_window"});
  return kinds;
}

Layer block(Build& build, const BlockKinds& kinds, char letter) {
  const std::int64_t d = build.hidden_size();
  Layer layer;
  if (letter == kMamba) {
    layer.mixers = {*kinds.mamba};
    add_mamba2(build.keys, layer.weights, d, *kinds.mamba);
  } else if (letter == kAttention) {
    layer.mixers = {*kinds.attention};
    add_attention_weights(layer.weights, d, *kinds.attention, "mixer");
  } else {
    layer.ffns = {letter == kDense ? *kinds.dense : *kinds.experts};
    add_ffn_weights(layer.weights, d, layer.ffns.front(), kBlockFfn);
  }
  add_norms(layer, d, 1, build.family.norms, false);
  return layer;
}

/// True if every letter is known and there are not too many; makes a problem otherwise.
bool usable(Keys& keys, const std::string& letters, std::string_view key) {
  const std::size_t odd = letters.find_first_not_of("M*-E");
  if (odd != letters.npos)
    keys.problem(key, fmt::format("holds '{}' at block {}; known are M, *, -, E", letters[odd], odd));
  const bool sized = !letters.empty() && letters.size() <= 4096;
  if (!sized) keys.problem(key, fmt::format("has {} blocks, permitted are 1 to 4096", letters.size()));
  return odd == letters.npos && sized;
}

void build_nemotron_h(Build& build) {
  Keys& keys = build.keys;
  const auto letters = blocks_of(keys, "hybrid_override_pattern", "layers_block_type");
  if (!letters) {
    keys.problem("hybrid_override_pattern",
                 "is missing, and so is layers_block_type: nothing says what the blocks are");
    return;
  }
  const char* key = keys.has_value("hybrid_override_pattern") ? "hybrid_override_pattern" : "layers_block_type";
  const auto stated = keys.find("num_hidden_layers");
  if (stated && *stated != static_cast<std::int64_t>(letters->size())) {
    keys.problem("num_hidden_layers", fmt::format("is {}, but {} has {} blocks", *stated, key, letters->size()));
  }
  if (!stated) keys.note(fmt::format("num_hidden_layers is absent: {} has {} blocks", key, letters->size()));
  if (!usable(keys, *letters, key)) return;
  const std::string ahead = blocks_of(keys, "mtp_hybrid_override_pattern", "mtp_layers_block_type").value_or("");
  const BlockKinds kinds = read_kinds(build, *letters + ahead);
  for (const char letter : *letters) build.model.layers.push_back(block(build, kinds, letter));
  if (ahead.empty() || !usable(keys, ahead, "mtp_layers_block_type")) return;
  for (const char letter : ahead) build.model.mtp_layers.push_back(block(build, kinds, letter));
}

}  // namespace

void add_nemotron(std::vector<Family>& out) {
  out.push_back({.name = "nemotron_h",
                 .model_types = {"nemotron_h"},
                 .ffn = kBlockFfn,
                 .norms = {.per_layer = 1},
                 .mtp = {.stored = true},
                 .layer_prefix = "backbone.layers",
                 .layers_from_blocks = true,
                 .build = build_nemotron_h});
  out.push_back({.name = "nemotron_nas",
                 .model_types = {"nemotron-nas", "deci", "nemotron_nas"},
                 .attention = {.qkv_bias = kNever, .out_bias = kNever},
                 .build = build_nemotron_nas});
}

}  // namespace waferline::models
