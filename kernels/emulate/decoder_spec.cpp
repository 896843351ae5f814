// Follows: rotary embedding (arXiv 2104.09864, section 3.2.2); frequency scaling of Llama 3.1 (its config.json,
// rope_type llama3).
#include "kernels/emulate/decoder_spec.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "arch/config_node.hpp"
#include "arch/error.hpp"

namespace waferline::kernels::emulate {
namespace {

using models::WeightRole;

/// Reads keys and collects what is wrong with them.
class Keys {
 public:
  Keys(const ConfigNode& root, std::string file) : root_(root), problems_(std::move(file)) {}

  std::int64_t integer(const char* key, std::optional<std::int64_t> absent = {}) {
    const ConfigNode* node = root_.find(key);
    if (node == nullptr || node->is_null()) {
      if (!absent) problems_.add(root_.line(), key, "missing (permitted: 1 and more)");
      return absent.value_or(1);
    }
    if (node->integer() == nullptr || *node->integer() < 1) {
      problems_.add(node->line(), key, fmt::format("{} (permitted: whole numbers from 1)", node->describe()));
      return 1;
    }
    return *node->integer();
  }
  double number(const char* key, std::optional<double> absent = {}) { return number_in(root_, key, absent); }
  double number_in(const ConfigNode& parent, const char* key, std::optional<double> absent = {}) {
    const ConfigNode* node = parent.find(key);
    if (node == nullptr || node->is_null()) {
      if (!absent) problems_.add(parent.line(), key, "missing");
      return absent.value_or(1);
    }
    const double value = node->real() != nullptr      ? *node->real()
                         : node->integer() != nullptr ? static_cast<double>(*node->integer())
                                                      : -1;
    if (value <= 0) problems_.add(node->line(), key, fmt::format("{} (permitted: numbers above 0)", node->describe()));
    return value;
  }
  bool flag(const char* key, bool absent) {
    const ConfigNode* node = root_.find(key);
    if (node == nullptr || node->boolean() == nullptr) return absent;
    return *node->boolean();
  }
  std::string text(const ConfigNode& parent, const char* key) {
    const ConfigNode* node = parent.find(key);
    return node != nullptr && node->string() != nullptr ? *node->string() : "";
  }
  Problems& problems() { return problems_; }

 private:
  const ConfigNode& root_;
  Problems problems_;
};

void read_token_ids(const ConfigNode& root, DecoderSpec& spec) {
  if (const ConfigNode* bos = root.find("bos_token_id"); bos != nullptr && bos->integer() != nullptr)
    spec.bos_token_id = *bos->integer();
  const ConfigNode* eos = root.find("eos_token_id");
  if (eos == nullptr) return;
  if (eos->integer() != nullptr) spec.eos_token_ids.push_back(*eos->integer());
  if (eos->array() == nullptr) return;
  for (const ConfigNode& id : *eos->array()) {
    if (id.integer() != nullptr) spec.eos_token_ids.push_back(*id.integer());
  }
}

void read_scaling(const ConfigNode& root, Keys& keys, DecoderSpec& spec) {
  const ConfigNode* scaling = root.find("rope_scaling");
  if (scaling == nullptr || scaling->is_null()) return;
  std::string kind = keys.text(*scaling, "rope_type");
  if (kind.empty()) kind = keys.text(*scaling, "type");
  if (kind == "default") return;
  if (kind != "llama3") {
    keys.problems().add(scaling->line(), "rope_scaling.rope_type",
                        fmt::format("\"{}\" is not emulated (permitted: llama3, default)", kind));
    return;
  }
  spec.rope_scaling = RopeScaling{keys.number_in(*scaling, "factor"), keys.number_in(*scaling, "low_freq_factor"),
                                  keys.number_in(*scaling, "high_freq_factor"),
                                  keys.number_in(*scaling, "original_max_position_embeddings")};
}

void add_weights(models::Layer& layer, const DecoderSpec& s, const models::StoredType& matrix,
                 const models::StoredType& vector) {
  const auto add = [&](const char* name, WeightRole role, std::int64_t rows, std::int64_t cols) {
    layer.weights.push_back({name, role, 1, rows, cols, cols == 1 ? vector : matrix});
  };
  const std::int64_t q = s.num_attention_heads * s.head_dim;
  const std::int64_t kv = s.num_key_value_heads * s.head_dim;
  add("self_attn.q_proj.weight", WeightRole::attention, q, s.hidden_size);
  add("self_attn.k_proj.weight", WeightRole::attention, kv, s.hidden_size);
  add("self_attn.v_proj.weight", WeightRole::attention, kv, s.hidden_size);
  add("self_attn.o_proj.weight", WeightRole::attention, s.hidden_size, q);
  if (s.qkv_bias) {
    add("self_attn.q_proj.bias", WeightRole::bias, q, 1);
    add("self_attn.k_proj.bias", WeightRole::bias, kv, 1);
    add("self_attn.v_proj.bias", WeightRole::bias, kv, 1);
  }
  if (s.qk_norm) {
    add("self_attn.q_norm.weight", WeightRole::norm, s.head_dim, 1);
    add("self_attn.k_norm.weight", WeightRole::norm, s.head_dim, 1);
  }
  add("mlp.gate_proj.weight", WeightRole::dense_ffn, s.intermediate_size, s.hidden_size);
  add("mlp.up_proj.weight", WeightRole::dense_ffn, s.intermediate_size, s.hidden_size);
  add("mlp.down_proj.weight", WeightRole::dense_ffn, s.hidden_size, s.intermediate_size);
  add("input_layernorm.weight", WeightRole::norm, s.hidden_size, 1);
  add("post_attention_layernorm.weight", WeightRole::norm, s.hidden_size, 1);
}

}  // namespace

DecoderSpec read_decoder_spec(const std::filesystem::path& config_json) {
  const ConfigNode root = read_json_file(config_json);
  Keys keys(root, config_json.string());
  DecoderSpec spec;
  spec.model_type = keys.text(root, "model_type");
  const bool known = spec.model_type == "llama" || spec.model_type == "mistral" || spec.model_type == "qwen2" ||
                     spec.model_type == "qwen3";
  if (!known) {
    keys.problems().add(
        root.line(), "model_type",
        fmt::format("\"{}\" is not emulated as a whole (permitted: llama, mistral, qwen2, qwen3)", spec.model_type));
  }
  spec.hidden_size = keys.integer("hidden_size");
  spec.intermediate_size = keys.integer("intermediate_size");
  spec.num_hidden_layers = keys.integer("num_hidden_layers");
  spec.num_attention_heads = keys.integer("num_attention_heads");
  spec.num_key_value_heads = keys.integer("num_key_value_heads", spec.num_attention_heads);
  spec.head_dim = keys.integer("head_dim", std::max<std::int64_t>(1, spec.hidden_size / spec.num_attention_heads));
  spec.vocab_size = keys.integer("vocab_size");
  spec.max_position_embeddings = keys.integer("max_position_embeddings", 1 << 20);
  spec.rms_norm_eps = keys.number("rms_norm_eps");
  spec.rope_theta = keys.number("rope_theta", 10000);  // the value of the original Llama, which leaves the key out
  const bool window_used = spec.model_type == "mistral" || keys.flag("use_sliding_window", false);
  if (window_used && root.find("sliding_window") != nullptr && !root.find("sliding_window")->is_null()) {
    spec.sliding_window = keys.integer("sliding_window");
  }
  spec.tie_word_embeddings = keys.flag("tie_word_embeddings", false);
  spec.qkv_bias = keys.flag("attention_bias", spec.model_type == "qwen2");
  spec.qk_norm = spec.model_type == "qwen3";
  read_scaling(root, keys, spec);
  read_token_ids(root, spec);
  if (spec.num_attention_heads % spec.num_key_value_heads != 0) {
    keys.problems().add(
        root.line(), "num_key_value_heads",
        fmt::format("{} does not divide num_attention_heads {}", spec.num_key_value_heads, spec.num_attention_heads));
  }
  if (spec.head_dim % 2 != 0)
    keys.problems().add(root.line(), "head_dim",
                        fmt::format("{} is odd (rotary pairs need an even size)", spec.head_dim));
  keys.problems().throw_if_any();
  return spec;
}

Rotation rotation_at(const DecoderSpec& spec, std::int64_t position) {
  Rotation rotation;
  for (std::int64_t pair = 0; pair < spec.head_dim / 2; ++pair) {
    double frequency = std::pow(spec.rope_theta, -2.0 * static_cast<double>(pair) / static_cast<double>(spec.head_dim));
    if (spec.rope_scaling) {
      const RopeScaling& scaling = *spec.rope_scaling;
      const double wavelength = 2 * std::numbers::pi / frequency;
      const double turns = scaling.original_max_position_embeddings / wavelength;
      const double blend = (turns - scaling.low_freq_factor) / (scaling.high_freq_factor - scaling.low_freq_factor);
      const double share = std::min(1.0, std::max(0.0, blend));  // 0: stretched by the factor, 1: kept
      frequency = (1 - share) * frequency / scaling.factor + share * frequency;
    }
    if (!spec.frequency_divisors.empty()) frequency /= spec.frequency_divisors[static_cast<std::size_t>(pair)];
    const double angle = static_cast<double>(position) * frequency;
    rotation.cosines.push_back(static_cast<float>(std::cos(angle)));
    rotation.sines.push_back(static_cast<float>(std::sin(angle)));
  }
  return rotation;
}

models::Model to_model(const DecoderSpec& spec, DType weights, DType vectors) {
  models::StoredType matrix;
  matrix.dtype = weights;
  if (weights == DType::int8 || weights == DType::int4) {
    matrix.block_rows = 1;
    matrix.block_cols = 32;
    matrix.scale_bits = 16;
  }
  models::StoredType vector;
  vector.dtype = vectors;
  models::Model model;
  model.family = spec.model_type;
  model.hidden_size = spec.hidden_size;
  model.vocab_size = spec.vocab_size;
  model.max_position_embeddings = spec.max_position_embeddings;
  model.tied_embeddings = spec.tie_word_embeddings;
  models::Layer layer;
  models::Mixer mixer;
  mixer.kind = spec.sliding_window > 0 ? models::MixerKind::sliding_attention : models::MixerKind::full_attention;
  mixer.window = spec.sliding_window;
  mixer.heads = spec.num_attention_heads;
  mixer.kv_heads = spec.num_key_value_heads;
  mixer.head_dim = mixer.v_head_dim = spec.head_dim;
  mixer.qk_norm = spec.qk_norm;
  mixer.qkv_bias = spec.qkv_bias;
  layer.mixers.push_back(mixer);
  models::Ffn ffn;
  ffn.kind = models::FfnKind::dense;
  ffn.width = spec.intermediate_size;
  layer.ffns.push_back(ffn);
  layer.norms = 2;
  add_weights(layer, spec, matrix, vector);
  model.layers.assign(static_cast<std::size_t>(spec.num_hidden_layers), layer);
  model.embedding.push_back(
      {"model.embed_tokens.weight", WeightRole::other, 1, spec.vocab_size, spec.hidden_size, matrix});
  model.head.push_back({"lm_head.weight", WeightRole::other, 1, spec.vocab_size, spec.hidden_size, matrix});
  model.final_norm.push_back({"model.norm.weight", WeightRole::norm, 1, spec.hidden_size, 1, vector});
  return model;
}

Constants constants_of(const DecoderSpec& spec) {
  Constants constants;
  constants.norm_epsilon = static_cast<float>(spec.rms_norm_eps);
  constants.attention_scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(spec.head_dim)));
  return constants;
}

}  // namespace waferline::kernels::emulate
