// Follows: the safetensors format (header length as little-endian 64-bit integer, then a JSON object of dtype, shape
// and data_offsets per tensor).
#include "models/safetensors.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "arch/config_node.hpp"
#include "arch/object_reader.hpp"

namespace waferline::models {
namespace {

constexpr std::int64_t kLargestHeader = 64 << 20;
constexpr std::int64_t kMostElements = std::int64_t{1} << 52;

constexpr std::array<std::pair<std::string_view, int>, 18> kTypeBits{{{"F64", 64},
                                                                      {"F32", 32},
                                                                      {"F16", 16},
                                                                      {"BF16", 16},
                                                                      {"I64", 64},
                                                                      {"U64", 64},
                                                                      {"I32", 32},
                                                                      {"U32", 32},
                                                                      {"I16", 16},
                                                                      {"U16", 16},
                                                                      {"I8", 8},
                                                                      {"U8", 8},
                                                                      {"BOOL", 8},
                                                                      {"F8_E4M3", 8},
                                                                      {"F8_E5M2", 8},
                                                                      {"F8_E8M0", 8},
                                                                      {"F4", 4},
                                                                      {"F6_E2M3", 6}}};

std::optional<int> type_bits(std::string_view dtype) {
  for (const auto& [name, bits] : kTypeBits) {
    if (name == dtype) return bits;
  }
  return std::nullopt;
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& problem) {
  throw ConfigError(fmt::format("{}: {}", path.string(), problem));
}

std::int64_t regular_file_size(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) fail(path, "does not exist");
  if (!std::filesystem::is_regular_file(path, error)) fail(path, "is no regular file");
  const auto size = std::filesystem::file_size(path, error);
  if (error) fail(path, error.message());
  return static_cast<std::int64_t>(size);
}

/// Text of the header.
std::string header_text(const std::filesystem::path& path, std::int64_t file_size) {
  std::ifstream in(path, std::ios::binary);
  std::array<unsigned char, 8> raw{};
  if (file_size < 8 || !in.read(reinterpret_cast<char*>(raw.data()), 8))
    fail(path, "is shorter than the 8 bytes of a header length");
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) length |= static_cast<std::uint64_t>(raw[i]) << (8 * i);
  if (length > static_cast<std::uint64_t>(kLargestHeader)) {
    fail(path, fmt::format("states a header of {} bytes, at most {} are read (is it a safetensors file?)", length,
                           kLargestHeader));
  }
  if (static_cast<std::int64_t>(length) > file_size - 8)
    fail(path, fmt::format("states a header of {} bytes, the file has {} after the length", length, file_size - 8));
  std::string text(static_cast<std::size_t>(length), '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(length))) fail(path, "the header cannot be read");
  return text;
}

/// One entry of the header. Returns the end of its data.
std::int64_t read_tensor(const std::string& name, const ConfigNode& node, Problems& problems, TensorTable& table) {
  ObjectReader reader(node, problems, name);
  ListedTensor tensor;
  tensor.name = name;
  tensor.dtype = reader.string("dtype");
  tensor.shape = reader.integers("shape", {0, kMostElements});
  const std::vector<std::int64_t> offsets = reader.integers("data_offsets", {0, std::int64_t{1} << 62});
  const std::optional<int> bits = type_bits(tensor.dtype);
  if (!bits) reader.problem("dtype", fmt::format("is \"{}\", which is not known", tensor.dtype));
  tensor.elements = 1;
  for (const std::int64_t size : tensor.shape) {
    if (__builtin_mul_overflow(tensor.elements, size, &tensor.elements) || tensor.elements > kMostElements) {
      reader.problem("shape", fmt::format("has more than {} elements", kMostElements));
      return 0;
    }
  }
  tensor.bytes = Bytes{ceil_div(tensor.elements * bits.value_or(8), 8)};
  const bool two = offsets.size() == 2;
  if (!two || offsets[1] < offsets[0] || (bits && offsets[1] - offsets[0] != tensor.bytes.value)) {
    reader.problem("data_offsets", fmt::format("must be two positions {} bytes apart", tensor.bytes.value));
    return 0;
  }
  table.tensors.push_back(std::move(tensor));
  return offsets[1];
}

}  // namespace

TensorTable read_safetensors(const std::filesystem::path& path) {
  const std::int64_t file_size = regular_file_size(path);
  const std::string text = header_text(path, file_size);
  JsonLimits limits;
  limits.max_bytes = kLargestHeader;
  const ConfigNode root = parse_json(text, path.string(), limits);
  if (root.object() == nullptr) fail(path, "the header is no JSON object");
  Problems problems(path.string());
  TensorTable table;
  table.source = path.string();
  std::int64_t end = 0;
  for (const ConfigNode::Member& member : *root.object()) {
    if (member.key == "__metadata__") continue;
    end = std::max(end, read_tensor(member.key, member.value, problems, table));
    if (problems.lines().size() >= 20) break;  // enough to see what is wrong
  }
  problems.throw_if_any();
  const std::int64_t data = file_size - 8 - static_cast<std::int64_t>(text.size());
  if (end > data)
    table.notes.push_back(fmt::format("{}: {} of {} bytes of weights are there; the header alone is used",
                                      path.filename().string(), data, end));
  return table;
}

TensorTable read_safetensors_index(const std::filesystem::path& path) {
  JsonLimits limits;
  limits.max_bytes = kLargestHeader;
  const ConfigNode root = read_json_file(path, limits);
  Problems problems(path.string());
  ObjectReader reader(root, problems);
  TensorTable table;
  table.source = path.string();
  if (const ConfigNode* metadata = reader.node("metadata")) {
    ObjectReader inner(*metadata, problems, "metadata");
    const ConfigNode* total = inner.node("total_size");
    if (total != nullptr && total->integer() != nullptr) table.stated_bytes = *total->integer();
    if (total != nullptr && total->real() != nullptr)
      table.notes.push_back("metadata.total_size is no integer and was not used");
  }
  const ConfigNode* map = reader.node("weight_map");
  if (map == nullptr || map->object() == nullptr)
    reader.problem("weight_map", "is missing or no object: it must name each tensor's file");
  problems.throw_if_any();
  std::set<std::string> files;
  for (const ConfigNode::Member& member : *map->object()) {
    const std::string* file = member.value.string();
    const bool plain = file != nullptr && !file->empty() && file->find_first_of("/\\") == std::string::npos;
    if (!plain)
      fail(path, fmt::format("weight_map.{}: is {}, the name of a file beside the index was expected", member.key,
                             member.value.describe()));
    files.insert(*file);
    if (!std::filesystem::exists(path.parent_path() / *file)) table.unread_names.push_back(member.key);
  }
  std::size_t read = 0;
  for (const std::string& file : files) {
    if (!std::filesystem::exists(path.parent_path() / file)) continue;
    const TensorTable shard = read_safetensors(path.parent_path() / file);
    table.tensors.insert(table.tensors.end(), shard.tensors.begin(), shard.tensors.end());
    table.notes.insert(table.notes.end(), shard.notes.begin(), shard.notes.end());
    ++read;
  }
  if (read < files.size())
    table.notes.push_back(fmt::format("{} of the {} files of the index are there", read, files.size()));
  return table;
}

std::optional<TensorTable> safetensors_in(const std::filesystem::path& folder) {
  std::error_code ignored;
  const std::filesystem::path index = folder / "model.safetensors.index.json";
  if (std::filesystem::exists(index, ignored)) return read_safetensors_index(index);
  const std::filesystem::path single = folder / "model.safetensors";
  if (std::filesystem::exists(single, ignored)) return read_safetensors(single);
  return std::nullopt;
}

}  // namespace waferline::models
