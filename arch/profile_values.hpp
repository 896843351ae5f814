#pragma once
// Values for single keys of a profile, as a command line gives them.

#include <string>
#include <string_view>

#include "arch/config_node.hpp"

namespace waferline {

/// A whole number, a real, ROWSxCOLS as {rows, cols}, or a word: whatever the text is.
ConfigNode value_from_text(std::string_view text);

/// The text that `value_from_text` reads back to an equal value, the same for all ways to write one number.
std::string text_of_value(const ConfigNode& value);

}  // namespace waferline
