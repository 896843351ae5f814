#include "arch/data_dir.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "arch/error.hpp"

namespace waferline {
namespace {

std::vector<std::filesystem::path> roots() {
  std::vector<std::filesystem::path> found{WAFERLINE_DATA_SOURCE_DIR, WAFERLINE_DATA_INSTALL_DIR};
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) found.push_back(program.parent_path().parent_path() / "share" / "waferline");
  return found;
}

}  // namespace

std::filesystem::path data_dir(std::string_view relative) {
  std::error_code ignored;
  if (const char* named = std::getenv("WAFERLINE_DATA"); named != nullptr && *named != '\0') {
    const std::filesystem::path dir = std::filesystem::path(named) / relative;
    if (std::filesystem::is_directory(dir, ignored)) return dir;
    throw ConfigError(fmt::format("WAFERLINE_DATA: {} has no folder {}", named, relative));
  }
  std::string tried;
  for (const std::filesystem::path& root : roots()) {
    const std::filesystem::path dir = root / relative;
    if (std::filesystem::is_directory(dir, ignored)) return dir;
    tried += fmt::format("{}{}", tried.empty() ? "" : ", ", dir.string());
  }
  throw ConfigError(
      fmt::format("{}: folder of shipped data not found (tried {}; set WAFERLINE_DATA)", relative, tried));
}

}  // namespace waferline
