#include "arch/object_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace waferline {

ObjectReader::ObjectReader(const ConfigNode& node, Problems& problems, std::string path)
    : node_(&node), problems_(&problems), path_(std::move(path)) {
  if (node.object() == nullptr) problem("", fmt::format("is {}, an object was expected", node.describe()));
}

std::string ObjectReader::path_of(std::string_view key) const {
  if (key.empty()) return path_;
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void ObjectReader::problem(std::string_view key, const std::string& text) {
  const ConfigNode* at = key.empty() ? nullptr : node_->find(key);
  problems_->add(at != nullptr ? at->line() : node_->line(), path_of(key), text);
}

bool ObjectReader::has_value(std::string_view key) const {
  const ConfigNode* value = node_->find(key);
  return value != nullptr && !value->is_null();
}

const ConfigNode* ObjectReader::node(std::string_view key) {
  known_.emplace(key);
  return node_->find(key);
}

const ConfigNode* ObjectReader::present(std::string_view key) {
  const ConfigNode* value = node(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

const ConfigNode* ObjectReader::required(std::string_view key) {
  const ConfigNode* value = present(key);
  if (value == nullptr && node_->object() != nullptr) {
    problem(key, has(key) ? "is null, a value is required" : "is missing, a value is required");
  }
  return value;
}

void ObjectReader::wrong_type(std::string_view key, const ConfigNode& value, std::string_view expected) {
  problem(key, fmt::format("is {}, {} was expected", value.describe(), expected));
}

std::int64_t ObjectReader::checked_integer(std::string_view key, const ConfigNode& value, IntegerRange range) {
  const std::int64_t* number = value.integer();
  if (number == nullptr) {
    wrong_type(key, value, fmt::format("an integer from {} to {}", range.lowest, range.highest));
    return range.lowest;
  }
  if (*number < range.lowest || *number > range.highest) {
    problem(key, fmt::format("is {}, permitted are {} to {}", *number, range.lowest, range.highest));
    return range.lowest;
  }
  return *number;
}

double ObjectReader::checked_real(std::string_view key, const ConfigNode& value, RealRange range) {
  const double* real = value.real();
  const std::int64_t* whole = value.integer();
  if (real == nullptr && whole == nullptr) {
    wrong_type(key, value, fmt::format("a number from {} to {}", range.lowest, range.highest));
    return range.lowest;
  }
  const double number = real != nullptr ? *real : static_cast<double>(*whole);
  if (!(number >= range.lowest && number <= range.highest)) {  // also false for NaN
    problem(key, fmt::format("is {}, permitted are {} to {}", number, range.lowest, range.highest));
    return range.lowest;
  }
  return number;
}

std::vector<std::int64_t> ObjectReader::checked_integers(std::string_view key, const ConfigNode& value,
                                                         IntegerRange range) {
  std::vector<std::int64_t> out;
  const ConfigNode::Array* values = value.array();
  if (values == nullptr) {
    wrong_type(key, value, "a list of integers");
    return out;
  }
  for (const ConfigNode& element : *values) out.push_back(checked_integer(key, element, range));
  return out;
}

std::vector<std::string> ObjectReader::checked_strings(std::string_view key, const ConfigNode& value) {
  std::vector<std::string> out;
  const ConfigNode::Array* values = value.array();
  if (values == nullptr) {
    wrong_type(key, value, "a list of strings");
    return out;
  }
  for (const ConfigNode& element : *values) {
    if (const std::string* text = element.string()) {
      out.push_back(*text);
    } else {
      wrong_type(key, element, "a string in this list");
    }
  }
  return out;
}

std::int64_t ObjectReader::integer(std::string_view key, IntegerRange range) {
  const ConfigNode* value = required(key);
  return value == nullptr ? range.lowest : checked_integer(key, *value, range);
}

double ObjectReader::real(std::string_view key, RealRange range) {
  const ConfigNode* value = required(key);
  return value == nullptr ? range.lowest : checked_real(key, *value, range);
}

bool ObjectReader::boolean(std::string_view key) {
  const ConfigNode* value = required(key);
  if (value == nullptr) return false;
  if (const bool* flag = value->boolean()) return *flag;
  wrong_type(key, *value, "true or false");
  return false;
}

std::string ObjectReader::string(std::string_view key) {
  const ConfigNode* value = required(key);
  if (value == nullptr) return {};
  if (const std::string* text = value->string()) return *text;
  wrong_type(key, *value, "a string");
  return {};
}

std::string ObjectReader::one_of(std::string_view key, std::initializer_list<std::string_view> permitted) {
  const std::string text = string(key);
  const bool known = std::find(permitted.begin(), permitted.end(), text) != permitted.end();
  const ConfigNode* value = node_->find(key);
  if (!known && value != nullptr && value->string() != nullptr) {
    problem(key, fmt::format("is {}, permitted are {}", value->describe(), fmt::join(permitted, ", ")));
  }
  return known ? text : std::string(*permitted.begin());
}

std::vector<std::int64_t> ObjectReader::integers(std::string_view key, IntegerRange range) {
  const ConfigNode* value = required(key);
  return value == nullptr ? std::vector<std::int64_t>{} : checked_integers(key, *value, range);
}

std::vector<std::string> ObjectReader::strings(std::string_view key) {
  const ConfigNode* value = required(key);
  return value == nullptr ? std::vector<std::string>{} : checked_strings(key, *value);
}

std::optional<std::int64_t> ObjectReader::optional_integer(std::string_view key, IntegerRange range) {
  const ConfigNode* value = present(key);
  return value == nullptr ? std::nullopt : std::optional(checked_integer(key, *value, range));
}

std::optional<double> ObjectReader::optional_real(std::string_view key, RealRange range) {
  const ConfigNode* value = present(key);
  return value == nullptr ? std::nullopt : std::optional(checked_real(key, *value, range));
}

std::optional<bool> ObjectReader::optional_boolean(std::string_view key) {
  return present(key) == nullptr ? std::nullopt : std::optional(boolean(key));
}

std::optional<std::string> ObjectReader::optional_string(std::string_view key) {
  return present(key) == nullptr ? std::nullopt : std::optional(string(key));
}

std::optional<std::vector<std::int64_t>> ObjectReader::optional_integers(std::string_view key, IntegerRange range) {
  const ConfigNode* value = present(key);
  return value == nullptr ? std::nullopt : std::optional(checked_integers(key, *value, range));
}

std::optional<std::vector<std::string>> ObjectReader::optional_strings(std::string_view key) {
  const ConfigNode* value = present(key);
  return value == nullptr ? std::nullopt : std::optional(checked_strings(key, *value));
}

ObjectReader ObjectReader::object(std::string_view key) {
  static const ConfigNode kAbsent;
  const ConfigNode* value = required(key);
  if (value != nullptr) return ObjectReader(*value, *problems_, path_of(key));
  // One problem is noted already; the keys of what is not there are not missed one by one.
  return ObjectReader(&kAbsent, *problems_, path_of(key));
}

void ObjectReader::ignore(std::initializer_list<std::string_view> keys) {
  known_.insert(keys.begin(), keys.end());
}

std::vector<const ConfigNode::Member*> ObjectReader::unknown_members() const {
  std::vector<const ConfigNode::Member*> unknown;
  const ConfigNode::Object* members = node_->object();
  if (members == nullptr) return unknown;
  for (const ConfigNode::Member& member : *members) {
    if (known_.count(member.key) == 0) unknown.push_back(&member);
  }
  return unknown;
}

void ObjectReader::reject_unknown_keys() {
  // Looking for the nearest name takes long on long lists, and nobody reads a thousand hints.
  constexpr std::size_t kMostHints = 20;
  const std::vector<std::string> known(known_.begin(), known_.end());
  const std::vector<const ConfigNode::Member*> unknown = unknown_members();
  if (unknown.size() > kMostHints) {
    problem("", fmt::format("has {} unknown keys, the first {} are listed", unknown.size(), kMostHints));
  }
  for (std::size_t i = 0; i < std::min(unknown.size(), kMostHints); ++i) {
    const std::string& key = unknown[i]->key;
    const std::string nearest = nearest_name(key, known);
    problem(key, nearest.empty() ? fmt::format("unknown key; known are {}", fmt::join(known, ", "))
                                 : fmt::format("unknown key, did you mean {}?", nearest));
  }
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view text, const std::vector<std::string>& candidates) {
  if (text.size() > 200) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, text.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(text, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace waferline
