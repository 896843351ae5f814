#include "cli/html_option.hpp"

#include "arch/error.hpp"

namespace waferline::cli {

void HtmlOption::declare(Options& options) {
  options_ = &options;
  options.text("--html", "FILE", path_, "write the answer as one self-contained page with charts");
}

void HtmlOption::check() const {
  if (!path_) return;
  if (*path_ == "-")
    throw ConfigError("--html: is -, a file name was expected (only --json prints to standard output)");
  check_output_file("--html", *path_);
}

std::string HtmlOption::command() const {
  return options_->command_line();
}

OutputFile HtmlOption::file(std::string page) const {
  return {"--html", *path_, std::move(page)};
}

}  // namespace waferline::cli
