#pragma once
// What a subcommand is: it declares its options, then answers.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "report/page.hpp"

namespace waferline::cli {

class Progress;

/// Result of a subcommand. The document is made only if --json asks for it.
struct Answer {
  report::Lines text;
  std::function<std::string()> json;
  int exit_code = 0;
  std::vector<OutputFile> files = {};      ///< written after the text
  std::vector<std::string> problems = {};  ///< files that could not be written already: exit code 2 after all the rest
};

class Command {
 public:
  virtual ~Command() = default;
  virtual void declare(Options& options) = 0;
  /// Errors: ConfigError and DoesNotFit, see there. `progress` may be told what is going on.
  virtual Answer run(const report::Page& page, Progress& progress) = 0;
  /// Told before `run` what was given after "waferline", for files that say where they come from.
  virtual void given(const std::string& arguments) { (void)arguments; }
  /// Said before `run` if the document goes to standard output: a command that prints as it goes must not.
  virtual void standard_output_is_taken() {}
};

/// One entry of the table of subcommands.
struct CommandEntry {
  std::string_view name;  ///< one word, or two of which the first may be an entry too
  std::string_view summary;
  std::string_view example;  ///< after "waferline NAME"
  std::unique_ptr<Command> (*make)();
};

/// All subcommands, in the order in which the help lists them.
std::span<const CommandEntry> command_entries();

std::unique_ptr<Command> make_calibrate();
std::unique_ptr<Command> make_deadline();
std::unique_ptr<Command> make_emulate();
std::unique_ptr<Command> make_emulate_allreduce();
std::unique_ptr<Command> make_emulate_attention();
std::unique_ptr<Command> make_emulate_gemm();
std::unique_ptr<Command> make_emulate_gemv();
std::unique_ptr<Command> make_emulate_layer();
std::unique_ptr<Command> make_estimate();
std::unique_ptr<Command> make_inspect();
std::unique_ptr<Command> make_list();
std::unique_ptr<Command> make_serve();
std::unique_ptr<Command> make_place();
std::unique_ptr<Command> make_trace();
std::unique_ptr<Command> make_sweep();
std::unique_ptr<Command> make_validate();

}  // namespace waferline::cli
