#pragma once
// Declaring what a subcommand takes. A thin face of CLI11, so that one file includes it and every value is read by the
// same strict functions.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/error.hpp"
#include "arch/object_reader.hpp"
#include "arch/units.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace waferline::cli {

/// Targets keep their value, the default, unless the option is given, and must outlive the parse. Names of values are
/// in capitals, as the help shows them. An option given more than once is an error, except for `texts`.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(&app) {}

  void positional(const std::string& name, std::string& target, const std::string& help);
  /// One that may be missing.
  void positional(const std::string& name, std::optional<std::string>& target, const std::string& help);
  void text(const std::string& flag, const std::string& value_name, std::string& target, const std::string& help);
  void text(const std::string& flag, const std::string& value_name, std::optional<std::string>& target,
            const std::string& help);
  void texts(const std::string& flag, const std::string& value_name, std::vector<std::string>& target,
             const std::string& help);
  void integer(const std::string& flag, std::int64_t& target, IntegerRange range, const std::string& help);
  void integer(const std::string& flag, std::optional<std::int64_t>& target, IntegerRange range,
               const std::string& help);
  void real(const std::string& flag, double& target, RealRange range, const std::string& help);
  void real(const std::string& flag, std::optional<double>& target, RealRange range, const std::string& help);
  void duration(const std::string& flag, Seconds& target, RealRange seconds, const std::string& help);
  void duration(const std::string& flag, std::optional<Seconds>& target, RealRange seconds, const std::string& help);
  void one_of(const std::string& flag, std::string& target, const std::vector<std::string>& permitted,
              const std::string& help);
  void one_of_positional(const std::string& name, std::string& target, const std::vector<std::string>& permitted,
                         const std::string& help);
  /// Makes a declared flag one that must be given.
  void require(const std::string& flag);
  void flag(const std::string& flag, bool& target, const std::string& help);

  /// Reads the arguments after the subcommand's name into the targets. Returns false if help was asked for.
  /// Errors: ConfigError naming flag, value and what is permitted, or the nearest flag for one that is not known.
  bool parse(const std::vector<std::string>& arguments);
  std::string help() const;
  /// The command as a shell takes it, quoted where it must be; for pages that say what made them. After `parse`.
  std::string command_line() const;

 private:
  struct Required {
    std::string name;
    CLI::Option* option;
  };
  template <class Read>
  CLI::Option* add(const std::string& name, const std::string& value_name, const std::string& help, Read read);
  void refuse_extras() const;

  CLI::App* app_;
  std::vector<std::string> flags_;
  std::vector<Required> required_;
  std::vector<std::string> arguments_;
};

/// Calls `read`; a ConfigError of its own that names no flag gets this one in front.
template <class Read>
decltype(auto) naming_flag(const char* flag, Read read) {
  try {
    return read();
  } catch (const ConfigError& problem) {
    throw ConfigError(std::string(flag) + ": " + problem.what());
  }
}

}  // namespace waferline::cli
