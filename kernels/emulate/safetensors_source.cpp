// Follows: the safetensors format (8 bytes of header length, JSON header, data at offsets behind it).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

#include "arch/config_node.hpp"
#include "arch/error.hpp"
#include "kernels/emulate/weight_source.hpp"

namespace waferline::kernels::emulate {
namespace {

namespace fs = std::filesystem;

struct Entry {
  fs::path file;
  RawMatrix::Format format = RawMatrix::Format::fp32;
  std::int64_t rows = 1;
  std::int64_t cols = 1;
  std::int64_t begin = 0;  ///< in the file
  std::int64_t bytes = 0;
};

constexpr std::int64_t kMostHeaderBytes = 100'000'000;  // the format's own limit

class SafetensorsSource : public WeightSource {
 public:
  explicit SafetensorsSource(const fs::path& path) {
    std::vector<fs::path> files;
    if (fs::is_directory(path)) {
      for (const auto& item : fs::directory_iterator(path)) {
        if (item.path().extension() == ".safetensors") files.push_back(item.path());
      }
      std::sort(files.begin(), files.end());
    } else {
      files.push_back(path);
    }
    if (files.empty()) throw ConfigError(fmt::format("{}: no *.safetensors file", path.string()));
    for (const fs::path& file : files) read_header(file);
  }

  bool has(const std::string& name) const override { return entries_.contains(name); }

  RawMatrix read(const std::string& name) const override {
    const auto found = entries_.find(name);
    if (found == entries_.end()) throw ConfigError(fmt::format("{}: no tensor {}", first_file_.string(), name));
    const Entry& entry = found->second;
    RawMatrix matrix;
    matrix.format = entry.format;
    matrix.rows = entry.rows;
    matrix.cols = entry.cols;
    matrix.bytes.resize(static_cast<std::size_t>(entry.bytes));
    std::ifstream in(entry.file, std::ios::binary);
    in.seekg(entry.begin);
    in.read(reinterpret_cast<char*>(matrix.bytes.data()), entry.bytes);
    if (!in)
      throw ConfigError(fmt::format("{}: tensor {} ends before its {} bytes", entry.file.string(), name, entry.bytes));
    return matrix;
  }

 private:
  void read_header(const fs::path& file) {
    if (first_file_.empty()) first_file_ = file;
    std::ifstream in(file, std::ios::binary);
    std::uint64_t length = 0;
    in.read(reinterpret_cast<char*>(&length), 8);
    const auto file_bytes = static_cast<std::int64_t>(fs::file_size(file));
    if (!in || static_cast<std::int64_t>(length) > std::min(kMostHeaderBytes, file_bytes - 8)) {
      throw ConfigError(fmt::format("{}: header of {} bytes in a file of {} (no safetensors file, or cut off)",
                                    file.string(), length, file_bytes));
    }
    std::string text(length, '\0');
    in.read(text.data(), static_cast<std::streamsize>(length));
    JsonLimits limits;
    limits.max_bytes = kMostHeaderBytes;
    const ConfigNode header = parse_json(text, file.string(), limits);
    if (header.object() == nullptr) throw ConfigError(fmt::format("{}: header is no object", file.string()));
    for (const ConfigNode::Member& member : *header.object()) {
      if (member.key != "__metadata__")
        add(file, member.key, member.value, 8 + static_cast<std::int64_t>(length), file_bytes);
    }
  }

  void add(const fs::path& file, const std::string& name, const ConfigNode& node, std::int64_t data,
           std::int64_t file_bytes) {
    const auto wrong = [&](const std::string& what) -> ConfigError {
      return ConfigError(fmt::format("{}: tensor {}: {}", file.string(), name, what));
    };
    static const std::map<std::string, RawMatrix::Format> kFormats{{"F32", RawMatrix::Format::fp32},
                                                                   {"F16", RawMatrix::Format::fp16},
                                                                   {"BF16", RawMatrix::Format::bf16},
                                                                   {"F8_E4M3", RawMatrix::Format::fp8_e4m3}};
    const ConfigNode* dtype = node.find("dtype");
    const ConfigNode* shape = node.find("shape");
    const ConfigNode* offsets = node.find("data_offsets");
    if (dtype == nullptr || dtype->string() == nullptr || shape == nullptr || shape->array() == nullptr ||
        offsets == nullptr || offsets->array() == nullptr || offsets->array()->size() != 2) {
      throw wrong("dtype, shape and two data_offsets are needed");
    }
    const auto format = kFormats.find(*dtype->string());
    if (format == kFormats.end()) return;  // integers and the like: not a weight that a decoder multiplies by
    Entry entry;
    entry.file = file;
    entry.format = format->second;
    const ConfigNode::Array& sizes = *shape->array();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i].integer() == nullptr || *sizes[i].integer() < 0) throw wrong("a size is no whole number");
      (i + 1 == sizes.size() ? entry.cols : entry.rows) *= *sizes[i].integer();
    }
    const std::int64_t* begin = (*offsets->array())[0].integer();
    const std::int64_t* end = (*offsets->array())[1].integer();
    if (begin == nullptr || end == nullptr || *begin < 0 || *end < *begin || data + *end > file_bytes)
      throw wrong("data_offsets lie outside the file");
    entry.begin = data + *begin;
    entry.bytes = *end - *begin;
    if (entry.bytes != entry.rows * row_bytes(entry.format, entry.cols)) throw wrong("data_offsets and shape disagree");
    entries_.emplace(name, entry);
  }

  fs::path first_file_;
  std::map<std::string, Entry> entries_;
};

}  // namespace

std::unique_ptr<WeightSource> open_safetensors(const fs::path& path) {
  return std::make_unique<SafetensorsSource>(path);
}

}  // namespace waferline::kernels::emulate
