// TOML text to ConfigNode, through toml++.

#include <fmt/format.h>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <algorithm>

#include "arch/config_node.hpp"
#include "arch/text_file.hpp"

namespace waferline {
namespace {

constexpr std::int64_t kMaxBytes = 1 << 20;

class Converter {
 public:
  explicit Converter(std::string file) : file_(std::move(file)) {}

  ConfigNode convert(const toml::node& node) const {
    const int line = static_cast<int>(node.source().begin.line);
    if (const auto* table = node.as_table()) return convert_table(*table, line);
    if (const auto* values = node.as_array()) {
      ConfigNode::Array out;
      for (const toml::node& value : *values) out.push_back(convert(value));
      return {std::move(out), line};
    }
    if (const auto* value = node.as_boolean()) return {value->get(), line};
    if (const auto* value = node.as_integer()) return {value->get(), line};
    if (const auto* value = node.as_floating_point()) return {value->get(), line};
    if (const auto* value = node.as_string()) return {value->get(), line};
    throw ConfigError(fmt::format("{}:{}: dates and times are not used in these files", file_, line));
  }

 private:
  ConfigNode convert_table(const toml::table& table, int line) const {
    ConfigNode::Object out;
    for (const auto& [key, value] : table) out.push_back({std::string(key.str()), convert(value)});
    // toml++ keeps keys sorted; file order reads better in messages.
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.value.line() < b.value.line(); });
    return {std::move(out), line};
  }

  std::string file_;
};

}  // namespace

ConfigNode parse_toml(std::string_view text, const std::string& file_name) {
  if (static_cast<std::int64_t>(text.size()) > kMaxBytes) {
    throw ConfigError(fmt::format("{}: {} bytes, at most {} are read", file_name, text.size(), kMaxBytes));
  }
  try {
    return Converter(file_name).convert(toml::parse(text, file_name));
  } catch (const toml::parse_error& problem) {
    const toml::source_position at = problem.source().begin;
    throw ConfigError(fmt::format("{}:{}:{}: {}", file_name, at.line, at.column, problem.description()));
  }
}

ConfigNode read_toml_file(const std::filesystem::path& path) {
  return parse_toml(read_text_file(path, kMaxBytes), path.string());
}

}  // namespace waferline
