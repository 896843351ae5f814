#pragma once
// The keys of one configuration as a family reads them: by their usual name, whatever the file's spelling, with a
// record of which key supplied what, and at the end a refusal of everything that reads like a size and that nobody
// asked for.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/object_reader.hpp"
#include "models/model.hpp"

namespace waferline::models {

/// A switch that changes which weights exist: read from `key` if the file has it, else what the family's class does.
struct Switch {
  const char* key = nullptr;  ///< nullptr: no key says so
  bool otherwise = false;
};

/// Reads one configuration. The text model's object is `text_config`, `llm_config`, `language_config` or
/// `thinker_config.text_config` where there is one, else the whole file. Problems are collected, not thrown.
class Keys {
 public:
  /// `root` and `problems` must outlive this.
  Keys(const ConfigNode& root, Problems& problems);

  const ConfigNode& root() const { return *root_; }
  const ConfigNode& text() const { return *text_; }
  bool nested() const { return root_ != text_; }
  /// Dotted path of the text model's object, "" if it is the whole file.
  const std::string& text_path() const { return text_path_; }

  /// Value of a size of the spelling table: nothing if every spelling is absent or null.
  std::optional<std::int64_t> find(std::string_view name);
  /// A size that must be there.
  std::int64_t size(std::string_view name);
  /// As `find`, with 0 read as absent: head_dim, q_lora_rank and others mean "none" by 0.
  std::optional<std::int64_t> positive(std::string_view name);
  /// True if any spelling holds a value other than null; marks nothing as used.
  bool has(std::string_view name) const;

  /// Exact keys of the text model's object; dotted keys reach into nested objects. Absent and null read as nothing.
  std::optional<bool> flag(std::string_view key);
  bool on(const Switch& choice);
  std::optional<std::int64_t> integer(std::string_view key, IntegerRange range);
  std::optional<std::vector<std::int64_t>> integers(std::string_view key, IntegerRange range);
  std::optional<std::vector<std::string>> strings(std::string_view key);
  const ConfigNode* node(std::string_view key);
  bool has_value(std::string_view key) const;

  /// As `flag` and `node`, first in the text model's object, then at the top of the file.
  std::optional<bool> flag_anywhere(std::string_view key);
  const ConfigNode* node_anywhere(std::string_view key);

  /// Marks sizes as known without using them, e.g. num_key_value_heads beside a latent cache.
  void ignore(std::initializer_list<std::string_view> names);

  void problem(std::string_view key, const std::string& text);
  void note(std::string text) { notes_.push_back(std::move(text)); }
  const std::vector<std::string>& notes() const { return notes_; }
  const std::vector<KeySource>& sources() const { return sources_; }
  Problems& problems() { return *problems_; }

  /// Makes a problem of every key that reads like a size and was never asked for, in every object that was looked into,
  /// and a note of sizes of the table that this family has no use for.
  void refuse_unknown_sizes();

 private:
  struct Place {
    ObjectReader* reader = nullptr;
    std::string_view key;
  };
  Place place(std::string_view dotted_key);
  const ConfigNode* locate(std::string_view dotted_key) const;
  ObjectReader& reader_of(std::string_view object_path, const ConfigNode& node);
  void refuse_in(ObjectReader& reader);
  void note_outer_sizes(const ObjectReader& reader);
  void record(std::string_view name, std::string_view key, std::int64_t value);

  const ConfigNode* root_;
  const ConfigNode* text_;
  std::string text_path_;
  Problems* problems_;
  std::map<std::string, ObjectReader, std::less<>>
      readers_;  ///< by path within the text model's object; "^" is the top
  std::vector<KeySource> sources_;
  std::vector<std::string> notes_;
};

}  // namespace waferline::models
