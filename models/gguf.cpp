// Follows: the GGUF specification (ggml, docs/gguf.md), versions 2 and 3.
#include "models/gguf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "arch/error.hpp"
#include "arch/text_file.hpp"
#include "models/ggml_types.hpp"

namespace waferline::models {
namespace {

constexpr std::int64_t kLongestString = 16 << 20;
constexpr std::int64_t kKeptArray = 8192;  // longer arrays are tokenizer tables
constexpr std::int64_t kMostElements = std::int64_t{1} << 52;
constexpr int kDeepestArray = 4;

enum GgufType : std::uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64,
  kTypeCount
};
constexpr std::array<std::int64_t, kTypeCount> kTypeBytes{1, 1, 2,  2, 4, 4, 4,
                                                          1, 8, 12, 8, 8, 8};  // strings, arrays: at least

/// Reads little-endian values in sequence and knows how much of the file is left.
class ByteReader {
 public:
  explicit ByteReader(const std::filesystem::path& path) : path_(path), in_(path, std::ios::binary) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
      throw ConfigError(fmt::format("{}: is no regular file", path.string()));
    left_ = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
    if (error || !in_) throw ConfigError(fmt::format("{}: cannot be read", path.string()));
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw ConfigError(fmt::format("{}: at byte {}: {}", path_.string(), at_, problem));
  }

  template <class Value>
  Value value() {
    Value out{};
    bytes(reinterpret_cast<char*>(&out), sizeof(Value));
    return out;
  }

  /// A count of things that take at least `least_bytes` each: more than the rest of the file holds is an error.
  std::int64_t count(std::string_view what, std::int64_t least_bytes) {
    const auto stated = value<std::uint64_t>();
    if (stated > static_cast<std::uint64_t>(left_ / least_bytes))
      fail(fmt::format("{} {} do not fit in the {} bytes that are left", stated, what, left_));
    return static_cast<std::int64_t>(stated);
  }

  std::string string() {
    const std::int64_t length = count("bytes of text", 1);
    if (length > kLongestString) fail(fmt::format("a text of {} bytes, at most {} are read", length, kLongestString));
    std::string text(static_cast<std::size_t>(length), '\0');
    bytes(text.data(), length);
    return text;
  }

  void skip(std::int64_t n) {
    need(n);
    in_.ignore(n);
    at_ += n;
    left_ -= n;
  }

 private:
  void need(std::int64_t n) const {
    if (n > left_) fail(fmt::format("{} bytes are needed, {} are left", n, left_));
  }
  void bytes(char* out, std::int64_t n) {
    need(n);
    if (!in_.read(out, n)) fail("cannot be read");
    at_ += n;
    left_ -= n;
  }

  std::filesystem::path path_;
  std::ifstream in_;
  std::int64_t at_ = 0;
  std::int64_t left_ = 0;
};

std::int64_t read_integer(ByteReader& in, std::uint32_t type) {
  switch (type) {
    case kU8:
      return in.value<std::uint8_t>();
    case kI8:
      return in.value<std::int8_t>();
    case kU16:
      return in.value<std::uint16_t>();
    case kI16:
      return in.value<std::int16_t>();
    case kU32:
      return in.value<std::uint32_t>();
    case kI32:
      return in.value<std::int32_t>();
    case kI64:
      return in.value<std::int64_t>();
    default:
      break;
  }
  const auto large = in.value<std::uint64_t>();
  if (large > static_cast<std::uint64_t>(INT64_MAX)) in.fail(fmt::format("{} is beyond 63 bits", large));
  return static_cast<std::int64_t>(large);
}

double read_real(ByteReader& in, std::uint32_t type) {
  return type == kF32 ? in.value<float>() : in.value<double>();
}

bool read_bool(ByteReader& in) {
  const auto raw = in.value<std::uint8_t>();
  if (raw > 1) in.fail(fmt::format("{} is neither true nor false", raw));
  return raw == 1;
}

bool is_real(std::uint32_t type) {
  return type == kF32 || type == kF64;
}
bool is_integer(std::uint32_t type) {
  return type <= kI32 || type == kU64 || type == kI64;
}

/// Passes over an array's elements.
void skip_elements(ByteReader& in, std::uint32_t type, std::int64_t length, int depth) {
  if (type != kString && type != kArray) {
    in.skip(length * kTypeBytes[type]);
    return;
  }
  if (depth > kDeepestArray) in.fail("arrays are nested too deeply");
  for (std::int64_t i = 0; i < length; ++i) {
    if (type == kString) {
      in.skip(in.count("bytes of text", 1));
      continue;
    }
    const auto inner = in.value<std::uint32_t>();
    if (inner >= kTypeCount) in.fail(fmt::format("{} is no value type", inner));
    skip_elements(in, inner, in.count("array elements", kTypeBytes[inner]), depth + 1);
  }
}

template <class Element, class Read>
std::vector<Element> elements_of(std::int64_t length, Read read) {
  std::vector<Element> out;
  for (std::int64_t i = 0; i < length; ++i) out.push_back(read());
  return out;
}

GgufValue read_array(ByteReader& in) {
  const auto type = in.value<std::uint32_t>();
  if (type >= kTypeCount) in.fail(fmt::format("{} is no value type", type));
  const std::int64_t length = in.count("array elements", kTypeBytes[type]);
  if (length <= kKeptArray && is_integer(type))
    return elements_of<std::int64_t>(length, [&] { return read_integer(in, type); });
  if (length <= kKeptArray && is_real(type)) return elements_of<double>(length, [&] { return read_real(in, type); });
  if (length <= kKeptArray && type == kBool) return elements_of<bool>(length, [&] { return read_bool(in); });
  skip_elements(in, type, length, 0);
  return GgufLongArray{length};
}

GgufValue read_value(ByteReader& in) {
  const auto type = in.value<std::uint32_t>();
  if (type >= kTypeCount) in.fail(fmt::format("{} is no value type", type));
  if (type == kString) return in.string();
  if (type == kArray) return read_array(in);
  if (type == kBool) return read_bool(in);
  if (is_real(type)) return read_real(in, type);
  return read_integer(in, type);
}

ListedTensor read_listed(ByteReader& in) {
  ListedTensor tensor;
  tensor.name = in.string();
  const auto dimensions = in.value<std::uint32_t>();
  if (dimensions > 4)
    in.fail(fmt::format("tensor {} has {} dimensions, at most 4 are permitted", tensor.name, dimensions));
  tensor.elements = 1;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    const std::int64_t size = read_integer(in, kU64);
    if (__builtin_mul_overflow(tensor.elements, size, &tensor.elements) || tensor.elements > kMostElements) {
      in.fail(fmt::format("tensor {} has more than {} elements", tensor.name, kMostElements));
    }
    tensor.shape.insert(tensor.shape.begin(), size);
  }
  const auto type_id = in.value<std::uint32_t>();
  const std::optional<GgmlType> type = ggml_type(type_id);
  if (!type) in.fail(fmt::format("tensor {} has type {}, which is not known", tensor.name, type_id));
  in.skip(8);  // offset of the data, which is not read
  tensor.dtype = type->name;
  tensor.bytes = Bytes{ceil_div(tensor.elements, type->block) * type->block_bytes};
  return tensor;
}

GgufFile read_part(const std::filesystem::path& path) {
  ByteReader in(path);
  GgufFile file;
  file.table.source = path.string();
  if (in.value<std::uint32_t>() != 0x46554747) in.fail("does not begin with \"GGUF\"");
  file.version = in.value<std::uint32_t>();
  if (file.version != 2 && file.version != 3)
    in.fail(fmt::format("version {} is not read, only 2 and 3 are", file.version));
  const std::int64_t tensors = in.count("tensors", 24);
  const std::int64_t pairs = in.count("metadata entries", 13);
  for (std::int64_t i = 0; i < pairs; ++i) {
    std::string key = in.string();
    if (first_invalid_utf8_line(key) != 0) in.fail("a key is not UTF-8");
    if (!file.metadata.emplace(key, read_value(in)).second) in.fail(fmt::format("key {} is there twice", key));
  }
  std::set<std::string> names;
  for (std::int64_t i = 0; i < tensors; ++i) {
    file.table.tensors.push_back(read_listed(in));
    if (!names.insert(file.table.tensors.back().name).second)
      in.fail(fmt::format("tensor {} is there twice", file.table.tensors.back().name));
  }
  return file;
}

/// The other parts of NAME-00001-of-00003.gguf; empty names for a file that is not split.
std::vector<std::filesystem::path> other_parts(const std::filesystem::path& path, std::int64_t parts) {
  const std::string stem = path.stem().string();  // NAME-00001-of-00003
  constexpr std::size_t kTail = 15;               // -00001-of-00003
  std::vector<std::filesystem::path> others;
  if (stem.size() < kTail) return others;
  for (std::int64_t i = 1; i <= parts; ++i) {
    const std::filesystem::path part =
        path.parent_path() / fmt::format("{}-{:05}-of-{:05}.gguf", stem.substr(0, stem.size() - kTail), i, parts);
    if (part != path) others.push_back(part);
  }
  return others;
}

}  // namespace

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = metadata.find(key);
  return found == metadata.end() ? nullptr : &found->second;
}

GgufFile read_gguf(const std::filesystem::path& path) {
  GgufFile file = read_part(path);
  const GgufValue* split = file.find("split.count");
  const std::int64_t* parts = split == nullptr ? nullptr : std::get_if<std::int64_t>(split);
  if (parts == nullptr || *parts <= 1) return file;
  if (*parts > 10'000)
    throw ConfigError(fmt::format("{}: split.count: is {}, permitted are 1 to 10000", path.string(), *parts));
  std::int64_t read = 1;
  for (const std::filesystem::path& other : other_parts(path, *parts)) {
    std::error_code ignored;
    if (!std::filesystem::exists(other, ignored)) continue;
    GgufFile part = read_part(other);
    file.table.tensors.insert(file.table.tensors.end(), part.table.tensors.begin(), part.table.tensors.end());
    for (auto& [key, value] : part.metadata) file.metadata.emplace(key, std::move(value));
    ++read;
  }
  if (read < *parts) {
    file.table.notes.push_back(fmt::format("{} of the {} parts are there: counts were not compared", read, *parts));
    file.table.unread_names.push_back("(tensors of the parts that are not there)");
  }
  return file;
}

}  // namespace waferline::models
