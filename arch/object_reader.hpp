#pragma once
// Strict reading of one object of a configuration: every key is asked for by name, with its type and range, and what
// was never asked for is an error. Nothing is clamped, converted or defaulted here.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/config_node.hpp"

namespace waferline {

/// Closed range of permitted integers.
struct IntegerRange {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
};

/// Closed range of permitted reals.
struct RealRange {
  double lowest = 0;
  double highest = 0;
};

/// Reads the keys of one object. All problems go to the shared list; a required value that is missing or wrong reads as
/// the lowest permitted one, so that reading can go on and every problem is reported at once: call
/// `Problems::throw_if_any` before the values are used.
class ObjectReader {
 public:
  /// `node` must outlive the reader. If it is no object, that is a problem, and every key is missing.
  ObjectReader(const ConfigNode& node, Problems& problems, std::string path = {});

  /// False if what is read is absent or no object; that was noted, and keys are not missed one by one.
  bool is_object() const { return node_->object() != nullptr; }
  bool has(std::string_view key) const { return node_->find(key) != nullptr; }
  /// True if the key is present and not null.
  bool has_value(std::string_view key) const;

  std::int64_t integer(std::string_view key, IntegerRange range);
  double real(std::string_view key, RealRange range);  // an integer is accepted as a real
  bool boolean(std::string_view key);
  std::string string(std::string_view key);
  std::string one_of(std::string_view key, std::initializer_list<std::string_view> permitted);
  std::vector<std::int64_t> integers(std::string_view key, IntegerRange range);
  std::vector<std::string> strings(std::string_view key);

  /// Absent and null read as nothing; anything else is checked as above.
  std::optional<std::int64_t> optional_integer(std::string_view key, IntegerRange range);
  std::optional<double> optional_real(std::string_view key, RealRange range);
  std::optional<bool> optional_boolean(std::string_view key);
  std::optional<std::string> optional_string(std::string_view key);
  std::optional<std::vector<std::int64_t>> optional_integers(std::string_view key, IntegerRange range);
  std::optional<std::vector<std::string>> optional_strings(std::string_view key);

  /// The node under `key`, marked as known, or nullptr. For values whose form varies.
  const ConfigNode* node(std::string_view key);
  /// Reader of the object under `key`, which must be there.
  ObjectReader object(std::string_view key);

  /// Marks keys as known without reading them.
  void ignore(std::initializer_list<std::string_view> keys);
  /// Members of the object that nobody asked for; they live as long as the node.
  std::vector<const ConfigNode::Member*> unknown_members() const;
  /// Makes a problem of every key that nobody asked for, naming the nearest known one.
  void reject_unknown_keys();

  /// Adds a problem at `key` (at the object itself if it is empty).
  void problem(std::string_view key, const std::string& text);
  std::string path_of(std::string_view key) const;
  Problems& problems() const { return *problems_; }

 private:
  ObjectReader(const ConfigNode* absent, Problems& problems, std::string path)
      : node_(absent), problems_(&problems), path_(std::move(path)) {}
  const ConfigNode* required(std::string_view key);
  const ConfigNode* present(std::string_view key);
  std::int64_t checked_integer(std::string_view key, const ConfigNode& value, IntegerRange range);
  double checked_real(std::string_view key, const ConfigNode& value, RealRange range);
  std::vector<std::int64_t> checked_integers(std::string_view key, const ConfigNode& value, IntegerRange range);
  std::vector<std::string> checked_strings(std::string_view key, const ConfigNode& value);
  void wrong_type(std::string_view key, const ConfigNode& value, std::string_view expected);

  const ConfigNode* node_;
  Problems* problems_;
  std::string path_;
  std::set<std::string, std::less<>> known_;
};

/// The candidate with the smallest edit distance to `text`, if it is near enough to be a likely slip; else empty.
std::string nearest_name(std::string_view text, const std::vector<std::string>& candidates);

}  // namespace waferline
