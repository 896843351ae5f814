#include "cli/search_option.hpp"

#include <fmt/format.h>

#include "arch/error.hpp"
#include "cli/argument_text.hpp"

namespace waferline::cli {
namespace {

constexpr IntegerRange kSteps{1, 1'000'000'000};
constexpr IntegerRange kSeeds{0, 4'294'967'295};
constexpr RealRange kSeconds{0.01, 86'400};

void read_part(const std::string& flag, const std::string& part, mapping::Refinement& how) {
  const std::size_t equals = part.find('=');
  const std::string key = part.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
  const std::string where = flag + " " + key;
  if (key == "time") {
    how.time = parse_duration(where, value, kSeconds);
  } else if (key == "steps") {
    how.steps = parse_integer(where, value, kSteps);
  } else if (key == "seed") {
    how.seed = static_cast<std::uint32_t>(parse_integer(where, value, kSeeds));
  } else {
    throw ConfigError(fmt::format("{}: \"{}\" (permitted: time=DURATION, steps=N, seed=N)", flag, part));
  }
}

}  // namespace

mapping::Refinement parse_search(const std::string& flag, const std::string& text, Progress& progress) {
  mapping::Refinement how;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    read_part(flag, text.substr(from, comma - from), how);
    from = comma + 1;
  }
  if (how.steps == 0 && how.time.value <= 0) throw ConfigError(flag + ": says neither time=DURATION nor steps=N");
  how.on_progress = [&progress](std::int64_t steps, double figure) {
    progress.say(fmt::format("{} moves tried, {:.2f} % better than the exact search", steps, 100 * (1 - figure)));
  };
  return how;
}

}  // namespace waferline::cli
