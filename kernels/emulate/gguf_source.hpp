#pragma once
// GGUF files: a decoder's sizes from the metadata, its tensors under Hugging Face names.

#include <filesystem>
#include <memory>

#include "kernels/emulate/decoder_spec.hpp"
#include "kernels/emulate/weight_source.hpp"

namespace waferline::kernels::emulate {

struct GgufModel {
  DecoderSpec spec;
  std::unique_ptr<WeightSource> weights;
};

/// Opens a GGUF file of version 2 or 3 and architecture llama, qwen2 or qwen3 with tensors in F32, F16, BF16, Q8_0 or
/// Q4_0. Errors: ConfigError naming file and key, tensor or type; sizes are checked against the file before anything is
/// allocated.
GgufModel open_gguf(const std::filesystem::path& file);

}  // namespace waferline::kernels::emulate
