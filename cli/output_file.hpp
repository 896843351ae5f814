#pragma once
// Files that an answer leaves behind.

#include <string>

namespace waferline::cli {

struct OutputFile {
  std::string flag;  ///< that asked for it, for messages
  std::string path;
  std::string content;
};

/// Refuses a place that cannot be written to, before time is spent on what should go there.
/// Errors: ConfigError naming the flag if the path is empty, a directory, or in a folder that is not there.
void check_output_file(const std::string& flag, const std::string& path);

/// Writes the file so that its path holds the old or the new content, never a part. Errors: ConfigError naming the
/// flag.
void write_output_file(const OutputFile& file);

}  // namespace waferline::cli
