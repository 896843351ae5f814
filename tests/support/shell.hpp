#pragma once
// Runs the built program as a shell would, for tests of what users see.

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "tests/support/reference_data.hpp"

namespace waferline::tests {

struct ShellResult {
  std::string output;
  int exit_code = 0;  ///< 128 + signal if a signal ended it, as shells say it
};

/// Output and exit code of a shell command in the project's folder. `$W` is the program; standard error belongs to the
/// output only where the command says 2>&1. The locale is UTF-8 and no terminal is there.
inline ShellResult shell(const std::string& command) {
  const std::string whole =
      "cd '" + source_dir().string() +
      "' && W='" WAFERLINE_PROGRAM "' && export W LC_ALL=C.UTF-8 && unset COLUMNS WAFERLINE_DATA; " + command;
  FILE* pipe = ::popen(whole.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell");
  ShellResult result;
  std::array<char, 4096> block{};
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), pipe))
    result.output.append(block.data(), size);
  const int status = ::pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace waferline::tests
