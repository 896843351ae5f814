#include "models/gguf.hpp"

#include <fmt/format.h>

#include "arch/error.hpp"
#include "models/inspect.hpp"
#include "models/kv.hpp"
#include "models/library.hpp"
#include "models/weights.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/models/gguf_bytes.hpp"

using namespace waferline;
using namespace waferline::models;
using Catch::Contains;
using tests::GgufBytes;
using tests::TemporaryFolder;

namespace {

constexpr std::uint32_t kF32 = 0, kF16 = 1, kQ4K = 12, kQ6K = 14;

/// Sizes of a llama of two layers, 256 wide, without its tensors.
GgufBytes llama_keys(const std::string& arch = "llama") {
  GgufBytes file;
  file.text("general.architecture", arch).text("general.name", "Small").number(arch + ".block_count", 2);
  file.number(arch + ".embedding_length", 256)
      .number(arch + ".feed_forward_length", 512)
      .number(arch + ".context_length", 2048);
  file.number(arch + ".attention.head_count", 8);
  return file;
}

/// Tensors of `layers` layers with `kv_rows` rows of keys.
GgufBytes& add_layers(GgufBytes& file, int layers, std::uint64_t kv_rows = 256) {
  for (int i = 0; i < layers; ++i) {
    const std::string at = fmt::format("blk.{}.", i);
    file.tensor(at + "attn_norm.weight", {256}, kF32).tensor(at + "ffn_norm.weight", {256}, kF32);
    file.tensor(at + "attn_q.weight", {256, 256}, kQ4K).tensor(at + "attn_k.weight", {256, kv_rows}, kQ4K);
    file.tensor(at + "attn_v.weight", {256, kv_rows}, kQ6K).tensor(at + "attn_output.weight", {256, 256}, kQ4K);
    file.tensor(at + "ffn_gate.weight", {256, 512}, kQ4K).tensor(at + "ffn_up.weight", {256, 512}, kQ4K);
    file.tensor(at + "ffn_down.weight", {512, 256}, kQ6K);
  }
  return file;
}

GgufBytes small_llama() {
  GgufBytes file = llama_keys();
  file.number("llama.attention.head_count_kv", 8)
      .words("tokenizer.ggml.tokens", std::vector<std::string>(1000, "word"));
  file.tensor("token_embd.weight", {256, 1000}, kQ4K)
      .tensor("output_norm.weight", {256}, kF32)
      .tensor("output.weight", {256, 1000}, kQ6K);
  add_layers(file, 2);
  return file;
}

bool notes_say(const Model& model, const std::string& text) {
  return std::any_of(model.notes.begin(), model.notes.end(),
                     [&](const std::string& n) { return n.find(text) != n.npos; });
}

}  // namespace

TEST_CASE("a GGUF file alone gives a model whose counts and bytes are those of its tensors") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.write("small.gguf", small_llama().bytes());
  const Model model = load_model(path.string());
  CHECK(model.name == "Small");
  CHECK(model.layers.size() == 2);
  CHECK(model.vocab_size == 1000);  // from the shape of token_embd.weight
  CHECK_FALSE(model.tied_embeddings);
  const GgufFile file = read_gguf(path);
  CHECK(model.parameters.total() == file.table.elements());
  Bytes listed;
  for (const ListedTensor& tensor : file.table.tensors) listed += tensor.bytes;
  CHECK(weight_bytes(model) == listed);
  CHECK_FALSE(notes_say(model, "warning"));
}

TEST_CASE("a GGUF without an output tensor is tied") {
  GgufBytes file = llama_keys();
  file.number("llama.attention.head_count_kv", 8)
      .tensor("token_embd.weight", {256, 1000}, kF16)
      .tensor("output_norm.weight", {256}, kF32);
  add_layers(file, 2);
  const TemporaryFolder folder;
  CHECK(read_gguf_model(folder.write("tied.gguf", file.bytes())).tied_embeddings);
}

TEST_CASE("KV heads listed per layer are read per layer, and 0 means no attention there") {
  GgufBytes file = llama_keys();
  file.numbers("llama.attention.head_count_kv", {0, 4}).tensor("token_embd.weight", {256, 1000}, kF16);
  const TemporaryFolder folder;
  const Model model = read_gguf_model(folder.write("mixed.gguf", file.bytes()));
  CHECK(model.layers[0].mixers[0].kind == MixerKind::none);
  CHECK(model.layers[1].mixers[0].kv_heads == 4);
  const KvFigures figures = kv_figures(model, 0, DType::bf16);
  CHECK(figures.caching_layers == 1);
  CHECK(figures.per_token == Bytes{2 * 4 * 32 * 2});
}

TEST_CASE("an architecture that is not known is refused by name") {
  const TemporaryFolder folder;
  const std::string bytes = llama_keys("lfm2").tensor("token_embd.weight", {256, 1000}, kF16).bytes();
  CHECK_THROWS_WITH(read_gguf_model(folder.write("lfm2.gguf", bytes)), Contains("\"lfm2\"") && Contains("llama"));
}

TEST_CASE("a size key of a GGUF that is not understood is refused by name") {
  GgufBytes file = llama_keys();
  file.number("llama.memory_slot_count", 7).tensor("token_embd.weight", {256, 1000}, kF16);
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(read_gguf_model(folder.write("odd.gguf", file.bytes())), Contains("memory_slot_count"));
}

TEST_CASE("counts that differ between keys and tensors are warned about") {
  GgufBytes file = llama_keys();
  file.number("llama.attention.head_count_kv", 8)
      .tensor("token_embd.weight", {256, 1000}, kF16)
      .tensor("output_norm.weight", {256}, kF32);
  add_layers(file, 2, 128);
  const TemporaryFolder folder;
  CHECK(notes_say(read_gguf_model(folder.write("off.gguf", file.bytes())), "warning: the files list"));
}

TEST_CASE("block_count includes the layers that predict ahead") {
  GgufBytes file = llama_keys("glm4moe");
  file.number("glm4moe.nextn_predict_layers", 1)
      .number("glm4moe.attention.head_count_kv", 8)
      .number("glm4moe.expert_count", 4);
  file.number("glm4moe.expert_used_count", 2)
      .number("glm4moe.expert_feed_forward_length", 64)
      .number("glm4moe.expert_shared_count", 1);
  file.number("glm4moe.leading_dense_block_count", 0).tensor("token_embd.weight", {256, 1000}, kF16);
  const TemporaryFolder folder;
  const Model model = read_gguf_model(folder.write("glm.gguf", file.bytes()));
  CHECK(model.layers.size() == 1);
  CHECK(model.mtp_layers.size() == 1);
}

TEST_CASE("the parts of a split GGUF are read together, and a missing part is said") {
  const TemporaryFolder folder;
  GgufBytes first = llama_keys();
  first.number("llama.attention.head_count_kv", 8)
      .number("split.count", 2)
      .tensor("token_embd.weight", {256, 1000}, kF16);
  first.tensor("output_norm.weight", {256}, kF32);
  const std::filesystem::path path = folder.write("small-00001-of-00002.gguf", first.bytes());
  CHECK(notes_say(read_gguf_model(path), "1 of the 2 parts are there"));
  GgufBytes second;
  add_layers(second.number("split.no", 1), 2);
  folder.write("small-00002-of-00002.gguf", second.bytes());
  const Model model = read_gguf_model(path);
  CHECK_FALSE(notes_say(model, "warning"));
  CHECK(model.tied_embeddings);
}

TEST_CASE("a GGUF cut off anywhere is refused, never read beyond its end") {
  const TemporaryFolder folder;
  GgufBytes file = llama_keys();
  file.numbers("llama.attention.head_count_kv", {8, 8})
      .words("tokenizer.ggml.tokens", {"a", "bc"})
      .tensor("token_embd.weight", {256, 9}, kF16);
  const std::string whole = file.bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::filesystem::path path = folder.write("cut.gguf", whole.substr(0, length));
    CHECK_THROWS_AS(read_gguf(path), ConfigError);
  }
  CHECK_NOTHROW(read_gguf(folder.write("cut.gguf", whole)));
}

TEST_CASE("a GGUF with any byte changed is read or refused") {
  const TemporaryFolder folder;
  const std::string whole = small_llama().bytes().substr(0, 700);
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    for (const char value : {'\0', '\xff', '\x7f'}) {
      std::string changed = whole;
      changed[at] = value;
      const std::filesystem::path path = folder.write("changed.gguf", changed);
      try {
        read_gguf_model(path);
      } catch (const ConfigError&) {
        ++refused;
      }
    }
  }
  CHECK(refused > 0);
}

TEST_CASE("counts beyond what the file holds are refused at once") {
  const TemporaryFolder folder;
  std::string bytes = GgufBytes().bytes();
  for (int i = 0; i < 8; ++i) bytes[static_cast<std::size_t>(8 + i)] = '\xff';  // tensor count
  CHECK_THROWS_WITH(read_gguf(folder.write("huge.gguf", bytes + std::string(100, '\0'))), Contains("do not fit"));
  CHECK_THROWS_WITH(read_gguf(folder.write("old.gguf", GgufBytes(1).bytes())), Contains("version 1"));
  CHECK_THROWS_WITH(read_gguf(folder.write("none.gguf", "no such thing here")), Contains("GGUF"));
  CHECK_THROWS_AS(read_gguf(folder.path()), ConfigError);
}
