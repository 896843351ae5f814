#include "arch/error.hpp"

#include <fmt/format.h>

namespace waferline {

void Problems::add(int line, const std::string& key_path, const std::string& problem) {
  const std::string where = line > 0 ? fmt::format("{}:{}", file_, line) : file_;
  lines_.push_back(key_path.empty() ? fmt::format("{}: {}", where, problem)
                                    : fmt::format("{}: {}: {}", where, key_path, problem));
}

void Problems::throw_if_any() const {
  if (lines_.empty()) return;
  throw ConfigError(fmt::format("{}", fmt::join(lines_, "\n")));
}

}  // namespace waferline
