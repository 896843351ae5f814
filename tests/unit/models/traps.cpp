// Each fault here was seen in a real tool. The names say what must hold instead.
#include <fmt/format.h>

#include "arch/error.hpp"
#include "models/inspect.hpp"
#include "models/kv.hpp"
#include "models/library.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/models/small_configs.hpp"

using namespace waferline;
using namespace waferline::models;
using Catch::Contains;
using tests::read_text;
using tests::small_config;

namespace {

const Mixer& first_mixer(const Model& model) {
  return model.layers.at(0).mixers.at(0);
}
Bytes kv_per_token(const Model& model) {
  return kv_figures(model, 0, DType::bf16).per_token;
}

bool notes_say(const Model& model, const std::string& text) {
  return std::any_of(model.notes.begin(), model.notes.end(),
                     [&](const std::string& n) { return n.find(text) != n.npos; });
}

std::string moe_keys(const char* width_key) {
  return fmt::format("\"num_local_experts\": 8, \"num_experts_per_tok\": 2, \"{}\": 172, ", width_key);
}

}  // namespace

TEST_CASE("trap 1: a declared head_dim is used, not hidden_size over heads") {
  const Model model = read_text(small_config("llama", "\"head_dim\": 32, "));
  CHECK(first_mixer(model).head_dim == 32);
  CHECK(kv_per_token(model) == Bytes{2 * 2 * 8 * 32 * 2});
  CHECK(load_model("qwen3-0.6b").layers[0].mixers[0].head_dim == 128);
}

TEST_CASE("trap 2: head_dim null or 0 means hidden_size over heads, and null counts as absent elsewhere too") {
  CHECK(first_mixer(read_text(small_config("llama", "\"head_dim\": null, "))).head_dim == 8);
  CHECK(first_mixer(read_text(small_config("llama", "\"head_dim\": 0, "))).head_dim == 8);
  CHECK(first_mixer(read_text(small_config("llama", "\"num_key_value_heads\": null, "))).kv_heads == 8);
  CHECK(load_model("gpt-j-6b").layers[0].ffns[0].width == 4 * 4096);    // n_inner null
  CHECK(first_mixer(load_model("deepseek-v2-lite")).q_lora_rank == 0);  // q_lora_rank null
  CHECK_THROWS_WITH(read_text(R"({"model_type": "llama", "hidden_size": null, "vocab_size": 512})"),
                    Contains("hidden_size"));
}

TEST_CASE("trap 3: absent KV heads are query heads, and multi_query is one only in Falcon's old architecture") {
  CHECK(first_mixer(read_text(small_config("llama"))).kv_heads == 8);
  CHECK(first_mixer(load_model("falcon-7b")).kv_heads == 1);
  CHECK(first_mixer(load_model("falcon-40b")).kv_heads == 8);
}

TEST_CASE("trap 4: a sliding window saves memory only with a hybrid cache, and switches switch it off") {
  const KvFigures oss = kv_figures(load_model("gpt-oss-120b"), 131'072, DType::bf16);
  CHECK(oss.per_token == Bytes{36'864});
  CHECK(oss.per_token_without_hybrid_cache == Bytes{73'728});
  CHECK(oss.at_context == Bytes{131'072LL * 36'864 + 18 * 128 * 2'048});
  const std::string off = "\"sliding_window\": 128, \"use_sliding_window\": false, \"max_window_layers\": 1, ";
  CHECK(first_mixer(read_text(small_config("qwen2", off))).kind == MixerKind::full_attention);
  for (const char* none : {"-1", "0", "null"}) {
    INFO(none);
    CHECK(first_mixer(read_text(small_config("mistral", fmt::format("\"sliding_window\": {}, ", none)))).window == 0);
  }
  const Model mixed = read_text(
      small_config("qwen2", "\"sliding_window\": 128, \"use_sliding_window\": true, \"max_window_layers\": 1, "));
  CHECK(mixed.layers[0].mixers[0].kind == MixerKind::full_attention);  // the first layers stay full, not the last
  CHECK(mixed.layers[1].mixers[0].kind == MixerKind::sliding_attention);
  CHECK(mixed.layers[1].mixers[0].window == 128);
  for (const Layer& layer : load_model("mimo-v2-flash").layers)
    CHECK(layer.mixers[0].kind != MixerKind::chunked_attention);
}

TEST_CASE("trap 5: only layers with attention are charged a cache") {
  const KvFigures qwen = kv_figures(load_model("qwen3.5-27b"), 0, DType::bf16);
  CHECK(qwen.caching_layers == 16);
  CHECK(qwen.per_token == Bytes{65'536});
  CHECK(kv_figures(load_model("nemotron-super-49b"), 0, DType::bf16).caching_layers == 49);
  CHECK(kv_figures(load_model("nemotron-3-ultra-550b"), 0, DType::bf16).per_token == Bytes{12'288});
}

TEST_CASE("trap 6: quantisation is found wherever a file says it") {
  CHECK(load_model("llama-3.1-70b-fp8").stored.at(WeightRole::attention).dtype ==
        DType::fp8_e4m3);  // only beside config.json
  CHECK(load_model("deepseek-v3.1-nvfp4").stored.at(WeightRole::routed_expert).dtype == DType::nvfp4);
  CHECK(load_model("kimi-k2.6-nvfp4").stored.at(WeightRole::routed_expert).dtype ==
        DType::nvfp4);                                                                            // beside text_config
  CHECK(load_model("dbrx-132b-4bit").stored.at(WeightRole::routed_expert).dtype == DType::int4);  // MLX "quantization"
  CHECK(load_model("llama-4-scout-fp8").stored.at(WeightRole::routed_expert).dtype ==
        DType::fp8_e4m3);  // config_groups
  const Model oss = load_model("gpt-oss-120b");
  CHECK(oss.stored.at(WeightRole::attention).dtype == DType::bf16);  // excluded modules stay
  CHECK(oss.stored_embedding.dtype == DType::bf16);
  CHECK(oss.parameters.decoder + oss.parameters.embedding + oss.parameters.head ==
        116'829'156'672);  // scales are no parameters
}

TEST_CASE("trap 6: 4-bit experts beside fp8 are 4 bits, and settings inside text_config count") {
  const std::string fp8 = "\"quantization_config\": {\"quant_method\": \"fp8\", \"weight_block_size\": [128, 128]}, ";
  const Model model = read_text(small_config("mixtral", moe_keys("_width") + "\"expert_dtype\": \"fp4\", " + fp8));
  CHECK(model.stored.at(WeightRole::routed_expert).dtype == DType::mxfp4);
  CHECK(model.stored.at(WeightRole::attention).dtype == DType::fp8_e4m3);
  const Model nested = read_text("{\"model_type\": \"kimi_k25\", \"text_config\": " + small_config("llama", fp8) + "}");
  CHECK(nested.stored.at(WeightRole::dense_ffn).dtype == DType::fp8_e4m3);
}

TEST_CASE("trap 7: ties are read at the text model's own level only") {
  const Model dbrx = load_model("dbrx-132b-4bit");
  CHECK_FALSE(dbrx.tied_embeddings);  // true only inside attn_config and ffn_config
  CHECK(dbrx.parameters.head == 100'352LL * 6'144);
  CHECK(load_model("ministral-3-3b").tied_embeddings);  // true only inside text_config
  CHECK(load_model("gemma-2-2b").tied_embeddings);      // absent: the class ties
  CHECK_FALSE(load_model("llama-4-maverick").tied_embeddings);
}

TEST_CASE("trap 7: tying saves memory, never the head's traffic") {
  const Model model = load_model("gemma-2-2b");
  CHECK(model.parameters.head == 0);
  CHECK(read_per_token(model) == model.parameters.decoder + 256'000LL * 2'304);
}

TEST_CASE("trap 8: experts multiply their own width, and only the active ones are read") {
  CHECK(load_model("mixtral-8x7b").parameters.total() == 46'702'792'704);
  const Model qwen = load_model("qwen3-30b-a3b");
  CHECK(qwen.layers[0].ffns[0].expert_width == 768);  // not intermediate_size, which is 8 times that
  CHECK(inspect(qwen, 0).active.with_embedding_and_head == 3'353'032'704);
}

TEST_CASE("trap 8: a class default for experts does not inflate a model whose pattern has none") {
  const Model dense = read_text(R"({"model_type": "nemotron_h", "hidden_size": 64, "hybrid_override_pattern": "M-*-",
    "num_attention_heads": 8, "num_key_value_heads": 2, "attention_head_dim": 8, "intermediate_size": 128, "vocab_size": 512,
    "mamba_num_heads": 4, "mamba_head_dim": 16, "ssm_state_size": 16, "n_groups": 1, "conv_kernel": 4,
    "n_routed_experts": 8, "tie_word_embeddings": false, "torch_dtype": "bfloat16"})");
  CHECK(dense.layers.size() == 4);
  CHECK(dense.stored.count(WeightRole::routed_expert) == 0);
  CHECK(notes_say(dense, "no block of the pattern has experts"));
}

TEST_CASE("trap 9: prediction layers are counted apart, with or without a second embedding and head") {
  const Model glm = load_model("glm-4.5");
  CHECK(glm.layers.size() == 92);
  CHECK(glm.mtp_layers.size() == 1);
  CHECK(glm.parameters.mtp == 5'539'962'272);
  CHECK(load_model("glm-5").parameters.mtp == 753'864'139'008 - 743'911'218'432);
  CHECK(load_model("qwen3-next-80b-a3b").mtp_layers.size() == 1);  // no key says so
  CHECK(load_model("kimi-k2").mtp_layers.empty());
}

TEST_CASE("trap 10: sizes come from the nested text model, never from what stands beside it") {
  const std::string outside =
      R"({"model_type": "qwen3_vl", "num_hidden_layers": 24, "hidden_size": 1024, "text_config": )";
  const Model model = read_text(outside + small_config("qwen3_vl_text") + "}");
  CHECK(model.layers.size() == 2);
  CHECK(model.hidden_size == 64);
  CHECK(notes_say(model, "num_hidden_layers = 24 at the top of the file"));
  CHECK_THROWS_WITH(
      read_text(R"({"model_type": "qwen3_vl", "hidden_size": 64, "text_config": {"model_type": "qwen3_vl_text"}})"),
      Contains("text_config.hidden_size"));
}

TEST_CASE("trap 11: Infinity and NaN are read where files hold them") {
  CHECK(load_model("nemotron-h-56b").layers.size() == 118);
  CHECK_NOTHROW(read_text(small_config("llama", "\"time_step_limit\": [-Infinity, NaN], ")));
  CHECK_NOTHROW(read_text(small_config("llama", "\"time_step_limit\": [0.0, {\"__float__\": \"Infinity\"}], ")));
}

TEST_CASE("trap 12: layers differ where lists say so") {
  const Model elm =
      read_text(R"({"model_type": "openelm", "model_dim": 128, "num_transformer_layers": 2, "head_dim": 16,
    "num_query_heads": [4, 8], "num_kv_heads": [1, 2], "ffn_multipliers": [0.5, 4.0], "ffn_dim_divisor": 32, "vocab_size": 512,
    "share_input_output_layers": true, "normalize_qk_projections": true, "torch_dtype": "bfloat16"})");
  CHECK(elm.layers[0].mixers[0].kv_heads == 1);
  CHECK(elm.layers[1].mixers[0].heads == 8);
  CHECK(elm.layers[0].ffns[0].width == 64);
  CHECK(elm.layers[1].ffns[0].width == 512);
  CHECK_THROWS_WITH(read_text(small_config("gpt_oss", moe_keys("_w") + "\"layer_types\": [\"full_attention\"], ")),
                    Contains("1 entries for 2 layers"));
  CHECK(load_model("deepseek-v3").layers[2].ffns[0].kind == FfnKind::dense);
  CHECK(load_model("deepseek-v3").layers[3].ffns[0].kind == FfnKind::moe);
}

TEST_CASE("trap 13: in MiMo's hybrid_layer_pattern 1 is a sliding layer, and in MiniMax's attn_type_list softmax") {
  const Model mimo = load_model("mimo-v2-flash");
  const auto full = std::count_if(mimo.layers.begin(), mimo.layers.end(),
                                  [](const Layer& l) { return l.mixers[0].kind == MixerKind::full_attention; });
  CHECK(full == 9);
  CHECK(mimo.layers[1].mixers[0].kv_heads == 8);
  CHECK(mimo.layers[0].mixers[0].v_head_dim == 128);
  const Model m1 =
      read_text(small_config("minimax_m1", moe_keys("_w") + "\"attn_type_list\": [0, 1], \"head_dim\": 8, "));
  CHECK(m1.layers[0].mixers[0].kind == MixerKind::lightning);
  CHECK(m1.layers[1].mixers[0].kind == MixerKind::full_attention);
}

TEST_CASE("trap 14: LongCat has 28 layers of two attention blocks, and Gemma 4 two head sizes") {
  const Model longcat = load_model("longcat-flash");
  CHECK(longcat.layers.size() == 28);
  CHECK(longcat.layers[0].mixers.size() == 2);
  CHECK(kv_figures(longcat, 0, DType::bf16).caching_layers == 56);
  CHECK(longcat.layers[0].ffns[0].zero_experts == 256);
  const Model gemma = load_model("gemma-4-31b-nvfp4");
  CHECK(gemma.layers[0].mixers[0].head_dim == 256);
  CHECK(gemma.layers[5].mixers[0].head_dim == 512);
  CHECK(gemma.layers[5].mixers[0].k_is_v);
}

TEST_CASE("trap 15: a model's name decides nothing") {
  const ConfigNode node =
      parse_json(small_config("llama", "\"_name_or_path\": \"deepseek-ai/DeepSeek-V3\", "), "deepseek-v3.json");
  ConfigSurroundings around;
  around.name = "deepseek-v3";
  CHECK(read_config(node, "deepseek-v3.json", around).family == "llama");
}

TEST_CASE("trap 16: dtype is found under either key and inside text_config, and its absence is said") {
  const auto dtype_of = [](const std::string& text) { return read_text(text).stored.at(WeightRole::attention).dtype; };
  std::string text = small_config("llama");
  CHECK(dtype_of(text) == DType::bf16);
  text.replace(text.find("torch_dtype"), 11, "dtype");
  text.replace(text.find("bfloat16"), 8, "float16");
  CHECK(dtype_of(text) == DType::fp16);
  CHECK(dtype_of("{\"model_type\": \"qwen3_vl\", \"text_config\": " + text + "}") == DType::fp16);
  text.replace(text.find("\"float16\""), 9, "null");
  CHECK(notes_say(read_text(text), "no key states a dtype"));
  text.replace(text.find(": null}"), 7, ": \"complex64\"}");
  CHECK_THROWS_WITH(read_text(text), Contains("complex64") && Contains("bfloat16, float16, float32"));
}

TEST_CASE("trap 17: a shape that a source got wrong does not give the published count") {
  const std::string wrong =
      R"({"model_type": "qwen2", "hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64,
    "num_key_value_heads": 8, "intermediate_size": 22528, "vocab_size": 151936, "tie_word_embeddings": false, "torch_dtype": "bfloat16"})";
  CHECK(read_text(wrong).parameters.total() != 72'706'203'648);
  CHECK(load_model("qwen2.5-72b").parameters.total() == 72'706'203'648);
}

TEST_CASE("trap 18: latent attention is decided by kv_lora_rank, and the rule that fired is said") {
  CHECK(first_mixer(load_model("kimi-k2")).kind == MixerKind::mla);
  CHECK(first_mixer(load_model("kimi-k2.6-nvfp4")).kind == MixerKind::mla);  // deepseek_v3 inside kimi_k25
  CHECK(load_model("glm-4.5").family == "glm4_moe");                         // its file says "glm"
  CHECK(notes_say(load_model("glm-4.5"), "read as glm4_moe"));
  CHECK(notes_say(load_model("kimi-k2"), "latent attention by kv_lora_rank"));
  CHECK_THROWS_WITH(read_text(small_config("deepseek_ref", "\"compress_ratios\": [0, 4], ")), Contains("DeepSeek-V4"));
  CHECK_THROWS_WITH(read_text(small_config("llama", "\"compress_ratios\": [0, 4], ")), Contains("compress_ratios"));
}

TEST_CASE("trap 19: true is not 1, and words for switches are not sizes") {
  CHECK_THROWS_WITH(read_text(R"({"model_type": "llama", "hidden_size": true, "vocab_size": 512})"),
                    Contains("hidden_size") && Contains("integer"));
  CHECK_NOTHROW(read_text(small_config("llama", "\"use_flash_attn\": \"auto\", ")));
  CHECK_THROWS_WITH(read_text(small_config("llama", "\"attention_bias\": \"True\", ")), Contains("true or false"));
  const Model jamba =
      read_text(small_config("jamba", R"("num_experts": 4, "num_experts_per_tok": 2, "expert_layer_period": 2,
    "expert_layer_offset": 1, "attn_layer_period": 2, "attn_layer_offset": 1, "mamba_d_state": 16, "mamba_d_conv": 4,
    "mamba_expand": 2, "mamba_dt_rank": "auto", "num_key_value_heads": 2, )"));
  CHECK(jamba.layers[0].mixers[0].dt_rank == 4);
  CHECK(jamba.layers[0].mixers[0].kind == MixerKind::mamba1);
  CHECK(jamba.layers[1].ffns[0].kind == FfnKind::moe);
}

TEST_CASE("the KV traffic of Llama-3-70B is counted per KV head: 2.684 GB, not 21.47 GB") {
  CHECK(kv_figures(load_model("llama-3.1-70b"), 8'192, DType::bf16).at_context == Bytes{2'684'354'560});
}
