#include "arch/profile_setter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace waferline {
bool ProfileSetter::given(std::string_view key) {
  if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) keys_.emplace_back(key);
  values_.ignore({key});
  return values_.has(key);
}

void ProfileSetter::check_word(std::string_view key, const std::string& read,
                               const std::vector<std::string>& permitted) {
  const ConfigNode* value = values_.node(key);
  if (value->string() == nullptr || std::find(permitted.begin(), permitted.end(), read) != permitted.end()) return;
  values_.problem(key, fmt::format("is {}, permitted are {}", value->describe(), fmt::join(permitted, ", ")));
}

}  // namespace waferline
