#pragma once
// An empty folder for one test, which goes with it.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace waferline::tests {

struct Scratch {
  std::filesystem::path path;

  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "waferline-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path), std::filesystem::directory_iterator()));
  }
};

}  // namespace waferline::tests
