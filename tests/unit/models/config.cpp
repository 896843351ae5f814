#include "models/config.hpp"

#include "arch/error.hpp"
#include "models/library.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::models;
using Catch::Contains;

namespace {

/// A small Llama, with `extra` keys in front.
std::string tiny_llama(const std::string& extra = {}, const std::string& type = "llama") {
  return "{" + extra + R"("model_type": ")" + type +
         R"(", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 8, "num_key_value_heads": 4,
  "intermediate_size": 172, "vocab_size": 512, "max_position_embeddings": 512, "tie_word_embeddings": true,
  "torch_dtype": "float32"})";
}

Model read(const std::string& text) {
  return read_config(parse_json(text, "config.json"), "config.json");
}

}  // namespace

TEST_CASE("a small llama is read into one record per layer with its weights") {
  const Model model = read(tiny_llama());
  REQUIRE(model.layers.size() == 2);
  const Mixer& mixer = model.layers[0].mixers.at(0);
  CHECK(mixer.kind == MixerKind::full_attention);
  CHECK(mixer.heads == 8);
  CHECK(mixer.kv_heads == 4);
  CHECK(mixer.head_dim == 8);
  CHECK(model.layers[0].ffns.at(0).width == 172);
  CHECK(model.parameters.embedding == 512 * 64);
  CHECK(model.parameters.head == 0);
  CHECK(model.parameters.decoder == 2 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 172 + 2 * 64) + 64);
}

TEST_CASE("an unknown model type is refused by name with its line") {
  CHECK_THROWS_WITH(read(tiny_llama("", "lama")), Contains("model_type") && Contains("\"lama\"") && Contains("llama"));
  CHECK_THROWS_WITH(read("{\"model_type\": \"deepseek_v4\"}"), Contains("config.json:1") && Contains("DeepSeek-V4"));
  CHECK_THROWS_WITH(read("{\"hidden_size\": 64}"), Contains("model_type"));
}

TEST_CASE("an unknown key that reads like a size is refused by name with its line") {
  CHECK_THROWS_WITH(read(tiny_llama("\"num_memory_slots\": 4,\n")),
                    Contains("config.json:1: num_memory_slots") && Contains("4"));
  CHECK_THROWS_WITH(read(tiny_llama("\"layer_widths\": [1, 2],\n")), Contains("layer_widths"));
  CHECK_THROWS_WITH(read(tiny_llama("\"moe_config\": {\"count\": 8},\n")), Contains("moe_config"));
  CHECK_NOTHROW(read(tiny_llama("\"bos_token_id\": 7, \"rope_theta\": 500000, \"use_new_thing\": true,\n")));
}

TEST_CASE("a size of another family that would change the weights is not passed over") {
  CHECK_THROWS_WITH(read(tiny_llama("\"zero_expert_num\": 4,\n")), Contains("zero_expert_num"));
}

TEST_CASE("no size has a default") {
  for (const char* key :
       {"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size"}) {
    std::string text = tiny_llama();
    const std::string quoted = '"' + std::string(key) + '"';
    text.replace(text.find(quoted), quoted.size(), "\"_left_out\"");
    INFO(key);
    CHECK_THROWS_WITH(read(text), Contains(key) && Contains("missing or null"));
  }
}

TEST_CASE("sizes out of range and of the wrong type are refused with value and range") {
  std::string text = tiny_llama();
  text.replace(text.find("\"vocab_size\": 512"), 17, "\"vocab_size\": -5 ");
  CHECK_THROWS_WITH(read(text), Contains("vocab_size: is -5, permitted are 1 to 67108864"));
  text = tiny_llama();
  text.replace(text.find("\"hidden_size\": 64"), 17, "\"hidden_size\":1e9");
  CHECK_THROWS_WITH(read(text), Contains("hidden_size") && Contains("integer"));
}

TEST_CASE("sizes that are each permitted but too large together are refused without overflow") {
  CHECK_THROWS_WITH(read(R"({"model_type": "qwen3_moe", "hidden_size": 1048576, "num_hidden_layers": 4096,
    "num_attention_heads": 65536, "head_dim": 65536, "vocab_size": 67108864, "num_experts": 65536, "num_experts_per_tok": 8,
    "moe_intermediate_size": 4194304, "intermediate_size": 4194304})"),
                    Contains("more than"));
}

TEST_CASE("two spellings of one size must agree") {
  CHECK_THROWS_WITH(read(tiny_llama("\"n_layer\": 3, ")), Contains("n_layer") && Contains("num_hidden_layers"));
}

TEST_CASE("the key that supplied each size is reported") {
  const Model model = load_model("gpt2");
  const KeySource source{"hidden_size", "n_embd", "768"};
  CHECK(std::find(model.key_sources.begin(), model.key_sources.end(), source) != model.key_sources.end());
}
