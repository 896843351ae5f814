#include "traces/run/replaced_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "arch/error.hpp"
#include "arch/text_file.hpp"

namespace waferline::traces {
namespace fs = std::filesystem;

ReplacedFile::ReplacedFile(const fs::path& target) : shown_(target), target_(target) {
  std::error_code ignored;
  std::error_code problem;
  if (fs::is_symlink(target, ignored)) target_ = fs::weakly_canonical(target, problem);
  if (problem) throw ConfigError(fmt::format("{}: cannot be written: {}", target.string(), problem.message()));
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::is_directory(status)) throw ConfigError(fmt::format("{}: is a directory, not a file", target.string()));
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw ConfigError(
        fmt::format("{}: is not a regular file (a trace is written under another name and renamed)", target.string()));
  }
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (::access(folder.c_str(), W_OK) != 0)
    throw ConfigError(fmt::format("{}: cannot be written: {}", target.string(), std::strerror(errno)));
  temporary_ = target_;
  temporary_ += fmt::format(".{}.tmp", ::getpid());
}

ReplacedFile::~ReplacedFile() {
  std::error_code ignored;
  if (!committed_) fs::remove(temporary_, ignored);
}

void ReplacedFile::commit() {
  std::error_code problem;
  fs::rename(temporary_, target_, problem);
  if (problem) throw ConfigError(fmt::format("{}: cannot be written: {}", shown_.string(), problem.message()));
  committed_ = true;
}

void ReplacedFile::write(std::string_view content) {
  write_file_atomically(target_, content);
  committed_ = true;
}

}  // namespace waferline::traces
