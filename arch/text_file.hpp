#pragma once
// Reading input files within stated limits, and writing output files so that nothing half-written is ever seen.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace waferline {

/// Whole content of a regular file of at most `max_bytes`.
/// Errors: ConfigError naming the path if it does not exist, is a directory, a pipe or a device, cannot be read, or is
/// larger.
std::string read_text_file(const std::filesystem::path& path, std::int64_t max_bytes);

/// First line (1-based) of `text` that is not valid UTF-8, or 0 if all of it is.
int first_invalid_utf8_line(std::string_view text);

/// The text if it is valid UTF-8, else the same with '?' for every byte beyond ASCII: for documents that must be UTF-8.
std::string as_utf8(std::string_view text);

/// Writes `content` to a temporary name beside `path` and renames it, so that `path` holds the old or the new content,
/// never a part. A link is followed; a device or pipe is written to as it is. Errors: ConfigError naming the path and
/// the system's reason; the temporary file is removed.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace waferline
