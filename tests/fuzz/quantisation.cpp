// Any JSON text beside a known configuration is read as its hf_quant_config.json or refused.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "models/config.hpp"
#include "models/inspect.hpp"

namespace {

constexpr std::string_view kModel = R"({"model_type": "qwen3_moe", "hidden_size": 256, "intermediate_size": 512,
  "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "vocab_size": 1024,
  "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 128, "decoder_sparse_step": 1,
  "mlp_only_layers": [0], "norm_topk_prob": true, "tie_word_embeddings": false, "torch_dtype": "bfloat16"})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace waferline;
  static const ConfigNode kRoot = parse_json(kModel, "fuzz.json");
  // Outside the try block: a configuration that no longer reads would make every input look refused.
  static const models::Inspection kPlain = models::inspect(models::read_config(kRoot, "fuzz.json"), 8192);
  try {
    const ConfigNode quant = parse_json({reinterpret_cast<const char*>(data), size}, "hf_quant_config.json");
    models::ConfigSurroundings around;
    around.hf_quant_config = &quant;
    const models::Inspection read = models::inspect(models::read_config(kRoot, "fuzz.json", around), 8192);
    // A quantisation moves bytes, never the parameters of the network itself.
    if (read.parameters.decoder != kPlain.parameters.decoder) __builtin_trap();
    if (read.weight_bytes.value <= 0) __builtin_trap();
  } catch (const ConfigError&) {
    return 0;
  }
  return 0;
}
