// TOML text to ConfigNode, through toml++.

#include <fmt/format.h>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "arch/config_node.hpp"
#include "arch/text_file.hpp"

namespace waferline {
namespace {

constexpr std::int64_t kMaxBytes = 1 << 20;
constexpr int kMaxNesting = 32;
constexpr int kMaxKeyParts = 16;

/// Finds nesting that our files never have, before toml++ builds a table for each level: it limits brackets, but not
/// the parts of a dotted key, and tables some hundred thousand levels deep exhaust the stack when they are taken apart.
class NestingScan {
 public:
  explicit NestingScan(std::string_view text) : text_(text) {}

  /// Line of the first excess, or 0.
  int first_excess_line() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        if (!skip_string(c)) return 0;  // unterminated: toml++ says so
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      count(c);
      if (depth_ > kMaxNesting || parts_ > kMaxKeyParts) return line_;
      ++at_;
    }
    return 0;
  }

 private:
  void count(char c) {
    if (c == '\n') ++line_;
    if (c == '[' || c == '{') ++depth_;
    if (c == ']' || c == '}') --depth_;
    if (c == '.') ++parts_;
    if (std::string_view("\n,=[]{}").find(c) != std::string_view::npos) parts_ = 1;
  }

  /// Moves behind the string that starts here with `quote`; false if it does not end.
  bool skip_string(char quote) {
    const bool multi_line = text_.substr(at_, 3) == std::string(3, quote);
    const std::size_t marks = multi_line ? 3 : 1;
    for (at_ += marks; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') {
        if (!multi_line) return false;
        ++line_;
      }
      if (quote == '"' && text_[at_] == '\\') {
        if (text_.substr(at_ + 1, 1) == "\n") ++line_;
        ++at_;
      } else if (text_.substr(at_, marks) == std::string(marks, quote)) {
        at_ += marks;
        // Up to two quotes may stand right before the three that close.
        for (int more = 0; multi_line && more < 2 && text_.substr(at_, 1) == std::string(1, quote); ++more) ++at_;
        return true;
      }
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int depth_ = 0;
  int parts_ = 1;
};

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
    // toml++ keeps keys sorted by name; file order reads better in messages.
    std::vector<std::pair<toml::source_position, ConfigNode::Member>> placed;
    for (const auto& [key, value] : table) {
      placed.push_back({value.source().begin, {std::string(key.str()), convert(value)}});
    }
    std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    ConfigNode::Object out;
    for (auto& [at, member] : placed) out.push_back(std::move(member));
    return {std::move(out), line};
  }

  std::string file_;
};

}  // namespace

ConfigNode parse_toml(std::string_view text, const std::string& file_name) {
  if (static_cast<std::int64_t>(text.size()) > kMaxBytes) {
    throw ConfigError(fmt::format("{}: {} bytes, at most {} are read", file_name, text.size(), kMaxBytes));
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw ConfigError(fmt::format("{}: is empty, keys were expected", file_name));
  }
  if (const int bad_line = first_invalid_utf8_line(text); bad_line > 0) {
    throw ConfigError(fmt::format("{}:{}: text is not UTF-8", file_name, bad_line));
  }
  if (const int line = NestingScan(text).first_excess_line(); line > 0) {
    throw ConfigError(fmt::format("{}:{}: nested deeper than {} levels, or a key of more than {} parts", file_name,
                                  line, kMaxNesting, kMaxKeyParts));
  }
  try {
    return Converter(file_name).convert(toml::parse(text, file_name));
  } catch (const toml::parse_error& problem) {
    const toml::source_position at = problem.source().begin;
    throw ConfigError(
        fmt::format("{}:{}:{}: {}", file_name, at.line, at.column, printable(problem.description(), 200)));
  }
}

ConfigNode read_toml_file(const std::filesystem::path& path) {
  return parse_toml(read_text_file(path, kMaxBytes), path.string());
}

}  // namespace waferline
