// Follows: the GGUF specification (header, metadata, tensor table, data aligned to general.alignment).
#include "kernels/emulate/gguf_source.hpp"

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <map>
#include <variant>

#include "arch/error.hpp"

namespace waferline::kernels::emulate {
namespace {

namespace fs = std::filesystem;

using Value = std::variant<std::int64_t, double, std::string>;

struct Entry {
  RawMatrix::Format format = RawMatrix::Format::fp32;
  std::int64_t rows = 1;
  std::int64_t cols = 1;
  std::int64_t begin = 0;
};

constexpr std::uint64_t kMostText = 1 << 24;
constexpr std::uint64_t kMostItems = 1 << 24;

/// Reads little-endian numbers and refuses to run past the end.
class Reader {
 public:
  explicit Reader(const fs::path& file) : file_(file.string()), in_(file, std::ios::binary) {
    if (!in_) throw ConfigError(fmt::format("{}: cannot be opened", file_));
    bytes_ = static_cast<std::int64_t>(fs::file_size(file));
  }
  template <class T>
  T number() {
    T value{};
    in_.read(reinterpret_cast<char*>(&value), sizeof(T));
    if (!in_) throw wrong("ends within its header");
    return value;
  }
  std::string text() {
    const auto length = number<std::uint64_t>();
    if (length > kMostText) throw wrong(fmt::format("a text of {} bytes in the header", length));
    std::string value(length, '\0');
    in_.read(value.data(), static_cast<std::streamsize>(length));
    if (!in_) throw wrong("ends within its header");
    return value;
  }
  ConfigError wrong(const std::string& what) const { return ConfigError(fmt::format("{}: {}", file_, what)); }
  std::int64_t position() { return static_cast<std::int64_t>(in_.tellg()); }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::string file_;
  std::ifstream in_;
  std::int64_t bytes_ = 0;
};

Value read_value(Reader& in, std::uint32_t type);

/// Arrays (vocabularies) are passed over: no size or constant of a decoder is one.
Value skip_array(Reader& in) {
  const auto type = in.number<std::uint32_t>();
  const auto count = in.number<std::uint64_t>();
  if (type == 9 || count > kMostItems) throw in.wrong(fmt::format("an array of {} items of type {}", count, type));
  for (std::uint64_t i = 0; i < count; ++i) read_value(in, type);
  return std::string{};
}

Value read_value(Reader& in, std::uint32_t type) {
  switch (type) {
    case 0:
    case 7:
      return std::int64_t{in.number<std::uint8_t>()};
    case 1:
      return std::int64_t{in.number<std::int8_t>()};
    case 2:
      return std::int64_t{in.number<std::uint16_t>()};
    case 3:
      return std::int64_t{in.number<std::int16_t>()};
    case 4:
      return std::int64_t{in.number<std::uint32_t>()};
    case 5:
      return std::int64_t{in.number<std::int32_t>()};
    case 6:
      return double{in.number<float>()};
    case 8:
      return in.text();
    case 9:
      return skip_array(in);
    case 10:
    case 11:
      return in.number<std::int64_t>();
    case 12:
      return in.number<double>();
    default:
      throw in.wrong(fmt::format("metadata of type {} (permitted: 0 to 12)", type));
  }
}

RawMatrix::Format format_of(const Reader& in, const std::string& name, std::uint32_t type) {
  switch (type) {
    case 0:
      return RawMatrix::Format::fp32;
    case 1:
      return RawMatrix::Format::fp16;
    case 2:
      return RawMatrix::Format::q4_0;
    case 8:
      return RawMatrix::Format::q8_0;
    case 30:
      return RawMatrix::Format::bf16;
    default:
      throw in.wrong(
          fmt::format("tensor {} has ggml type {} (permitted: F32 0, F16 1, Q4_0 2, Q8_0 8, BF16 30)", name, type));
  }
}

/// "blk.3.attn_q.weight" is "model.layers.3.self_attn.q_proj.weight".
std::string hugging_face_name(const std::string& name) {
  static const std::map<std::string, std::string> kWhole{{"token_embd.weight", "model.embed_tokens.weight"},
                                                         {"output_norm.weight", "model.norm.weight"},
                                                         {"output.weight", "lm_head.weight"}};
  static const std::map<std::string, std::string> kParts{
      {"attn_q", "self_attn.q_proj"},      {"attn_k", "self_attn.k_proj"},
      {"attn_v", "self_attn.v_proj"},      {"attn_output", "self_attn.o_proj"},
      {"attn_q_norm", "self_attn.q_norm"}, {"attn_k_norm", "self_attn.k_norm"},
      {"attn_norm", "input_layernorm"},    {"ffn_norm", "post_attention_layernorm"},
      {"ffn_gate", "mlp.gate_proj"},       {"ffn_up", "mlp.up_proj"},
      {"ffn_down", "mlp.down_proj"}};
  if (const auto whole = kWhole.find(name); whole != kWhole.end()) return whole->second;
  const auto layer = name.find('.', 4);
  const auto part = name.rfind('.');
  if (!name.starts_with("blk.") || layer == std::string::npos || part <= layer) return name;
  const auto known = kParts.find(name.substr(layer + 1, part - layer - 1));
  if (known == kParts.end()) return name;
  return "model.layers." + name.substr(4, layer - 4) + "." + known->second + name.substr(part);
}

class GgufSource : public WeightSource {
 public:
  GgufSource(fs::path file, std::map<std::string, Entry> entries)
      : file_(std::move(file)), entries_(std::move(entries)) {}
  bool has(const std::string& name) const override { return entries_.contains(name); }
  RawMatrix read(const std::string& name) const override {
    const auto found = entries_.find(name);
    if (found == entries_.end()) throw ConfigError(fmt::format("{}: no tensor {}", file_.string(), name));
    RawMatrix matrix;
    matrix.format = found->second.format;
    matrix.rows = found->second.rows;
    matrix.cols = found->second.cols;
    matrix.bytes.resize(static_cast<std::size_t>(matrix.rows * row_bytes(matrix.format, matrix.cols)));
    std::ifstream in(file_, std::ios::binary);
    in.seekg(found->second.begin);
    in.read(reinterpret_cast<char*>(matrix.bytes.data()), static_cast<std::streamsize>(matrix.bytes.size()));
    if (!in) throw ConfigError(fmt::format("{}: tensor {} ends early", file_.string(), name));
    return matrix;
  }

 private:
  fs::path file_;
  std::map<std::string, Entry> entries_;
};

/// Metadata with a key's architecture prefix.
class Metadata {
 public:
  Metadata(const Reader& in, const std::map<std::string, Value>& values) : in_(in), values_(values) {
    architecture_ = std::get<std::string>(find("general.architecture", std::string{}));
  }
  const std::string& architecture() const { return architecture_; }
  std::int64_t size(const std::string& key, std::optional<std::int64_t> absent = {}) const {
    const Value value = find(architecture_ + "." + key, absent ? Value{*absent} : Value{std::string{}});
    const auto* whole = std::get_if<std::int64_t>(&value);
    if (whole == nullptr || *whole < 1 || *whole > (std::int64_t{1} << 40)) {
      throw in_.wrong(fmt::format("{}.{}: missing or no size (permitted: whole numbers from 1)", architecture_, key));
    }
    return *whole;
  }
  double number(const std::string& key, std::optional<double> absent = {}) const {
    const Value value = find(architecture_ + "." + key, absent ? Value{*absent} : Value{std::string{}});
    const auto* real = std::get_if<double>(&value);
    if (real == nullptr || !(*real > 0))
      throw in_.wrong(fmt::format("{}.{}: missing or no number above 0", architecture_, key));
    return *real;
  }

 private:
  Value find(const std::string& key, const Value& absent) const {
    const auto found = values_.find(key);
    return found == values_.end() ? absent : found->second;
  }
  const Reader& in_;
  const std::map<std::string, Value>& values_;
  std::string architecture_;
};

DecoderSpec spec_of(const Reader& in, const std::map<std::string, Value>& values,
                    const std::map<std::string, Entry>& entries) {
  const Metadata meta(in, values);
  DecoderSpec spec;
  spec.model_type = meta.architecture();
  if (spec.model_type != "llama" && spec.model_type != "qwen2" && spec.model_type != "qwen3") {
    throw in.wrong(
        fmt::format("general.architecture: \"{}\" is not emulated (permitted: llama, qwen2, qwen3)", spec.model_type));
  }
  spec.hidden_size = meta.size("embedding_length");
  spec.intermediate_size = meta.size("feed_forward_length");
  spec.num_hidden_layers = meta.size("block_count");
  spec.num_attention_heads = meta.size("attention.head_count");
  spec.num_key_value_heads = meta.size("attention.head_count_kv", spec.num_attention_heads);
  spec.head_dim = meta.size("attention.key_length", spec.hidden_size / spec.num_attention_heads);
  spec.max_position_embeddings = meta.size("context_length");
  spec.rms_norm_eps = meta.number("attention.layer_norm_rms_epsilon");
  spec.rope_theta = meta.number("rope.freq_base", 10000.0);
  const auto token_id = [&](const char* key) -> std::optional<std::int64_t> {
    const auto found = values.find(key);
    if (found == values.end() || !std::holds_alternative<std::int64_t>(found->second)) return {};
    return std::get<std::int64_t>(found->second);
  };
  spec.bos_token_id = token_id("tokenizer.ggml.bos_token_id");
  if (const auto eos = token_id("tokenizer.ggml.eos_token_id")) spec.eos_token_ids.push_back(*eos);
  const auto table = entries.find("model.embed_tokens.weight");
  if (table == entries.end()) throw in.wrong("no tensor token_embd.weight");
  spec.vocab_size = table->second.rows;
  spec.tie_word_embeddings = !entries.contains("lm_head.weight");
  spec.qkv_bias = entries.contains("model.layers.0.self_attn.q_proj.bias");
  spec.qk_norm = entries.contains("model.layers.0.self_attn.q_norm.weight");
  spec.adjacent_pairs = spec.model_type == "llama";  // the converter interleaves the pairs of Llama's projections only
  return spec;
}

Entry read_tensor(Reader& in, std::string& name) {
  name = in.text();
  const auto dimensions = in.number<std::uint32_t>();
  if (dimensions < 1 || dimensions > 4)
    throw in.wrong(fmt::format("tensor {} has {} dimensions (permitted: 1 to 4)", name, dimensions));
  Entry entry;
  for (std::uint32_t d = 0; d < dimensions; ++d) {
    const auto size = in.number<std::int64_t>();
    if (size < 1 || size > (std::int64_t{1} << 40) / entry.rows)
      throw in.wrong(fmt::format("tensor {} has a dimension of {}", name, size));
    (d == 0 ? entry.cols : entry.rows) *= size;
  }
  entry.format = format_of(in, name, in.number<std::uint32_t>());
  entry.begin = in.number<std::int64_t>();
  return entry;
}

}  // namespace

GgufModel open_gguf(const fs::path& file) {
  Reader in(file);
  if (in.number<std::uint32_t>() != 0x46554747U) throw in.wrong("no GGUF file");
  const auto version = in.number<std::uint32_t>();
  if (version != 2 && version != 3) throw in.wrong(fmt::format("GGUF version {} (permitted: 2, 3)", version));
  const auto tensors = in.number<std::uint64_t>();
  const auto keys = in.number<std::uint64_t>();
  if (tensors > kMostItems || keys > kMostItems) throw in.wrong(fmt::format("{} tensors and {} keys", tensors, keys));
  std::map<std::string, Value> values;
  for (std::uint64_t i = 0; i < keys; ++i) {
    std::string key = in.text();
    const auto type = in.number<std::uint32_t>();
    values.insert_or_assign(std::move(key), read_value(in, type));
  }
  std::map<std::string, Entry> entries;
  for (std::uint64_t i = 0; i < tensors; ++i) {
    std::string name;
    const Entry entry = read_tensor(in, name);
    entries.emplace(hugging_face_name(name), entry);
  }
  std::int64_t alignment = 32;
  if (const auto found = values.find("general.alignment"); found != values.end()) {
    const auto* given = std::get_if<std::int64_t>(&found->second);
    if (given == nullptr || *given < 1 || *given > 65536) throw in.wrong("general.alignment (permitted: 1 to 65536)");
    alignment = *given;
  }
  const std::int64_t data = ceil_div(in.position(), alignment) * alignment;
  for (auto& [name, entry] : entries) {
    const std::int64_t bytes = entry.rows * row_bytes(entry.format, entry.cols);
    if (entry.begin < 0 || entry.begin > in.bytes() - data - bytes)
      throw in.wrong(fmt::format("tensor {} lies outside the file", name));
    entry.begin += data;
  }
  GgufModel model;
  model.spec = spec_of(in, values, entries);
  model.weights = std::make_unique<GgufSource>(file, std::move(entries));
  if (model.weights->has("rope_freqs.weight")) {
    const RawMatrix raw = model.weights->read("rope_freqs.weight");
    if (raw.cols != model.spec.head_dim / 2)
      throw in.wrong(fmt::format("rope_freqs.weight has {} elements, head_dim is {}", raw.cols, model.spec.head_dim));
    model.spec.frequency_divisors.resize(static_cast<std::size_t>(raw.cols));
    raw.read_row(0, model.spec.frequency_divisors);
  }
  return model;
}

}  // namespace waferline::kernels::emulate
