#pragma once
// The program in a folder of its own, for tests of the files that it records.

#include "tests/support/scratch.hpp"
#include "tests/support/shell.hpp"

namespace waferline::tests {

/// Runs commands in a folder that holds only `tiny`, the tiny model.
struct Bench {
  Scratch scratch;

  Bench() { std::filesystem::create_directory_symlink(source_dir() / "tests/data/tiny", scratch.path / "tiny"); }
  ShellResult run(const std::string& command) const { return shell("cd '" + scratch.path.string() + "'; " + command); }
};

/// A decode of the tiny model.
inline std::string decode(const std::string& flags = "--tokens 3 --mesh 6x10") {
  return "$W emulate model --weights tiny --prompt-ids 1 " + flags + " ";
}

}  // namespace waferline::tests
