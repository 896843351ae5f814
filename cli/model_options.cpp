#include "cli/model_options.hpp"

namespace waferline::cli {

void ModelOptions::declare(Options& options) {
  declare_optional(options);
  options.require("MODEL");
}

void ModelOptions::declare_optional(Options& options) {
  options.positional("MODEL", name_, "name from the library, config.json or its folder, GGUF or safetensors file");
  options.integer("--context", context_tokens_, {1, longest_context_tokens}, "tokens already in the cache; 8Ki = 8192");
  options.one_of("--weight-bits", weight_bits_, {"auto", "16", "8", "4"}, "bits of a weight; auto: as stored");
  options.one_of("--kv-type", kv_type_, {"auto", "bf16", "fp16", "fp8_e4m3", "int8"},
                 "storage of the cache; auto: as the checkpoint says");
}

models::StorageOverrides ModelOptions::overrides() const {
  models::StorageOverrides overrides;
  if (weight_bits_ != "auto") overrides.weight_bits = std::stoi(weight_bits_);
  if (kv_type_ != "auto") overrides.kv_dtype = dtype_from_name(kv_type_);
  return overrides;
}

}  // namespace waferline::cli
