#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "arch/data_dir.hpp"
#include "arch/profile_io.hpp"
#include "arch/text_file.hpp"

namespace waferline {
namespace {

constexpr std::int64_t kMaxBytes = 1 << 20;

bool is_path(std::string_view text) {
  return text.ends_with(".toml") || text.find('/') != std::string_view::npos;
}

}  // namespace

std::vector<std::string> list_profiles(std::string_view folder) {
  const std::filesystem::path dir = data_dir(folder);
  std::vector<std::string> names;
  std::error_code problem;
  for (std::filesystem::directory_iterator at(dir, problem), end; !problem && at != end; at.increment(problem)) {
    if (at->path().extension() == ".toml") names.push_back(at->path().stem().string());
  }
  if (problem) throw ConfigError(fmt::format("{}: cannot be listed: {}", dir.string(), problem.message()));
  std::sort(names.begin(), names.end());
  return names;
}

ProfileFile read_profile(std::string_view folder, std::string_view what, const std::string& name_or_path) {
  if (is_path(name_or_path)) return {read_text_file(name_or_path, kMaxBytes), name_or_path, {}};
  const std::vector<std::string> names = list_profiles(folder);
  if (!std::binary_search(names.begin(), names.end(), name_or_path)) {
    const std::string nearest = nearest_name(name_or_path, names);
    throw ConfigError(fmt::format("unknown {} \"{}\"{}; known are {}, or a path to a .toml file", what, name_or_path,
                                  nearest.empty() ? "" : fmt::format(", did you mean {}?", nearest),
                                  fmt::join(names, ", ")));
  }
  const std::filesystem::path path = data_dir(folder) / (name_or_path + ".toml");
  return {read_text_file(path, kMaxBytes), path.string(), name_or_path};
}

void check_profile_name(const ProfileFile& file, const std::string& name) {
  if (file.expected_name.empty() || file.expected_name == name) return;
  throw ConfigError(
      fmt::format("{}: name: is \"{}\", but the file is that of {}", file.file_name, name, file.expected_name));
}

}  // namespace waferline
