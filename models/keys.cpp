#include "models/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/spellings.hpp"

namespace waferline::models {
namespace {

constexpr std::string_view kTop = "^";

struct Nested {
  const ConfigNode* node;
  std::string path;
};

/// The object that holds the text model.
Nested text_object(const ConfigNode& root) {
  for (const std::string_view name : {"text_config", "llm_config", "language_config"}) {
    const ConfigNode* inner = root.find(name);
    if (inner != nullptr && inner->object() != nullptr) return {inner, std::string(name)};
  }
  const ConfigNode* thinker = root.find("thinker_config");
  const ConfigNode* inner = thinker == nullptr ? nullptr : thinker->find("text_config");
  if (inner != nullptr && inner->object() != nullptr) return {inner, "thinker_config.text_config"};
  return {&root, ""};
}

}  // namespace

Keys::Keys(const ConfigNode& root, Problems& problems) : root_(&root), problems_(&problems) {
  const Nested found = text_object(root);
  text_ = found.node;
  text_path_ = found.path;
  readers_.emplace("", ObjectReader(*text_, problems, text_path_));
  if (nested()) readers_.emplace(kTop, ObjectReader(*root_, problems));
}

ObjectReader& Keys::reader_of(std::string_view object_path, const ConfigNode& node) {
  const auto known = readers_.find(object_path);
  if (known != readers_.end()) return known->second;
  const std::string path =
      text_path_.empty() ? std::string(object_path) : fmt::format("{}.{}", text_path_, object_path);
  return readers_.emplace(std::string(object_path), ObjectReader(node, *problems_, path)).first->second;
}

Keys::Place Keys::place(std::string_view dotted_key) {
  const std::size_t dot = dotted_key.rfind('.');
  if (dot == dotted_key.npos) return {&readers_.find("")->second, dotted_key};
  const std::string_view object_path = dotted_key.substr(0, dot);
  const ConfigNode* object = text_->find(object_path);
  if (object == nullptr || object->object() == nullptr) return {nullptr, dotted_key.substr(dot + 1)};
  readers_.find("")->second.node(object_path);
  return {&reader_of(object_path, *object), dotted_key.substr(dot + 1)};
}

const ConfigNode* Keys::locate(std::string_view dotted_key) const {
  const std::size_t dot = dotted_key.rfind('.');
  if (dot == dotted_key.npos) return text_->find(dotted_key);
  const ConfigNode* object = text_->find(dotted_key.substr(0, dot));
  return object == nullptr ? nullptr : object->find(dotted_key.substr(dot + 1));
}

bool Keys::has_value(std::string_view key) const {
  const ConfigNode* value = locate(key);
  return value != nullptr && !value->is_null();
}

bool Keys::has(std::string_view name) const {
  const std::vector<std::string_view>& keys = spelling(name).keys;
  return std::any_of(keys.begin(), keys.end(), [this](std::string_view key) { return has_value(key); });
}

void Keys::record(std::string_view name, std::string_view key, std::int64_t value) {
  const std::string path = text_path_.empty() ? std::string(key) : fmt::format("{}.{}", text_path_, key);
  KeySource source{std::string(name), path, fmt::format("{}", value)};
  if (std::find(sources_.begin(), sources_.end(), source) == sources_.end()) sources_.push_back(std::move(source));
}

std::optional<std::int64_t> Keys::find(std::string_view name) {
  const Spelling& row = spelling(name);
  std::optional<std::int64_t> found;
  std::string_view found_key;
  for (const std::string_view key : row.keys) {
    const Place at = place(key);
    if (at.reader == nullptr) continue;
    const std::optional<std::int64_t> value = at.reader->optional_integer(at.key, {row.lowest, row.highest});
    if (!value) continue;
    if (!found) {
      found = value;
      found_key = key;
      record(name, key, *value);
    } else if (*found != *value && !row.first_wins) {
      problem(key, fmt::format("is {} where {} is {}: both state {}", *value, found_key, *found, name));
    }
  }
  return found;
}

std::int64_t Keys::size(std::string_view name) {
  const std::optional<std::int64_t> found = find(name);
  if (found) return *found;
  const Spelling& row = spelling(name);
  problem(name, fmt::format("is missing or null, an integer from {} to {} is required (spellings read: {})", row.lowest,
                            row.highest, fmt::join(row.keys, ", ")));
  return std::max<std::int64_t>(row.lowest, 1);
}

std::optional<std::int64_t> Keys::positive(std::string_view name) {
  const std::optional<std::int64_t> found = find(name);
  return found && *found > 0 ? found : std::nullopt;
}

std::optional<bool> Keys::flag(std::string_view key) {
  const Place at = place(key);
  return at.reader == nullptr ? std::nullopt : at.reader->optional_boolean(at.key);
}

bool Keys::on(const Switch& choice) {
  if (choice.key == nullptr) return choice.otherwise;
  const std::optional<bool> stated = flag(choice.key);
  return stated.value_or(choice.otherwise);
}

std::optional<std::int64_t> Keys::integer(std::string_view key, IntegerRange range) {
  const Place at = place(key);
  return at.reader == nullptr ? std::nullopt : at.reader->optional_integer(at.key, range);
}

std::optional<std::vector<std::int64_t>> Keys::integers(std::string_view key, IntegerRange range) {
  const Place at = place(key);
  return at.reader == nullptr ? std::nullopt : at.reader->optional_integers(at.key, range);
}

std::optional<std::vector<std::string>> Keys::strings(std::string_view key) {
  const Place at = place(key);
  return at.reader == nullptr ? std::nullopt : at.reader->optional_strings(at.key);
}

const ConfigNode* Keys::node(std::string_view key) {
  const Place at = place(key);
  const ConfigNode* value = at.reader == nullptr ? nullptr : at.reader->node(at.key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::optional<bool> Keys::flag_anywhere(std::string_view key) {
  const std::optional<bool> inner = flag(key);
  if (!nested()) return inner;
  const std::optional<bool> top = readers_.find(kTop)->second.optional_boolean(key);
  if (inner && top && *inner != *top) {
    note(fmt::format("{} is {} in {} and {} at the top of the file: the text model's own word is taken", key, *inner,
                     text_path_, *top));
  }
  return inner ? inner : top;
}

const ConfigNode* Keys::node_anywhere(std::string_view key) {
  const ConfigNode* inner = node(key);
  if (inner != nullptr || !nested()) return inner;
  const ConfigNode* top = readers_.find(kTop)->second.node(key);
  return top == nullptr || top->is_null() ? nullptr : top;
}

void Keys::ignore(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (const std::string_view key : spelling(name).keys) {
      const Place at = place(key);
      if (at.reader != nullptr) at.reader->ignore({at.key});
    }
  }
}

void Keys::problem(std::string_view key, const std::string& text) {
  const Place at = place(key);
  if (at.reader != nullptr) {
    at.reader->problem(at.key, text);
  } else {
    readers_.find("")->second.problem(key, text);
  }
}

}  // namespace waferline::models
