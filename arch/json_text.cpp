// JSON text to ConfigNode, through nlohmann's SAX parser: that parser does the syntax; lines, duplicate keys, depth and
// the words NaN and Infinity (which Python's json module writes) are ours.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "arch/config_node.hpp"
#include "arch/text_file.hpp"

namespace waferline {
namespace {

/// Longest piece of the file in a message.
constexpr std::size_t kLongestShown = 40;

/// Stands for a non-finite number on its way through the parser. Strings of the file cannot begin so: those that hold a
/// NUL are refused.
constexpr std::string_view kNonFinitePrefix{"\\u0000waferline:", 16};
constexpr std::string_view kNonFinitePrefixParsed{"\0waferline:", 11};

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/// The non-finite word at `text[at]`, or an empty view. Strings never get here, so "Infinity" in quotes stays a string.
std::string_view non_finite_word(std::string_view text, std::size_t at) {
  for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
    if (text.substr(at, word.size()) != word) continue;
    const std::size_t end = at + word.size();
    if (end == text.size() || !is_word_character(text[end])) return word;
  }
  return {};
}

ConfigError nul_character(std::string_view text, std::size_t at, const std::string& file_name) {
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return ConfigError(fmt::format("{}:{}: holds a NUL character", file_name, line));
}

std::string quote_non_finite_words(std::string_view text, const std::string& file_name) {
  std::string out;
  out.reserve(text.size() + 64);
  bool in_string = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (in_string && c == '\\' && at + 1 < text.size()) {
      if (text.substr(at, 6) == "\\u0000") throw nul_character(text, at, file_name);
      out.append(text.substr(at, 2));
      at += 2;
      continue;
    }
    if (c == '"') in_string = !in_string;
    const bool may_start = !in_string && (at == 0 || !is_word_character(text[at - 1]));
    const std::string_view word = may_start ? non_finite_word(text, at) : std::string_view{};
    if (word.empty()) {
      out += c;
      ++at;
    } else {
      out += fmt::format("\"{}{}\"", kNonFinitePrefix, word);
      at += word.size();
    }
  }
  return out;
}

/// The parser quotes the text it read last; our marks in it mean nothing to the user.
std::string without_markers(std::string text) {
  for (std::size_t at = text.find(kNonFinitePrefix); at != std::string::npos; at = text.find(kNonFinitePrefix)) {
    text.erase(at, kNonFinitePrefix.size());
  }
  return text;
}

double non_finite_value(std::string_view word) {
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return word == "Infinity" ? infinity : -infinity;
}

/// Feeds the parser and counts lines as it reads. To end a number the parser must take one character more, often the
/// newline, so a newline counts only once the character after it is taken.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char* begin = nullptr;
  int* line = nullptr;

  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    if (at != begin && at[-1] == '\n') ++*line;
    ++at;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at == other.at; }
  bool operator!=(const CountingIterator& other) const { return at != other.at; }
};

/// Builds the tree from the parser's events. Every member function is named and typed as nlohmann requires.
class TreeBuilder {
 public:
  TreeBuilder(std::string file, int max_depth, const int& line)
      : file_(std::move(file)), max_depth_(max_depth), line_(line) {}

  ConfigNode take_root() { return std::move(root_); }
  const std::string& error() const { return error_; }

  bool null() { return add({std::monostate{}, line_}); }
  bool boolean(bool value) { return add({value, line_}); }
  bool number_integer(std::int64_t value) { return add({value, line_}); }
  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return fail(fmt::format("integer {} is beyond 64 bits", value));
    }
    return add({static_cast<std::int64_t>(value), line_});
  }
  bool number_float(double value, const std::string& text) {
    if (text.find_first_of(".eE") == std::string::npos)
      return fail(fmt::format("integer {} is beyond 64 bits", printable(text, kLongestShown)));
    return add({value, line_});
  }
  bool string(std::string& text) {
    if (text.starts_with(kNonFinitePrefixParsed)) {
      return add({non_finite_value(std::string_view(text).substr(kNonFinitePrefixParsed.size())), line_});
    }
    return add({std::move(text), line_});
  }
  bool binary(nlohmann::json::binary_t&) { return fail("binary value"); }
  bool start_object(std::size_t) { return open({ConfigNode::Object{}, line_}); }
  bool start_array(std::size_t) { return open({ConfigNode::Array{}, line_}); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    if (name.starts_with(kNonFinitePrefixParsed)) {
      return fail(fmt::format("{} is no key", name.substr(kNonFinitePrefixParsed.size())));
    }
    if (!open_.back().keys.insert(name).second) {
      return fail(fmt::format("duplicate key \"{}\"", printable(name, kLongestShown)));
    }
    open_.back().key = std::move(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string& last_token, const nlohmann::json::exception& problem) {
    const std::string what = problem.what();
    if (what.find("out_of_range") != std::string::npos)
      return fail(fmt::format("number {} is out of range", printable(last_token, kLongestShown)));
    // nlohmann says "[json.exception...] parse error at line L, column C: syntax error while ...": keep the part that
    // says why.
    const std::size_t why = what.find("syntax error");
    return fail(why == std::string::npos ? "not valid JSON" : printable(without_markers(what.substr(why)), 200));
  }

 private:
  struct Open {
    ConfigNode node;
    std::string key;
    std::set<std::string> keys;
  };

  bool fail(const std::string& problem) {
    if (error_.empty()) error_ = fmt::format("{}:{}: {}", file_, line_, problem);
    return false;
  }
  bool open(ConfigNode node) {
    if (static_cast<int>(open_.size()) >= max_depth_)
      return fail(fmt::format("nested deeper than {} levels", max_depth_));
    open_.push_back({std::move(node), {}, {}});
    return true;
  }
  bool close() {
    ConfigNode done = std::move(open_.back().node);
    open_.pop_back();
    return add(std::move(done));
  }
  bool add(ConfigNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return true;
    }
    Open& parent = open_.back();
    if (ConfigNode::Array* values = parent.node.array()) {
      values->push_back(std::move(node));
    } else {
      parent.node.object()->push_back({std::move(parent.key), std::move(node)});
    }
    return true;
  }

  std::string file_;
  int max_depth_;
  const int& line_;
  std::vector<Open> open_;
  ConfigNode root_;
  std::string error_;
};

}  // namespace

ConfigNode parse_json(std::string_view text, const std::string& file_name, const JsonLimits& limits) {
  if (static_cast<std::int64_t>(text.size()) > limits.max_bytes) {
    throw ConfigError(fmt::format("{}: {} bytes, at most {} are read", file_name, text.size(), limits.max_bytes));
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw ConfigError(fmt::format("{}: is empty, a JSON object was expected", file_name));
  }
  if (const int bad_line = first_invalid_utf8_line(text); bad_line > 0) {
    throw ConfigError(fmt::format("{}:{}: text is not UTF-8", file_name, bad_line));
  }
  // The parser takes a NUL for the end of the text and would not read what follows.
  if (const std::size_t at = text.find('\0'); at != std::string_view::npos) {
    throw nul_character(text, at, file_name);
  }
  const std::string prepared = quote_non_finite_words(text, file_name);
  int line = 1;
  TreeBuilder builder(file_name, limits.max_depth, line);
  const CountingIterator first{prepared.data(), prepared.data(), &line};
  const CountingIterator last{prepared.data() + prepared.size(), prepared.data(), &line};
  if (!nlohmann::json::sax_parse(first, last, &builder)) {
    throw ConfigError(builder.error().empty() ? fmt::format("{}: not valid JSON", file_name) : builder.error());
  }
  return builder.take_root();
}

ConfigNode read_json_file(const std::filesystem::path& path, const JsonLimits& limits) {
  return parse_json(read_text_file(path, limits.max_bytes), path.string(), limits);
}

}  // namespace waferline
