#pragma once
// The program in a folder of its own, for tests of the files of sweeps.

#include <chrono>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/child.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/shell.hpp"

namespace waferline::tests {

/// A sweep of 60 points; long enough to be killed half-way.
inline const std::string long_sweep =
    "sweep --model smollm2-360m,smollm2-135m --context 1000:15000:1000 --users 1,2 --set wafer.usable=200x200 ";

struct SweepBench {
  Scratch scratch;

  ShellResult run(const std::string& command) const { return shell("cd '" + scratch.path.string() + "'; " + command); }
  /// What the program says when it refuses: standard error alone, exit code 2.
  std::string refusal(const std::string& arguments) const {
    const ShellResult result = run("$W " + arguments + " 2>&1 > /dev/null");
    CHECK(result.exit_code == 2);
    return result.output;
  }
  std::string read(const std::string& name) const { return read_whole(scratch.path / name); }
  bool has(const std::string& name) const { return std::filesystem::exists(scratch.path / name); }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(scratch.path / name, std::ios::binary) << content;
  }
  /// Complete rows of a file: lines that are neither comments nor the header.
  int rows(const std::string& name) const {
    std::istringstream text(read(name));
    int lines = -1;
    for (std::string line; std::getline(text, line) && !text.eof();) lines += line.starts_with('#') ? 0 : 1;
    return std::max(lines, 0);
  }

  /// Starts the sweep, kills it once FILE.partial has that many rows more than it has now, and says whether the signal
  /// came before its end.
  bool kill_after(const std::string& sweep, const std::string& file, int more_rows, int signal) const {
    std::istringstream words(sweep + " --out " + file + " --resume --threads 2");
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    const int wanted = rows(file + ".partial") + more_rows;
    Child child(scratch.path, arguments);
    while (child.runs() && rows(file + ".partial") < wanted) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return child.kill(signal);
  }
};

}  // namespace waferline::tests
