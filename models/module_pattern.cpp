#include "models/module_pattern.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace waferline::models {
namespace {

constexpr std::string_view kLayers = "layers.";

/// Words before "layers." that say that a pattern is about another part of the model.
constexpr std::array<std::string_view, 6> kOtherParts{"vision",         "visual",    "audio",
                                                      "encoder.layers", "projector", "talker"};

bool names_other_part(std::string_view pattern) {
  const std::string_view before = pattern.substr(0, pattern.find(kLayers));
  return std::any_of(kOtherParts.begin(), kOtherParts.end(),
                     [&](std::string_view w) { return before.find(w) != before.npos; });
}

/// The pattern from "layers." on; those of prediction layers keep "mtp.".
std::string_view shortened(std::string_view pattern) {
  const std::size_t at = pattern.find(kLayers);
  if (at == pattern.npos || at == 0) return pattern;
  const std::size_t mtp = pattern.substr(0, at).find("mtp");
  return mtp != pattern.npos ? pattern.substr(mtp) : pattern.substr(at);
}

/// N of a text that begins with "layers.N." (or "layers.0*", which no other layer's number begins with); -1 otherwise.
std::int64_t layer_of(std::string_view text) {
  if (text.substr(0, kLayers.size()) != kLayers) return -1;
  const std::string_view rest = text.substr(kLayers.size());
  std::int64_t layer = -1;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), layer);
  if (error != std::errc()) return -1;
  const bool closed = end == rest.data() + rest.size() || *end == '.' || (layer == 0 && *end == '*');
  return closed ? layer : -1;
}

#ifdef __GLIBCXX__
// Breadth-first matching: time grows with the length of the text, whatever the expression.
constexpr auto kSyntax = std::regex_constants::ECMAScript | std::regex_constants::__polynomial;
#else
constexpr auto kSyntax = std::regex_constants::ECMAScript;
#endif

}  // namespace

bool glob_matches(std::string_view glob, std::string_view text) {
  std::size_t g = 0, t = 0, star = glob.npos, resume = 0;
  while (t < text.size()) {
    if (g < glob.size() && (glob[g] == '?' || (glob[g] == text[t] && glob[g] != '*'))) {
      ++g;
      ++t;
    } else if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = t;
    } else if (star != glob.npos) {
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

std::string ModulePatterns::add(std::string_view pattern) {
  constexpr std::size_t kLongest = 256;
  if (pattern.empty() || pattern.size() > kLongest) return "a pattern of 1 to 256 characters was expected";
  if (pattern.substr(0, 3) == "re:") {
    try {
      expressions_.emplace_back(std::string(pattern.substr(3)), kSyntax);
    } catch (const std::regex_error& error) {
      return std::string("is no regular expression: ") + error.what();
    }
    return {};
  }
  if (names_other_part(pattern)) return {};
  const std::string text(shortened(pattern));
  const std::int64_t layer = layer_of(text);
  if (layer >= 0) {
    by_layer_[layer].push_back(text);
  } else if (text.find_first_of(".*?") == text.npos) {
    components_.push_back(text);
  } else {
    globs_.push_back(text);
  }
  return {};
}

/// Tries the module and every module that holds it.
bool ModulePatterns::any_glob(const std::vector<std::string>& globs, std::string_view module) const {
  for (const std::string& glob : globs) {
    for (std::size_t end = module.find('.');; end = module.find('.', end + 1)) {
      if (glob_matches(glob, module.substr(0, end))) return true;
      if (end == module.npos) break;
    }
  }
  return false;
}

bool ModulePatterns::name(std::string_view module) const {
  const auto layer = by_layer_.find(layer_of(module));
  if (layer != by_layer_.end() && any_glob(layer->second, module)) return true;
  if (any_glob(globs_, module)) return true;
  const std::string dotted = "." + std::string(module) + ".";
  for (const std::string& component : components_) {
    if (dotted.find("." + component + ".") != dotted.npos) return true;
  }
  for (const std::regex& expression : expressions_) {
    for (const char* before : {"", "model.", "language_model.model.", "model.language_model."}) {
      const std::string full = before + std::string(module);
      if (std::regex_search(full, expression, std::regex_constants::match_continuous)) return true;
    }
  }
  return false;
}

}  // namespace waferline::models
