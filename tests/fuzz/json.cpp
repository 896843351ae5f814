// Any text either parses or gives a ConfigError, and what parsed can be described and searched.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "arch/config_node.hpp"

namespace {

void visit(const waferline::ConfigNode& node) {
  (void)node.describe();
  if (const auto* values = node.array()) {
    for (const auto& value : *values) visit(value);
  }
  if (const auto* members = node.object()) {
    for (const auto& member : *members) {
      if (node.find(member.key) != &member.value) __builtin_trap();  // keys are unique
      visit(member.value);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    visit(waferline::parse_json({reinterpret_cast<const char*>(data), size}, "fuzz.json"));
  } catch (const waferline::ConfigError&) {
    return 0;
  }
  return 0;
}
