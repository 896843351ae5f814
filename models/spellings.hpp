#pragma once
// One thing, many names: the keys under which published configurations state a size, with the range in which it makes
// sense.

#include <cstdint>
#include <string_view>
#include <vector>

namespace waferline::models {

/// One size: its usual Hugging Face name, its permitted range, and every spelling met, best first.
struct Spelling {
  std::string_view name;
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  std::vector<std::string_view> keys;  ///< dotted where the value sits in a nested object: "attn_config.kv_n_heads"
  bool first_wins = false;             ///< several spellings may differ (context lengths); otherwise that is an error
};

/// The spelling table. Source: published config.json files and the parsers of inference engines.
const std::vector<Spelling>& spellings();

/// Row of that name. Precondition: it is in the table.
const Spelling& spelling(std::string_view name);

/// True if `key` is a spelling of any size in the table.
bool is_size_key(std::string_view key);

/// True if `key` is known to say nothing about sizes (token ids, training settings, generation settings ...).
bool is_irrelevant_key(std::string_view key);

/// True if `key` reads like a size: it contains a word such as "size", "dim", "layers", "heads" or "num".
bool reads_like_a_size(std::string_view key);

}  // namespace waferline::models
