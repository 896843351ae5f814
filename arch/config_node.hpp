#pragma once
// One tree for every configuration input (JSON and TOML), each value with the line where it stands.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arch/error.hpp"

namespace waferline {

/// A value of a configuration file. Integers and reals stay apart: 1 and 1.0 are not the same answer to "how many".
class ConfigNode {
 public:
  struct Member;
  using Array = std::vector<ConfigNode>;
  using Object = std::vector<Member>;  // in file order; keys are unique

  ConfigNode() = default;
  ConfigNode(std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value, int line);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  /// The value if it has that type, else nullptr. There is no conversion: true is not 1 and 1.0 is not 1.
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&value_); }
  const double* real() const { return std::get_if<double>(&value_); }
  const std::string* string() const { return std::get_if<std::string>(&value_); }
  const Array* array() const { return std::get_if<Array>(&value_); }
  const Object* object() const { return std::get_if<Object>(&value_); }
  Array* array() { return std::get_if<Array>(&value_); }
  Object* object() { return std::get_if<Object>(&value_); }

  /// Member of an object, or nullptr if this is no object or has no such key.
  const ConfigNode* find(std::string_view key) const;

  /// Line in the file, from 1; 0 if not known.
  int line() const { return line_; }

  /// Short form for messages: `"text"`, `[3 values]`, `{2 keys}`, numbers as written, at most 40 characters.
  std::string describe() const;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
  int line_ = 0;
};

struct ConfigNode::Member {
  std::string key;
  ConfigNode value;
};

/// Limits of the JSON reader. Files beyond them are refused, not truncated.
struct JsonLimits {
  std::int64_t max_bytes = 16 << 20;
  int max_depth = 64;
};

/// Parses JSON text as Hugging Face writes it: strict, plus the bare words NaN, Infinity and -Infinity.
/// Errors: ConfigError with file and line for syntax, duplicate keys, text that is not UTF-8, numbers beyond the range
/// of a double, integers beyond 64 bits, nesting beyond the limit, and an empty file.
ConfigNode parse_json(std::string_view text, const std::string& file_name, const JsonLimits& limits = {});

/// Reads and parses a JSON file.
ConfigNode read_json_file(const std::filesystem::path& path, const JsonLimits& limits = {});

/// Parses TOML text; dates and times are refused, since no key of ours holds one.
/// Errors: ConfigError with file, line and column.
ConfigNode parse_toml(std::string_view text, const std::string& file_name);

/// Reads and parses a TOML file of at most 1 MiB.
ConfigNode read_toml_file(const std::filesystem::path& path);

}  // namespace waferline
