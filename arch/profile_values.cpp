#include "arch/profile_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace waferline {
namespace {

template <class Number>
std::optional<Number> whole_text_as(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

ConfigNode value_from_text(std::string_view text) {
  if (const auto whole = whole_text_as<std::int64_t>(text)) return {*whole, 0};
  if (const auto real = whole_text_as<double>(text)) return {*real, 0};
  const std::size_t times = text.find('x');
  if (times != std::string_view::npos) {
    const auto rows = whole_text_as<std::int64_t>(text.substr(0, times));
    const auto cols = whole_text_as<std::int64_t>(text.substr(times + 1));
    if (rows && cols) {
      return {ConfigNode::Object{{"rows", ConfigNode(*rows, 0)}, {"cols", ConfigNode(*cols, 0)}}, 0};
    }
  }
  return {std::string(text), 0};
}

std::string text_of_value(const ConfigNode& value) {
  if (const std::int64_t* whole = value.integer()) return fmt::format("{}", *whole);
  if (const double* real = value.real()) return fmt::format("{}", *real);
  if (const std::string* word = value.string()) return *word;
  const ConfigNode* rows = value.find("rows");
  const ConfigNode* cols = value.find("cols");
  if (rows == nullptr || cols == nullptr) return value.describe();
  return fmt::format("{}x{}", text_of_value(*rows), text_of_value(*cols));
}

}  // namespace waferline
