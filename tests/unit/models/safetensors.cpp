#include "models/safetensors.hpp"

#include <fmt/format.h>

#include "arch/error.hpp"
#include "models/library.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reference_data.hpp"
#include "tests/unit/models/gguf_bytes.hpp"
#include "tests/unit/models/small_configs.hpp"

using namespace waferline;
using namespace waferline::models;
using Catch::Contains;
using tests::TemporaryFolder;

namespace {

/// A file of that header without any weights.
std::string header_only(const std::string& json) {
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) out += static_cast<char>((json.size() >> (8 * i)) & 0xff);
  return out + json;
}

/// Header text of tensors in bf16, laid one after the other.
class HeaderText {
 public:
  HeaderText& tensor(const std::string& name, std::int64_t rows, std::int64_t cols, const std::string& dtype = "BF16",
                     int bytes = 2) {
    const std::int64_t size = rows * cols * bytes;
    text_ += fmt::format("{}\"{}\": {{\"dtype\": \"{}\", \"shape\": [{}, {}], \"data_offsets\": [{}, {}]}}",
                         text_.empty() ? "" : ", ", name, dtype, rows, cols, at_, at_ + size);
    at_ += size;
    return *this;
  }
  std::string json() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
  std::int64_t at_ = 0;
};

/// Tensors of the small llama of 2 layers, 64 wide, 8 heads, 172 inner, 512 words.
HeaderText small_llama() {
  HeaderText header;
  header.tensor("model.embed_tokens.weight", 512, 64)
      .tensor("lm_head.weight", 512, 64)
      .tensor("model.norm.weight", 64, 1);
  for (int i = 0; i < 2; ++i) {
    const std::string at = fmt::format("model.layers.{}.", i);
    for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"})
      header.tensor(at + "self_attn." + name + ".weight", 64, 64);
    header.tensor(at + "mlp.gate_proj.weight", 172, 64)
        .tensor(at + "mlp.up_proj.weight", 172, 64)
        .tensor(at + "mlp.down_proj.weight", 64, 172);
    header.tensor(at + "input_layernorm.weight", 64, 1).tensor(at + "post_attention_layernorm.weight", 64, 1);
  }
  return header;
}

bool notes_say(const Model& model, const std::string& text) {
  return std::any_of(model.notes.begin(), model.notes.end(),
                     [&](const std::string& n) { return n.find(text) != n.npos; });
}

}  // namespace

TEST_CASE("a configuration beside a safetensors file is compared with it") {
  const TemporaryFolder folder;
  folder.write("config.json", tests::small_config("llama"));
  folder.write("model.safetensors", header_only(small_llama().json()));
  const Model model = load_model(folder.path().string() + "/");
  CHECK_FALSE(notes_say(model, "warning"));
  CHECK(notes_say(model, "the header alone is used"));
}

TEST_CASE("a difference between header and configuration that nothing explains is warned about") {
  const TemporaryFolder folder;
  folder.write("config.json", tests::small_config("llama"));
  folder.write("model.safetensors", header_only(small_llama().tensor("model.layers.0.extra.weight", 3, 5).json()));
  CHECK(notes_say(load_model((folder.path() / "model.safetensors").string()), "(+15)"));
}

TEST_CASE("a head that is stored although it is tied is said, not warned about") {
  const TemporaryFolder folder;
  std::string config = tests::small_config("llama");
  config.replace(config.find("false"), 5, "true");
  folder.write("config.json", config);
  folder.write("model.safetensors", header_only(small_llama().json()));
  const Model model = load_model((folder.path() / "config.json").string());
  CHECK(notes_say(model, "ties the head to the embedding, yet the files store it (32768 elements)"));
  CHECK_FALSE(notes_say(model, "warning"));
}

TEST_CASE("packed 4-bit weights are counted as the values that they hold") {
  const TemporaryFolder folder;
  folder.write(
      "config.json",
      tests::small_config("llama", R"("quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4"}, )"));
  HeaderText header;
  header.tensor("model.embed_tokens.weight", 512, 64)
      .tensor("lm_head.weight", 512, 64)
      .tensor("model.norm.weight", 64, 1);
  for (int i = 0; i < 2; ++i) {
    const std::string at = fmt::format("model.layers.{}.", i);
    for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"})
      header.tensor(at + "self_attn." + name + ".weight", 64, 32, "U8", 1);
    header.tensor(at + "mlp.gate_proj.weight", 172, 32, "U8", 1).tensor(at + "mlp.up_proj.weight", 172, 32, "U8", 1);
    header.tensor(at + "mlp.down_proj.weight", 64, 86, "U8", 1)
        .tensor(at + "mlp.down_proj.weight_scale", 64, 11, "F8_E4M3", 1);
    header.tensor(at + "input_layernorm.weight", 64, 1).tensor(at + "post_attention_layernorm.weight", 64, 1);
  }
  folder.write("model.safetensors", header_only(header.json()));
  const Model model = load_model((folder.path() / "config.json").string());
  CHECK(notes_say(model, "packed 4-bit values"));
  CHECK_FALSE(notes_say(model, "warning"));
}

TEST_CASE("an index is read with those of its files that are there") {
  const TemporaryFolder folder;
  folder.write("config.json", tests::small_config("llama"));
  folder.write("model-00001-of-00001.safetensors", header_only(small_llama().json()));
  const std::string map =
      R"({"metadata": {"total_size": 1000}, "weight_map": {"lm_head.weight": "model-00001-of-00001.safetensors")";
  folder.write("model.safetensors.index.json", map + "}}");
  CHECK_FALSE(notes_say(load_model((folder.path() / "config.json").string()), "warning"));
  folder.write("model.safetensors.index.json", map + R"(, "model.norm.weight": "model-00002-of-00002.safetensors"}})");
  CHECK(
      notes_say(load_model((folder.path() / "config.json").string()), "1 tensors are named whose files are not there"));
  folder.write("model.safetensors.index.json", map + R"(, "model.norm.weight": "../elsewhere.safetensors"}})");
  CHECK_THROWS_WITH(load_model((folder.path() / "config.json").string()), Contains("../elsewhere"));
}

TEST_CASE("a safetensors file without a configuration beside it is refused with what is missing") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("model.safetensors", header_only(small_llama().json()));
  CHECK_THROWS_WITH(load_model(path.string()), Contains("config.json must lie beside it"));
}

TEST_CASE("broken safetensors headers are refused") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes) {
    CHECK_THROWS_AS(read_safetensors(folder.write("x.safetensors", bytes)), ConfigError);
  };
  refused("");
  refused("short");
  refused(std::string(8, '\xff') + "{}");
  refused(header_only("[]"));
  refused(header_only("{\"a\": 1}"));
  refused(header_only(R"({"a": {"dtype": "BF17", "shape": [1], "data_offsets": [0, 2]}})"));
  refused(header_only(R"({"a": {"dtype": "BF16", "shape": [-1], "data_offsets": [0, 2]}})"));
  refused(header_only(R"({"a": {"dtype": "BF16", "shape": [4194304, 4194304, 4194304], "data_offsets": [0, 2]}})"));
  refused(header_only(R"({"a": {"dtype": "BF16", "shape": [4], "data_offsets": [8, 0]}})"));
  refused(header_only(R"({"a": {"dtype": "BF16", "shape": [4], "data_offsets": [0, 9]}})"));
  const std::string whole = header_only(R"({"a": {"dtype": "BF16", "shape": [4], "data_offsets": [0, 8]}})");
  for (std::size_t length = 0; length < whole.size(); ++length) refused(whole.substr(0, length));
  CHECK_THROWS_AS(read_safetensors(folder.path()), ConfigError);
}

TEST_CASE("the tiny model's file agrees with its configuration to the last parameter") {
  WAFERLINE_REQUIRE_REFERENCE(reference);
  const Model model = load_model((reference / "tiny" / "config.json").string());
  CHECK(model.parameters.total() == 260'032);
  CHECK(notes_say(model, "counts agree"));
}
