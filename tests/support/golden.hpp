#pragma once
// Reviewed outputs: compared as text, written anew when $WAFERLINE_REGENERATE is set (tests/golden/regenerate).

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/reference_data.hpp"

namespace waferline::tests {

inline bool regenerating() {
  const char* wanted = std::getenv("WAFERLINE_REGENERATE");
  return wanted != nullptr && std::string(wanted) != "0";
}

inline std::string read_whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Checks `text` against the file of that name in the project, or writes the file.
inline void check_golden(const std::filesystem::path& relative, const std::string& text) {
  const std::filesystem::path path = source_dir() / relative;
  if (regenerating()) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  INFO("reviewed output: " << relative << "; tests/golden/regenerate writes it anew");
  CHECK(read_whole(path) == text);
}

}  // namespace waferline::tests
