#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "arch/error.hpp"
#include "cli/argument_text.hpp"

namespace waferline::cli {
namespace {

std::string with_default(const std::string& help, const std::string& value) {
  return value.empty() ? help : fmt::format("{} (default {})", help, value);
}

std::string one_of_text(const std::string& name, const std::string& text, const std::vector<std::string>& permitted) {
  if (std::find(permitted.begin(), permitted.end(), text) != permitted.end()) return text;
  // A slip in a number or a single letter is nearer to everything than it is telling.
  const std::string nearest = text.size() < 3 ? "" : nearest_name(text, permitted);
  throw ConfigError(fmt::format("{}: is {}, permitted are {}{}", name, shown_argument(text), fmt::join(permitted, ", "),
                                nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest)));
}

std::string duration_text(Seconds time) {
  return fmt::format("{:g}s", time.value);
}

}  // namespace

template <class Read>
CLI::Option* Options::add(const std::string& name, const std::string& value_name, const std::string& help, Read read) {
  const auto once = [name, read](const std::vector<std::string>& given) {
    if (given.size() > 1)
      throw ConfigError(fmt::format("{}: is given {} times, permitted is once", name, given.size()));
    read(given.front());
  };
  CLI::Option* option = app_->add_option_function<std::vector<std::string>>(name, once, help);
  option->type_name(value_name)->type_size(1)->expected(1)->allow_extra_args(false);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (name.starts_with('-')) flags_.push_back(name);
  return option;
}

void Options::positional(const std::string& name, std::string& target, const std::string& help) {
  CLI::Option* option = add(name, "", help, [&target](const std::string& text) { target = text; });
  required_.push_back({name, option});
}

void Options::positional(const std::string& name, std::optional<std::string>& target, const std::string& help) {
  add(name, "", help, [&target](const std::string& text) { target = text; });
}

void Options::one_of_positional(const std::string& name, std::string& target, const std::vector<std::string>& permitted,
                                const std::string& help) {
  const auto read = [&target, name, permitted](const std::string& text) {
    target = one_of_text(name, text, permitted);
  };
  required_.push_back({name, add(name, "", fmt::format("{}: {}", help, fmt::join(permitted, ", ")), read)});
}

void Options::text(const std::string& flag, const std::string& value_name, std::string& target,
                   const std::string& help) {
  add(flag, value_name, with_default(help, target), [&target](const std::string& text) { target = text; });
}

void Options::text(const std::string& flag, const std::string& value_name, std::optional<std::string>& target,
                   const std::string& help) {
  add(flag, value_name, help, [&target](const std::string& text) { target = text; });
}

void Options::texts(const std::string& flag, const std::string& value_name, std::vector<std::string>& target,
                    const std::string& help) {
  CLI::Option* option = app_->add_option(flag, target, help + " (repeatable)");
  option->type_name(value_name)->type_size(1)->allow_extra_args(false);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  flags_.push_back(flag);
}

void Options::integer(const std::string& flag, std::int64_t& target, IntegerRange range, const std::string& help) {
  add(flag, "N", with_default(help, fmt::format("{}", target)),
      [&target, flag, range](const std::string& text) { target = parse_integer(flag, text, range); });
}

void Options::integer(const std::string& flag, std::optional<std::int64_t>& target, IntegerRange range,
                      const std::string& help) {
  add(flag, "N", help, [&target, flag, range](const std::string& text) { target = parse_integer(flag, text, range); });
}

void Options::real(const std::string& flag, double& target, RealRange range, const std::string& help) {
  add(flag, "X", with_default(help, fmt::format("{:g}", target)),
      [&target, flag, range](const std::string& text) { target = parse_real(flag, text, range); });
}

void Options::real(const std::string& flag, std::optional<double>& target, RealRange range, const std::string& help) {
  add(flag, "X", help, [&target, flag, range](const std::string& text) { target = parse_real(flag, text, range); });
}

void Options::duration(const std::string& flag, Seconds& target, RealRange seconds, const std::string& help) {
  add(flag, "TIME", with_default(help, duration_text(target)),
      [&target, flag, seconds](const std::string& text) { target = parse_duration(flag, text, seconds); });
}

void Options::duration(const std::string& flag, std::optional<Seconds>& target, RealRange seconds,
                       const std::string& help) {
  add(flag, "TIME", help,
      [&target, flag, seconds](const std::string& text) { target = parse_duration(flag, text, seconds); });
}

void Options::one_of(const std::string& flag, std::string& target, const std::vector<std::string>& permitted,
                     const std::string& help) {
  add(flag, fmt::format("{}", fmt::join(permitted, "|")), with_default(help, target),
      [&target, flag, permitted](const std::string& text) { target = one_of_text(flag, text, permitted); });
}

void Options::require(const std::string& flag) {
  required_.push_back({flag, app_->get_option(flag)});
}

void Options::flag(const std::string& flag, bool& target, const std::string& help) {
  app_->add_flag(flag, target, help);
  flags_.push_back(flag);
}

void Options::refuse_extras() const {
  const std::vector<std::string> extras = app_->remaining();
  for (const std::string& extra : extras) {
    if (!extra.starts_with('-') || extra == "-") continue;
    const std::string name = extra.substr(0, extra.find('='));
    const std::string nearest = nearest_name(name, flags_);
    throw ConfigError(
        nearest.empty()
            ? fmt::format("{}: unknown flag, permitted are {}", shown_argument(name), fmt::join(flags_, ", "))
            : fmt::format("{}: unknown flag, did you mean {}?", shown_argument(name), nearest));
  }
  if (!extras.empty()) {
    throw ConfigError(
        fmt::format("{}: one argument too many (see {} --help)", shown_argument(extras.front()), app_->get_name()));
  }
}

bool Options::parse(const std::vector<std::string>& arguments) {
  app_->allow_extras();
  arguments_ = arguments;
  // CLI11 takes them from the back.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app_->parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ArgumentMismatch& problem) {
    throw ConfigError(fmt::format("{} (see {} --help)", problem.what(), app_->get_name()));
  } catch (const CLI::ParseError& problem) {
    throw ConfigError(problem.what());
  }
  refuse_extras();
  for (const Required& required : required_) {
    if (required.option->count() == 0) {
      throw ConfigError(fmt::format("{}: is missing (see {} --help)", required.name, app_->get_name()));
    }
  }
  return true;
}

std::string Options::command_line() const {
  std::string text = app_->get_name();
  for (const std::string& argument : arguments_) text += " " + shell_quoted(argument);
  return text;
}

std::string Options::help() const {
  return app_->help();
}

}  // namespace waferline::cli
