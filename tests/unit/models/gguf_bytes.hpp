#pragma once
// Writes GGUF files for tests, value by value.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace waferline::tests {

/// Metadata and tensors of a GGUF file in the making.
class GgufBytes {
 public:
  explicit GgufBytes(std::uint32_t version = 3) : version_(version) {}

  GgufBytes& text(const std::string& key, const std::string& value) {
    pair(key, 8);
    put_text(pairs_, value);
    return *this;
  }
  GgufBytes& number(const std::string& key, std::uint32_t value) {
    pair(key, 4);
    put(pairs_, value);
    return *this;
  }
  GgufBytes& numbers(const std::string& key, const std::vector<std::uint32_t>& values) {
    pair(key, 9);
    put(pairs_, std::uint32_t{4});
    put(pairs_, static_cast<std::uint64_t>(values.size()));
    for (const std::uint32_t value : values) put(pairs_, value);
    return *this;
  }
  GgufBytes& words(const std::string& key, const std::vector<std::string>& values) {
    pair(key, 9);
    put(pairs_, std::uint32_t{8});
    put(pairs_, static_cast<std::uint64_t>(values.size()));
    for (const std::string& value : values) put_text(pairs_, value);
    return *this;
  }
  /// Sizes as the file has them: inputs first.
  GgufBytes& tensor(const std::string& name, const std::vector<std::uint64_t>& sizes, std::uint32_t type) {
    put_text(tensors_, name);
    put(tensors_, static_cast<std::uint32_t>(sizes.size()));
    for (const std::uint64_t size : sizes) put(tensors_, size);
    put(tensors_, type);
    put(tensors_, std::uint64_t{0});
    ++tensor_count_;
    return *this;
  }

  std::string bytes() const {
    std::string out = "GGUF";
    put(out, version_);
    put(out, tensor_count_);
    put(out, pair_count_);
    return out + pairs_ + tensors_;
  }

 private:
  template <class Value>
  static void put(std::string& out, Value value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(Value));
  }
  static void put_text(std::string& out, const std::string& text) {
    put(out, static_cast<std::uint64_t>(text.size()));
    out += text;
  }
  void pair(const std::string& key, std::uint32_t type) {
    put_text(pairs_, key);
    put(pairs_, type);
    ++pair_count_;
  }

  std::uint32_t version_;
  std::uint64_t tensor_count_ = 0;
  std::uint64_t pair_count_ = 0;
  std::string pairs_;
  std::string tensors_;
};

/// A folder that is removed at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "waferline-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace waferline::tests
