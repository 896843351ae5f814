#include "arch/error.hpp"

#include <fmt/format.h>

namespace waferline {

namespace {

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

std::string printable(std::string_view text, std::size_t longest) {
  std::size_t end = text.size();
  if (end > longest) {
    end = longest;
    while (end > 0 && continues_character(text[end])) --end;
  }
  std::string out;
  for (const char c : text.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  return end < text.size() ? out + "..." : out;
}

void Problems::add(int line, const std::string& key_path, const std::string& problem) {
  if (lines_.size() >= kMostListed) {
    ++unlisted_;
    return;
  }
  constexpr std::size_t kLongestPath = 200;
  const std::string where = line > 0 ? fmt::format("{}:{}", file_, line) : file_;
  lines_.push_back(key_path.empty() ? fmt::format("{}: {}", where, problem)
                                    : fmt::format("{}: {}: {}", where, printable(key_path, kLongestPath), problem));
}

void Problems::throw_if_any() const {
  if (lines_.empty()) return;
  std::string text = fmt::format("{}", fmt::join(lines_, "\n"));
  if (unlisted_ > 0) text += fmt::format("\n{}: and {} more problems", file_, unlisted_);
  throw ConfigError(text);
}

}  // namespace waferline
