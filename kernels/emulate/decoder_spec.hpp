#pragma once
// A Llama- or Qwen-style dense decoder as far as its arithmetic goes: sizes, and the numbers that no shape tells.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "arch/dtype.hpp"
#include "kernels/emulate/machine.hpp"
#include "models/model.hpp"

namespace waferline::kernels::emulate {

/// Frequencies stretched for long contexts, as Llama 3.1 does it.
struct RopeScaling {
  double factor = 1;
  double low_freq_factor = 1;
  double high_freq_factor = 4;
  double original_max_position_embeddings = 8192;
};

struct DecoderSpec {
  std::string model_type;
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  std::int64_t sliding_window = 0;  ///< 0: none
  double rms_norm_eps = 0;
  double rope_theta = 0;
  std::optional<RopeScaling> rope_scaling;
  std::vector<float> frequency_divisors;  ///< of each rotary pair, as GGUF files keep a scaling; empty: none
  std::optional<std::int64_t> bos_token_id;
  std::vector<std::int64_t> eos_token_ids;
  bool tie_word_embeddings = false;
  bool qkv_bias = false;
  bool qk_norm = false;
  bool adjacent_pairs = false;  ///< the file's rotary pairs are (2 j, 2 j + 1), not (j, j + head_dim / 2)
};

/// Reads a Hugging Face config.json of model_type llama, mistral, qwen2 or qwen3.
/// Errors: ConfigError naming every missing or unusable key; other model types and other kinds of rope scaling are
/// refused.
DecoderSpec read_decoder_spec(const std::filesystem::path& config_json);

/// Cosines and sines of a position, computed in double and rounded to fp32.
Rotation rotation_at(const DecoderSpec& spec, std::int64_t position);

/// The same model as the schedules take it, its matrices stored as `weights`, norms and biases as `vectors`.
models::Model to_model(const DecoderSpec& spec, DType weights, DType vectors);

/// Constants of its elementwise steps.
Constants constants_of(const DecoderSpec& spec);

}  // namespace waferline::kernels::emulate
