#pragma once
// The two ways in which a request fails by the user's doing, and the list that collects all problems of one file.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace waferline {

/// A wrong file, key, value or flag. The text names file, line, key, value and what is permitted. Exit code 2.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The request is well formed but the model does not fit where it was asked to be put. Exit code 1.
class DoesNotFit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `text` for a message: control characters as '?', cut before the character that would exceed `longest` bytes, then
/// "...".
std::string printable(std::string_view text, std::size_t longest);

/// Collects every problem of one input so that the user sees all of them at once.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  /// Most problems that are listed; a file with more is beyond mending line by line.
  static constexpr std::size_t kMostListed = 100;

  /// Adds `file:line: key.path: problem`; line 0 means that the line is not known. Beyond kMostListed it only counts.
  void add(int line, const std::string& key_path, const std::string& problem);

  bool empty() const { return lines_.empty(); }
  const std::string& file() const { return file_; }
  const std::vector<std::string>& lines() const { return lines_; }
  /// Problems added, listed or not.
  std::size_t count() const { return lines_.size() + unlisted_; }

  /// Throws ConfigError with all problems, one a line, if there are any.
  void throw_if_any() const;

 private:
  std::string file_;
  std::vector<std::string> lines_;
  std::size_t unlisted_ = 0;
};

}  // namespace waferline
