#pragma once
// --html FILE: the answer as a page to hand on.

#include <optional>
#include <string>

#include "cli/options.hpp"
#include "cli/output_file.hpp"

namespace waferline::cli {

/// A command that offers a page declares this, checks it before it works, and adds the file to its answer.
class HtmlOption {
 public:
  /// `options` must outlive this object's use.
  void declare(Options& options);
  bool given() const { return path_.has_value(); }
  /// Errors: ConfigError, see check_output_file; also for "-", since a page goes to a file.
  void check() const;
  /// The command that is running, for the page.
  std::string command() const;
  /// Precondition: given.
  OutputFile file(std::string page) const;

 private:
  const Options* options_ = nullptr;
  std::optional<std::string> path_;
};

}  // namespace waferline::cli
