#pragma once
// A file that appears whole or not at all.

#include <filesystem>
#include <string_view>

namespace waferline::traces {

/// Written under a temporary name beside its target (PATH.PID.tmp) and renamed when it is complete. Without that, and
/// when the object goes, the temporary file is removed and the target is as it was; a process that is killed leaves the
/// temporary file, never a part under the target's name.
class ReplacedFile {
 public:
  /// Follows a link. Errors: ConfigError if the target is there and is no regular file (a directory, pipe or device),
  /// or its folder may not be written to.
  explicit ReplacedFile(const std::filesystem::path& target);
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  /// Where to write.
  const std::filesystem::path& temporary() const { return temporary_; }
  /// What the user named.
  const std::filesystem::path& shown() const { return shown_; }
  /// The content of the temporary file is complete and closed. Errors: ConfigError naming the target and the system's
  /// reason.
  void commit();
  /// The same for a content that is at hand. Errors: as above, also if the disk is full.
  void write(std::string_view content);

 private:
  std::filesystem::path shown_;
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  bool committed_ = false;
};

}  // namespace waferline::traces
