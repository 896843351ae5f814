#include "cli/output_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "arch/error.hpp"
#include "arch/text_file.hpp"
#include "cli/argument_text.hpp"

namespace waferline::cli {
namespace fs = std::filesystem;

void check_output_file(const std::string& flag, const std::string& path) {
  if (path.empty()) throw ConfigError(fmt::format("{}: is empty, a file name was expected", flag));
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw ConfigError(fmt::format("{}: {} is a directory, a file name was expected", flag, shown_argument(path)));
  }
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) {
    throw ConfigError(
        fmt::format("{}: {}: there is no folder {}", flag, shown_argument(path), shown_argument(folder.string())));
  }
}

void write_output_file(const OutputFile& file) {
  try {
    write_file_atomically(file.path, file.content);
  } catch (const ConfigError& problem) {
    throw ConfigError(fmt::format("{}: {}", file.flag, problem.what()));
  }
}

}  // namespace waferline::cli
