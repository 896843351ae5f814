#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/keys.hpp"
#include "models/spellings.hpp"

namespace waferline::models {
namespace {

/// Sizes that change the weights: a family that has no use for them must not pass over them.
constexpr std::array<std::string_view, 6> kStructural{"num_experts",     "kv_lora_rank",   "n_shared_experts",
                                                      "moe_latent_size", "ssm_state_size", "zero_expert_num"};

bool is_structural(std::string_view key) {
  return std::any_of(kStructural.begin(), kStructural.end(), [&](std::string_view name) {
    const std::vector<std::string_view>& keys = spelling(name).keys;
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  });
}

bool holds_numbers(const ConfigNode& value) {
  if (const std::int64_t* number = value.integer()) return *number != 0 && *number != -1;
  const ConfigNode::Array* list = value.array();
  return list != nullptr && !list->empty() && std::all_of(list->begin(), list->end(), [](const ConfigNode& v) {
           return v.integer() != nullptr || v.real() != nullptr;
         });
}

/// A list of words as long as a stack of layers says what each layer is.
bool holds_layer_words(const ConfigNode& value) {
  const ConfigNode::Array* list = value.array();
  return list != nullptr && list->size() > 1 &&
         std::all_of(list->begin(), list->end(), [](const ConfigNode& v) { return v.string() != nullptr; });
}

/// Nested objects that describe a part of every layer: what they say must be understood.
constexpr std::array<std::string_view, 9> kLayerParts{"attn", "attention", "moe",   "ffn",   "mamba",
                                                      "ssm",  "mixer",     "layer", "expert"};

bool describes_layers(const std::string& key) {
  return std::any_of(kLayerParts.begin(), kLayerParts.end(),
                     [&](std::string_view w) { return key.find(w) != key.npos; });
}

bool looks_like_a_size(const std::string& key, const ConfigNode& value) {
  if (is_irrelevant_key(key)) return false;
  if (value.object() != nullptr) return describes_layers(key) && !value.object()->empty();
  if (reads_like_a_size(key) && (value.real() != nullptr || holds_layer_words(value))) return value.real() == nullptr;
  if (!holds_numbers(value)) return false;
  const std::int64_t* number = value.integer();
  return reads_like_a_size(key) || number == nullptr || *number > 1;
}

}  // namespace

void Keys::refuse_in(ObjectReader& reader) {
  for (const ConfigNode::Member* member : reader.unknown_members()) {
    const auto& [key, value] = *member;
    const bool unread_norm = key == "qk_layernorm" && value.boolean() != nullptr && *value.boolean();
    if (unread_norm) {
      reader.problem(key, "is true, which is not modelled for this family");
    } else if (is_size_key(key)) {
      if (!holds_numbers(value)) continue;
      if (is_structural(key)) {
        reader.problem(
            key, fmt::format("is {}, which this family has no use for: it would change the weights", value.describe()));
      } else {
        note(fmt::format("{} = {} is not used by this family", reader.path_of(key), value.describe()));
      }
    } else if (looks_like_a_size(key, value)) {
      reader.problem(key, fmt::format("is {}: unknown key that reads like a size (nothing is assumed about it)",
                                      value.describe()));
    }
  }
}

/// Sizes beside a nested text model belong to another part (a vision tower's num_hidden_layers, for one).
void Keys::note_outer_sizes(const ObjectReader& reader) {
  for (const ConfigNode::Member* member : reader.unknown_members()) {
    const auto& [key, value] = *member;
    if (!is_size_key(key) || value.integer() == nullptr) continue;
    note(fmt::format("{} = {} at the top of the file is not the text model's: {} holds its sizes", key,
                     value.describe(), text_path_));
  }
}

void Keys::refuse_unknown_sizes() {
  for (auto& [path, reader] : readers_) {
    if (path == "^") {
      note_outer_sizes(reader);
    } else if (path.empty() || text_->find(path) != nullptr) {
      refuse_in(reader);
    }
  }
}

}  // namespace waferline::models
