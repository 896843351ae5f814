// Shapes written down here from published configurations whose files are not in the library, and the totals published
// for them (safetensors headers, by LLMFIT's copy of the Hub's figures).
#include <fmt/format.h>

#include "models/config.hpp"
#include "models/kv.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/models/small_configs.hpp"

using namespace waferline;
using namespace waferline::models;
using tests::read_text;

namespace {

std::int64_t text_parameters(const Model& model) {
  return model.parameters.decoder + model.parameters.embedding + model.parameters.head;
}

std::string repeated(const std::string& unit, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += unit;
  return out;
}

const char* const kJamba =
    R"({"model_type": "jamba", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
  "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 65536, "num_experts": 16, "num_experts_per_tok": 2,
  "attn_layer_period": 8, "attn_layer_offset": 4, "expert_layer_period": 2, "expert_layer_offset": 1, "mamba_d_state": 16,
  "mamba_d_conv": 4, "mamba_expand": 2, "mamba_dt_rank": 256, "mamba_conv_bias": true, "mamba_proj_bias": false,
  "tie_word_embeddings": false, "max_position_embeddings": 262144, "torch_dtype": "bfloat16"})";

/// 40 Mamba, 40 expert and 8 attention blocks: the order does not change any count.
std::string nemotron_super() {
  return fmt::format(
      R"({{"model_type": "nemotron_h", "hidden_size": 4096, "num_hidden_layers": 88, "num_attention_heads": 32,
    "num_key_value_heads": 2, "head_dim": 128, "hybrid_override_pattern": "{}", "mtp_hybrid_override_pattern": "*E",
    "intermediate_size": 2688, "vocab_size": 131072, "mamba_num_heads": 128, "mamba_head_dim": 64, "ssm_state_size": 128,
    "n_groups": 8, "conv_kernel": 4, "expand": 2, "n_routed_experts": 512, "num_experts_per_tok": 22, "n_shared_experts": 1,
    "moe_intermediate_size": 2688, "moe_shared_expert_intermediate_size": 5376, "moe_latent_size": 1024,
    "num_nextn_predict_layers": 1, "tie_word_embeddings": false, "use_conv_bias": true, "torch_dtype": "bfloat16"}})",
      repeated("MEMEMEMEME*", 8));
}

const char* const kGptOss20 =
    R"({"model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": 24, "num_attention_heads": 64,
  "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 2880, "vocab_size": 201088, "num_local_experts": 32,
  "num_experts_per_tok": 4, "sliding_window": 128, "attention_bias": true, "tie_word_embeddings": false, "torch_dtype": "bfloat16"})";

const char* const kGemma27 =
    R"({"model_type": "gemma3_text", "hidden_size": 5376, "num_hidden_layers": 62, "num_attention_heads": 32,
  "num_key_value_heads": 16, "head_dim": 128, "intermediate_size": 21504, "vocab_size": 262208, "sliding_window": 1024,
  "max_position_embeddings": 131072, "torch_dtype": "bfloat16"})";

const char* const kFalcon180 =
    R"({"model_type": "falcon", "hidden_size": 14848, "num_hidden_layers": 80, "num_attention_heads": 232,
  "num_kv_heads": 8, "vocab_size": 65024, "new_decoder_architecture": true, "multi_query": true, "parallel_attn": true,
  "bias": false, "alibi": false, "torch_dtype": "bfloat16"})";

const char* const kGlm4 =
    R"({"model_type": "glm4", "hidden_size": 4096, "num_hidden_layers": 40, "num_attention_heads": 32,
  "num_key_value_heads": 2, "head_dim": 128, "intermediate_size": 13696, "vocab_size": 151552, "attention_bias": true,
  "tie_word_embeddings": false, "max_position_embeddings": 32768, "torch_dtype": "bfloat16"})";

const char* const kGranite =
    R"({"model_type": "granite", "hidden_size": 4096, "num_hidden_layers": 40, "num_attention_heads": 32,
  "num_key_value_heads": 8, "intermediate_size": 12800, "vocab_size": 49159, "tie_word_embeddings": true, "attention_bias": false,
  "embedding_multiplier": 12.0, "logits_scaling": 16.0, "max_position_embeddings": 131072, "torch_dtype": "bfloat16"})";

}  // namespace

TEST_CASE("Jamba: Mamba and attention layers, experts in every second, to the last parameter") {
  const Model model = read_text(kJamba);
  CHECK(text_parameters(model) == 51'570'323'328);
  CHECK(kv_figures(model, 0, DType::bf16).per_token == Bytes{16'384});
  CHECK(kv_figures(model, 0, DType::bf16).state_elements == 4'358'144);
}

TEST_CASE("Nemotron 3 Super: latent experts and prediction blocks, to the last parameter") {
  const Model model = read_text(nemotron_super());
  CHECK(text_parameters(model) == 120'668'687'360);
  CHECK(model.parameters.total() == 123'611'012'096);
  CHECK(kv_figures(model, 0, DType::bf16).per_token == Bytes{8'192});
  CHECK(kv_figures(model, 0, DType::bf16).state_elements == 43'171'840);
}

TEST_CASE("gpt-oss-20b, Gemma 3 27B, Falcon-180B, GLM-4-9B and Granite 3.3 8B, to the last parameter") {
  CHECK(read_text(kGptOss20).parameters.total() == 20'914'757'184);
  CHECK(text_parameters(read_text(kGemma27)) == 27'009'346'304);
  CHECK(read_text(kFalcon180).parameters.total() == 179'522'565'120);
  CHECK(read_text(kGlm4).parameters.total() == 9'400'279'040);
  CHECK(read_text(kGranite).parameters.total() == 8'170'864'640);
}

TEST_CASE("Gemma 3 27B with its vision tower, to the last parameter") {
  const std::string vision =
      R"("vision_config": {"model_type": "siglip_vision_model", "hidden_size": 1152, "num_hidden_layers": 27,
    "intermediate_size": 4304, "patch_size": 14, "image_size": 896, "num_attention_heads": 16})";
  CHECK(read_text(fmt::format("{{\"model_type\": \"gemma3\", {}, \"text_config\": {}}}", vision, kGemma27))
            .parameters.total() == 27'432'406'640);
}

TEST_CASE("MiniMax M1: lightning and softmax layers, the 456 billion of its card") {
  const std::string pattern = repeated("0, 0, 0, 0, 0, 0, 0, 1, ", 9) + "0, 0, 0, 0, 0, 0, 0, 1";
  const Model model = read_text(fmt::format(
      R"({{"model_type": "minimax_m1", "hidden_size": 6144, "num_hidden_layers": 80, "num_attention_heads": 64,
    "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 9216, "vocab_size": 200064, "num_local_experts": 32,
    "num_experts_per_tok": 2, "attn_type_list": [{}], "shared_intermediate_size": 0, "layernorm_full_attention_alpha": 3.5,
    "tie_word_embeddings": false, "max_position_embeddings": 10240000, "torch_dtype": "bfloat16"}})",
      pattern));
  CHECK(std::abs(static_cast<double>(model.parameters.total()) / 456.09e9 - 1) < 1e-4);
  CHECK(kv_figures(model, 0, DType::bf16).per_token == Bytes{40'960});
  CHECK(kv_figures(model, 0, DType::bf16).state_elements == 73'400'320);
}

TEST_CASE("Gemma 3n E4B: per-layer inputs, alternating updates and shared caches") {
  const std::string widths = repeated("16384, ", 34) + "16384";
  const Model model = read_text(fmt::format(
      R"({{"model_type": "gemma3n_text", "hidden_size": 2048, "num_hidden_layers": 35, "num_attention_heads": 8,
    "num_key_value_heads": 2, "head_dim": 256, "intermediate_size": [{}], "vocab_size": 262400, "vocab_size_per_layer_input": 262144,
    "hidden_size_per_layer_input": 256, "laurel_rank": 64, "altup_num_inputs": 4, "num_kv_shared_layers": 15,
    "sliding_window": 512, "activation_sparsity_pattern": [0.95, 0.0], "max_position_embeddings": 32768, "torch_dtype": "bfloat16"}})",
      widths));
  CHECK(std::abs(static_cast<double>(model.parameters.total()) / 6.867e9 - 1) < 1e-3);
  CHECK(kv_figures(model, 0, DType::bf16).caching_layers == 20);
}

TEST_CASE("OPT, StarCoder and Phi-3.5-MoE are read with their biases, positions and experts") {
  const Model opt =
      read_text(R"({"model_type": "opt", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
    "ffn_dim": 16384, "vocab_size": 50272, "max_position_embeddings": 2048, "word_embed_proj_dim": 4096, "torch_dtype": "float16"})");
  CHECK(opt.parameters.total() == 6'658'473'984);
  const Model starcoder =
      read_text(R"({"model_type": "gpt_bigcode", "n_embd": 6144, "n_layer": 40, "n_head": 48, "n_inner": 24576,
    "n_positions": 8192, "vocab_size": 49152, "multi_query": true, "torch_dtype": "bfloat16"})");
  CHECK(kv_figures(starcoder, 0, DType::bf16).per_token == Bytes{20'480});
  CHECK(starcoder.parameters.buffers == 49'152LL * 6'144);
  const Model moe =
      read_text(R"({"model_type": "phimoe", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "intermediate_size": 6400, "vocab_size": 32064, "num_local_experts": 16, "num_experts_per_tok": 2,
    "attention_bias": true, "lm_head_bias": true, "tie_word_embeddings": false, "torch_dtype": "bfloat16"})");
  CHECK(moe.parameters.total() == 41'873'153'344);
}
