#pragma once
// Reading a model: from a Hugging Face config.json (and what lies beside it) to one record per layer.

#include <filesystem>
#include <optional>
#include <string>

#include "arch/config_node.hpp"
#include "models/model.hpp"

namespace waferline::models {

/// What belongs to a configuration beside its own text.
struct ConfigSurroundings {
  std::string name;                             ///< name to show; empty: from the file
  const ConfigNode* hf_quant_config = nullptr;  ///< content of hf_quant_config.json
  std::string hf_quant_file = "hf_quant_config.json";
};

/// Reads one configuration: Hugging Face config.json of any known family, DeepSeek's own inference format, Meta's and
/// llama2.c's.
/// Errors: ConfigError naming file, line and key for an unknown or refused model_type, a missing, null or out-of-range
/// size, an unknown key that reads like a size, lists of the wrong length, and models of more than 2^52 parameters.
Model read_config(const ConfigNode& root, const std::string& file_name, const ConfigSurroundings& around = {});

/// Reads a model from a path: a config.json, or a folder with one. hf_quant_config.json is read where it lies beside it
/// (or, for FILE.json, FILE.hf_quant_config.json).
Model read_config_file(const std::filesystem::path& path);

}  // namespace waferline::models
