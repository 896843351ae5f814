#pragma once
// Small configurations for tests, as text with any keys in front of the usual ones.

#include <string>

#include "arch/config_node.hpp"
#include "models/config.hpp"

namespace waferline::tests {

/// A model read from JSON text.
inline models::Model read_text(const std::string& text) {
  return models::read_config(parse_json(text, "config.json"), "config.json");
}

/// Two layers, 8 heads, 64 wide; `extra` is JSON members, each with its comma.
inline std::string small_config(const std::string& model_type, const std::string& extra = {}) {
  return "{" + extra + "\"model_type\": \"" + model_type + R"(", "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "intermediate_size": 172, "vocab_size": 512, "max_position_embeddings": 4096,
 "tie_word_embeddings": false, "torch_dtype": "bfloat16"})";
}

}  // namespace waferline::tests
