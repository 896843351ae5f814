#pragma once
// Tests that want the shared reference data skip with a message where it is absent.

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace waferline::tests {

/// Folder of the project's own files, from the build.
inline std::filesystem::path source_dir() {
  return WAFERLINE_SOURCE_DIR;
}

/// `$WAFERLINE_REFERENCE`, else `../shared/reference` beside the project, else nothing.
inline std::optional<std::filesystem::path> reference_dir() {
  const char* named = std::getenv("WAFERLINE_REFERENCE");
  const std::filesystem::path dir = named != nullptr ? named : source_dir().parent_path() / "shared" / "reference";
  if (std::filesystem::is_directory(dir)) return dir;
  return std::nullopt;
}

}  // namespace waferline::tests

/// Leaves the test case with a warning if the reference data is absent.
#define WAFERLINE_REQUIRE_REFERENCE(variable)                                  \
  const auto variable##_found = ::waferline::tests::reference_dir();           \
  if (!variable##_found) {                                                     \
    WARN("SKIPPED: no reference data; set WAFERLINE_REFERENCE to its folder"); \
    return;                                                                    \
  }                                                                            \
  const std::filesystem::path variable = *variable##_found
