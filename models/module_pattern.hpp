#pragma once
// Patterns by which quantisation settings name modules: exact names, globs, regular expressions, single components.

#include <cstdint>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace waferline::models {

/// True if `glob` matches all of `text`; '*' stands for any run of characters, '?' for one.
bool glob_matches(std::string_view glob, std::string_view text);

/// A set of patterns that names modules of a text model, whatever stands before "layers." in them. A pattern names a
/// module if it matches the module or one that holds it: "model.layers.*.self_attn" names "layers.3.self_attn.q_proj",
/// "gate" names "layers.3.mlp.gate". Patterns of vision towers and other parts name nothing here.
class ModulePatterns {
 public:
  /// Adds a pattern; "re:" begins a regular expression. Returns what is wrong with it, or "".
  std::string add(std::string_view pattern);

  /// `module` begins with "layers.N." or "mtp.layers.N." or is a name outside the layers ("lm_head", "embed_tokens").
  bool name(std::string_view module) const;

  bool empty() const { return globs_.empty() && by_layer_.empty() && components_.empty() && expressions_.empty(); }

 private:
  bool any_glob(const std::vector<std::string>& globs, std::string_view module) const;

  std::vector<std::string> globs_;
  std::map<std::int64_t, std::vector<std::string>> by_layer_;  ///< globs that begin with "layers.N."
  std::vector<std::string> components_;
  std::vector<std::regex> expressions_;
};

}  // namespace waferline::models
