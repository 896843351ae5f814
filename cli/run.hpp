#pragma once
// From arguments to exit code.

#include <string>
#include <vector>

namespace waferline::cli {

/// Exit codes of the program.
struct ExitCode {
  static constexpr int done = 0;
  static constexpr int does_not_fit = 1;  ///< also: outside the stated band, for `validate --check`
  static constexpr int bad_input = 2;
  static constexpr int internal_error = 70;
};

/// Runs the program on the arguments after its name. Every exception ends here, as a message and an exit code.
int run(const std::vector<std::string>& arguments);

}  // namespace waferline::cli
