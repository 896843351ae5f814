#include "arch/text_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "arch/error.hpp"

namespace waferline {
namespace fs = std::filesystem;

std::string read_text_file(const fs::path& path, std::int64_t max_bytes) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (!fs::exists(status)) throw ConfigError(fmt::format("{}: no such file", path.string()));
  if (fs::is_directory(status)) throw ConfigError(fmt::format("{}: is a directory, not a file", path.string()));
  // Opening a pipe without a writer would block for ever, and a device may never end.
  if (!fs::is_regular_file(status)) throw ConfigError(fmt::format("{}: is not a regular file", path.string()));
  const auto size = static_cast<std::int64_t>(fs::file_size(path, problem));
  if (problem) throw ConfigError(fmt::format("{}: cannot be read: {}", path.string(), problem.message()));
  if (size > max_bytes) {
    throw ConfigError(fmt::format("{}: {} bytes, at most {} are read", path.string(), size, max_bytes));
  }
  std::ifstream in(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(size), '\0');
  if (!in || !in.read(text.data(), size)) throw ConfigError(fmt::format("{}: cannot be read", path.string()));
  return text;
}

namespace {

/// Length of the valid UTF-8 sequence at the start of `text`, or 0 (RFC 3629: no overlong forms, no surrogates).
std::size_t utf8_sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : (lead >> 4) == 0xE           ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) > 0x9F;
  const bool too_large = lead == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

int first_invalid_utf8_line(std::string_view text) {
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\n') ++line;
    const std::size_t length = utf8_sequence_length(text.substr(at));
    if (length == 0) return line;
    at += length;
  }
  return 0;
}

std::string as_utf8(std::string_view text) {
  std::string out(text);
  if (first_invalid_utf8_line(text) == 0) return out;
  for (char& c : out) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  return out;
}

namespace {

[[noreturn]] void fail_to_write(const fs::path& path, const std::string& reason) {
  throw ConfigError(fmt::format("{}: cannot be written: {}", path.string(), reason));
}

/// Errors: ConfigError naming `shown`; a file that this created is removed.
void write_whole(const fs::path& path, std::string_view content, const fs::path& shown, bool created) {
  std::ofstream out(path, std::ios::binary);
  if (out) out.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (out) out.close();
  if (out) return;
  const std::string reason = std::strerror(errno);
  std::error_code ignored;
  if (created) fs::remove(path, ignored);
  fail_to_write(shown, reason);
}

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view content) {
  std::error_code ignored;
  std::error_code problem;
  // Renaming onto a link would replace the link, onto a device or pipe (/dev/stdout, /dev/null) the node itself.
  const fs::path target = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, problem) : path;
  if (problem) fail_to_write(path, problem.message());
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) fail_to_write(path, "it is a directory");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    write_whole(path, content, path, false);
    return;
  }
  fs::path temporary = target;
  temporary += fmt::format(".{}.tmp", ::getpid());
  write_whole(temporary, content, path, true);
  fs::rename(temporary, target, problem);
  if (problem) {
    fs::remove(temporary, ignored);
    fail_to_write(path, problem.message());
  }
}

}  // namespace waferline
