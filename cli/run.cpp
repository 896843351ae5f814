#include "cli/run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <new>

#include "arch/error.hpp"
#include "arch/text_file.hpp"
#include "cli/argument_text.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "report/version.hpp"

namespace waferline::cli {
namespace {

namespace fs = std::filesystem;

std::string main_help() {
  std::string text =
      "Waferline predicts how fast a language model decodes on wafer-scale hardware, and shows why.\n\n"
      "Usage: waferline SUBCOMMAND [ARGUMENTS]\n\nSubcommands:\n";
  for (const CommandEntry& entry : command_entries()) text += fmt::format("  {:<17} {}\n", entry.name, entry.summary);
  text += "\nwaferline SUBCOMMAND --help shows its flags and an example; waferline --version the version.\n";
  text += "Exit codes: 0 done, 1 does not fit, 2 bad input, 70 internal error.\n";
  return text;
}

const CommandEntry& entry_of(const std::string& name) {
  std::vector<std::string> names;
  for (const CommandEntry& entry : command_entries()) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  const std::string nearest = nearest_name(name, names);
  const char* what = name.starts_with('-') ? "unknown flag before the subcommand" : "unknown subcommand";
  throw ConfigError(fmt::format("{}: {}, {}", shown_argument(name), what,
                                nearest.empty() ? fmt::format("permitted are {}", fmt::join(names, ", "))
                                                : fmt::format("did you mean {}?", nearest)));
}

/// Nothing that was computed is lost when one place cannot be written to: every other one is tried before the failure
/// is told.
void deliver(const Answer& answer, const std::optional<std::string>& json_target) {
  std::string problems;
  const auto attempt = [&problems](const auto& write) {
    try {
      write();
    } catch (const ConfigError& problem) {
      problems += (problems.empty() ? "" : "\n") + std::string(problem.what());
    }
  };
  attempt([&] { write_standard_output(json_target == "-" ? answer.json() : report::joined(answer.text)); });
  for (const OutputFile& file : answer.files) attempt([&] { write_output_file(file); });
  if (json_target && *json_target != "-") {
    attempt([&] { write_output_file({"--json", *json_target, answer.json()}); });
  }
  for (const std::string& problem : answer.problems) attempt([&] { throw ConfigError(problem); });
  if (!problems.empty()) throw ConfigError(problems);
}

/// Arguments as a shell takes them.
std::string shell_text(const std::string& name, const std::vector<std::string>& arguments) {
  std::string text = "waferline " + name;
  for (const std::string& argument : arguments) {
    const bool plain = !argument.empty() && argument.find_first_not_of(
                                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                "0123456789-_./,:=@%+") == std::string::npos;
    text += ' ';
    if (plain) {
      text += argument;
      continue;
    }
    text += '\'';
    for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

int run_command(const CommandEntry& entry, const std::vector<std::string>& arguments) {
  const std::string example = fmt::format("Example:\n  waferline {} {}", entry.name, entry.example);
  CLI::App app{std::string(entry.summary), fmt::format("waferline {}", entry.name)};
  app.footer(example);
  Options options(app);
  const std::unique_ptr<Command> command = entry.make();
  command->declare(options);
  std::optional<std::string> json_target;
  options.text("--json", "FILE|-", json_target, "write the answer as JSON, schema 1; - for standard output");
  if (!options.parse(arguments)) {
    write_standard_output(options.help());
    return ExitCode::done;
  }
  command->given(shell_text(std::string(entry.name), arguments));
  if (json_target && *json_target != "-") check_output_file("--json", *json_target);
  if (json_target == "-") command->standard_output_is_taken();
  Answer answer;
  {
    Progress progress(fmt::format("waferline {}", entry.name), standard_error_is_terminal());
    answer = command->run(page_of_terminal(), progress);
  }
  deliver(answer, json_target);
  return answer.exit_code;
}

/// Runs the subcommand that the first two arguments name, or the first one alone, on the rest.
int run_named(const std::vector<std::string>& arguments) {
  if (arguments.size() > 1) {
    const std::string two_words = arguments[0] + " " + arguments[1];
    for (const CommandEntry& entry : command_entries()) {
      if (entry.name == two_words) return run_command(entry, {arguments.begin() + 2, arguments.end()});
    }
  }
  return run_command(entry_of(arguments[0]), {arguments.begin() + 1, arguments.end()});
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    write_standard_error(main_help());
    return ExitCode::bad_input;
  }
  const std::string& first = arguments.front();
  if (first == "--version" || first == "-V") {
    write_standard_output(fmt::format("waferline {}\n", report::version()));
    return ExitCode::done;
  }
  if (first == "--help" || first == "-h" || (first == "help" && arguments.size() == 1)) {
    write_standard_output(main_help());
    return ExitCode::done;
  }
  if (first != "help") return run_named(arguments);
  std::vector<std::string> named(arguments.begin() + 1, arguments.end());
  named.emplace_back("--help");
  return run_named(named);
}

/// One message, each of its lines cut at a length that still tells what is wrong.
void complain(const std::string& kind, std::string_view message) {
  constexpr std::size_t longest_line = 2000;
  std::string text;
  bool first = true;
  while (true) {
    const std::string_view line = message.substr(0, message.find('\n'));
    text += first ? fmt::format("waferline: {}", kind) : std::string("  ");
    for (const char c : line.substr(0, longest_line)) {
      // Names of files can hold anything; a terminal must not obey it.
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) {
        text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      } else {
        text += c;
      }
    }
    text += line.size() > longest_line ? "...\n" : "\n";
    first = false;
    if (line.size() == message.size()) break;
    message.remove_prefix(line.size() + 1);
  }
  write_standard_error(text);
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  try {
    return dispatch(arguments);
  } catch (const DoesNotFit& problem) {
    complain("does not fit: ", problem.what());
    return ExitCode::does_not_fit;
  } catch (const ConfigError& problem) {
    complain("", problem.what());
    return ExitCode::bad_input;
  } catch (const fs::filesystem_error& problem) {
    complain("", problem.what());
    return ExitCode::bad_input;
  } catch (const std::bad_alloc&) {
    complain("internal error: ", "out of memory");
  } catch (const std::exception& problem) {
    complain("internal error, please report it with the command: ", problem.what());
  } catch (...) {
    complain("internal error: ", "unknown exception");
  }
  return ExitCode::internal_error;
}

}  // namespace waferline::cli
