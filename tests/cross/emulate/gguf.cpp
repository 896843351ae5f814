// Which question: does a GGUF file give the decode that its own numbers ask for, rotary order and blocks included?

#include "kernels/emulate/gguf_source.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <random>

#include "arch/error.hpp"
#include "kernels/emulate/decode.hpp"
#include "kernels/numerics/block_scaled.hpp"
#include "kernels/numerics/storage.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reference_data.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::emulate;

namespace {

std::filesystem::path tiny() {
  return tests::source_dir() / "tests" / "data" / "tiny";
}

/// Writes what a converter writes: Llama's projections with adjacent rotary pairs, matrices in one type where blocks
/// fit.
class GgufWriter {
 public:
  template <class T>
  void number(T value) {
    const auto* at = reinterpret_cast<const char*>(&value);
    text_.append(at, sizeof(T));
  }
  void text(const std::string& value) {
    number<std::uint64_t>(value.size());
    text_ += value;
  }
  void size(const std::string& key, std::uint32_t value) {
    text("llama." + key);
    number<std::uint32_t>(4);
    number(value);
  }
  void real(const std::string& key, float value) {
    text("llama." + key);
    number<std::uint32_t>(6);
    number(value);
  }
  std::string& bytes() { return text_; }

 private:
  std::string text_;
};

std::string stored(const std::vector<float>& row, std::uint32_t type) {
  std::string out;
  if (type == 2 || type == 8) {
    for (std::size_t b = 0; b < row.size(); b += 32) {
      const std::span<const float, 32> values(row.data() + b, 32);
      if (type == 8) {
        const auto packed = pack_q8(quantise_q8(values));
        out.append(packed.begin(), packed.end());
      } else {
        const auto packed = pack_q4(quantise_q4(values));
        out.append(packed.begin(), packed.end());
      }
    }
    return out;
  }
  for (const float value : row) {
    const std::uint16_t half = type == 1 ? fp16_from_fp32(value) : bf16_from_fp32(value);
    if (type == 0) out.append(reinterpret_cast<const char*>(&value), 4);
    if (type != 0) out.append(reinterpret_cast<const char*>(&half), 2);
  }
  return out;
}

std::filesystem::path write_gguf(std::uint32_t type) {
  const auto source = open_safetensors(tiny());
  const DecoderSpec spec = read_decoder_spec(tiny() / "config.json");
  std::vector<std::pair<std::string, std::string>> names{{"token_embd.weight", "model.embed_tokens.weight"},
                                                         {"output_norm.weight", "model.norm.weight"}};
  const std::map<std::string, std::string> parts{
      {"attn_q", "self_attn.q_proj"},      {"attn_k", "self_attn.k_proj"},   {"attn_v", "self_attn.v_proj"},
      {"attn_output", "self_attn.o_proj"}, {"attn_norm", "input_layernorm"}, {"ffn_norm", "post_attention_layernorm"},
      {"ffn_gate", "mlp.gate_proj"},       {"ffn_up", "mlp.up_proj"},        {"ffn_down", "mlp.down_proj"}};
  for (int layer = 0; layer < 5; ++layer) {
    for (const auto& [ours, theirs] : parts) {
      names.emplace_back("blk." + std::to_string(layer) + "." + ours + ".weight",
                         "model.layers." + std::to_string(layer) + "." + theirs + ".weight");
    }
  }
  GgufWriter out;
  out.number<std::uint32_t>(0x46554747);
  out.number<std::uint32_t>(3);
  out.number<std::uint64_t>(names.size());
  out.number<std::uint64_t>(9);
  out.text("general.architecture");
  out.number<std::uint32_t>(8);
  out.text("llama");
  out.size("embedding_length", 64);
  out.size("feed_forward_length", 172);
  out.size("block_count", 5);
  out.size("attention.head_count", 8);
  out.size("attention.head_count_kv", 4);
  out.size("context_length", 512);
  out.real("attention.layer_norm_rms_epsilon", 1e-5F);
  out.real("rope.freq_base", 10000.0F);
  std::string data;
  for (const auto& [name, theirs] : names) {
    const RawMatrix raw = source->read(theirs);
    const bool blocks_fit = raw.cols % 32 == 0;
    const std::uint32_t used = raw.rows == 1 || ((type == 2 || type == 8) && !blocks_fit) ? 0 : type;
    out.text(name);
    out.number<std::uint32_t>(raw.rows == 1 ? 1 : 2);
    out.number<std::int64_t>(raw.cols);
    if (raw.rows != 1) out.number<std::int64_t>(raw.rows);
    out.number<std::uint32_t>(used);
    data.resize((data.size() + 31) / 32 * 32);
    out.number<std::int64_t>(static_cast<std::int64_t>(data.size()));
    std::vector<float> row(static_cast<std::size_t>(raw.cols));
    const bool pairs = name.find("attn_q.") != std::string::npos || name.find("attn_k.") != std::string::npos;
    for (std::int64_t r = 0; r < raw.rows; ++r) {
      const std::int64_t dim = r % spec.head_dim;
      raw.read_row(pairs ? r - dim + dim / 2 + (dim % 2) * (spec.head_dim / 2) : r, row);
      data += stored(row, used);
    }
  }
  out.bytes().resize((out.bytes().size() + 31) / 32 * 32);
  const auto path = std::filesystem::temp_directory_path() / ("waferline_tiny_" + std::to_string(type) + ".gguf");
  std::ofstream(path, std::ios::binary) << out.bytes() << data;
  return path;
}

/// Largest difference of the logits after four tokens from those of the safetensors file, weights stored as `dtype`.
double difference(std::uint32_t type, DType dtype) {
  const std::filesystem::path file = write_gguf(type);
  const GgufModel model = open_gguf(file);
  const auto exact = open_safetensors(tiny());
  DecodeOptions options;
  options.mesh = {4, 3};
  Decoder right(read_decoder_spec(tiny() / "config.json"), exact.get(), 0, options);
  options.weights = dtype;
  Decoder decoder(model.spec, model.weights.get(), 0, options);
  double worst = 0;
  for (const std::int64_t id : {1, 403, 407, 261}) {
    const auto& a = right.feed(id);
    const auto& b = decoder.feed(id);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double d = std::abs(a[i] - b[i]);
      worst = std::isnan(d) ? 1e9 : std::max(worst, d);
    }
  }
  std::filesystem::remove(file);
  return worst;
}

}  // namespace

TEST_CASE("an F32 GGUF file with adjacent rotary pairs gives the logits of the safetensors file to the bit") {
  CHECK(difference(0, DType::fp32) == 0.0);
}

TEST_CASE("F16, BF16, Q8_0 and Q4_0 files differ by what their types lose, and not by more") {
  const double fp16 = difference(1, DType::fp16);
  const double bf16 = difference(30, DType::bf16);
  const double q8 = difference(8, DType::int8);
  const double q4 = difference(2, DType::int4);
  CHECK(fp16 > 0);
  CHECK(fp16 < 0.02);
  CHECK(bf16 < 0.2);
  CHECK(q8 < 0.5);
  CHECK(q8 > fp16);
  CHECK(q4 > q8);
  CHECK(q4 < 6);
}

TEST_CASE("a GGUF file that is cut off, or of another kind, is refused by name") {
  const std::filesystem::path file = write_gguf(0);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 40);
  CHECK_THROWS_WITH(open_gguf(file), Catch::Contains("lies outside the file"));
  std::filesystem::resize_file(file, 40);
  CHECK_THROWS_WITH(open_gguf(file), Catch::Contains("ends within its header"));
  std::filesystem::remove(file);
  CHECK_THROWS_AS(open_gguf(tiny() / "config.json"), ConfigError);
}
