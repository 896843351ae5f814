#include "arch/config_node.hpp"

#include <fmt/format.h>

#include <utility>

namespace waferline {

ConfigNode::ConfigNode(std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value,
                       int line)
    : value_(std::move(value)), line_(line) {}

const ConfigNode* ConfigNode::find(std::string_view key) const {
  const Object* members = object();
  if (members == nullptr) return nullptr;
  for (const Member& member : *members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string ConfigNode::describe() const {
  if (is_null()) return "null";
  if (const bool* flag = boolean()) return *flag ? "true" : "false";
  if (const std::int64_t* number = integer()) return fmt::format("{}", *number);
  if (const double* number = real()) return fmt::format("{}", *number);
  if (const Array* values = array()) return fmt::format("[{} values]", values->size());
  if (const Object* members = object()) return fmt::format("{{{} keys}}", members->size());
  constexpr std::size_t kLongest = 36;
  return fmt::format("\"{}\"", printable(*string(), kLongest));
}

}  // namespace waferline
