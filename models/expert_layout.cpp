#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "models/layout.hpp"

namespace waferline::models {
namespace {

using Marks = std::vector<bool>;

Marks all_of(std::int64_t layers) {
  return Marks(static_cast<std::size_t>(layers), true);
}

void clear_first(Marks& marks, std::int64_t count) {
  for (std::int64_t i = 0; i < std::min<std::int64_t>(count, static_cast<std::int64_t>(marks.size())); ++i) {
    marks[static_cast<std::size_t>(i)] = false;
  }
}

/// The layers with those numbers (from 0).
Marks only(Keys& keys, std::string_view key, const std::vector<std::int64_t>& indices, std::int64_t layers) {
  Marks marks(static_cast<std::size_t>(layers), false);
  for (const std::int64_t index : indices) {
    if (index < layers) {
      marks[static_cast<std::size_t>(index)] = true;
    } else {
      keys.problem(key, fmt::format("names layer {}, there are {}", index, layers));
    }
  }
  return marks;
}

/// moe_layers_enum: a list, or a text with commas.
std::vector<std::int64_t> enumerated_layers(Keys& keys) {
  const ConfigNode* value = keys.node("moe_layers_enum");
  const std::string* text = value->string();
  if (text == nullptr) return keys.integers("moe_layers_enum", {0, 4095}).value_or(std::vector<std::int64_t>{});
  std::vector<std::int64_t> indices;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    std::int64_t index = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (error != std::errc() || end != word.data() + word.size() || index < 0 || index > 4095) {
      keys.problem("moe_layers_enum",
                   fmt::format("holds \"{}\", layer numbers from 0 to 4095 with commas were expected", word));
      return {};
    }
    indices.push_back(index);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return indices;
}

/// mlp_layer_types: "dense" or "sparse" a layer.
Marks from_words(Keys& keys, const std::vector<std::string>& words, std::int64_t layers) {
  Marks marks;
  for (const std::string& word : words) {
    if (word != "dense" && word != "sparse")
      keys.problem("mlp_layer_types", fmt::format("holds \"{}\"; known are dense, sparse", word));
    marks.push_back(word == "sparse");
  }
  if (static_cast<std::int64_t>(marks.size()) != layers) {
    keys.problem("mlp_layer_types", fmt::format("has {} entries for {} layers", marks.size(), layers));
    marks.resize(static_cast<std::size_t>(layers));
  }
  return marks;
}

/// first_k_dense_replace and an integer moe_layer_freq (DeepSeek): from layer k on, every freq-th layer.
Marks from_frequency(Keys& keys, std::int64_t layers) {
  Marks marks = all_of(layers);
  const std::optional<std::int64_t> first = keys.find("first_k_dense_replace");
  const ConfigNode* value = keys.node("moe_layer_freq");
  if (value != nullptr && value->array() == nullptr) {
    const std::int64_t every = keys.integer("moe_layer_freq", {1, 4096}).value_or(1);
    for (std::int64_t i = 0; i < layers; ++i) marks[static_cast<std::size_t>(i)] = i % every == 0;
  }
  clear_first(marks, first.value_or(0));
  return marks;
}

/// decoder_sparse_step and mlp_only_layers (Qwen): every step-th layer counted from 1, but not the listed ones.
Marks from_sparse_step(Keys& keys, std::int64_t layers) {
  const std::int64_t step = keys.find("decoder_sparse_step").value_or(1);
  Marks marks(static_cast<std::size_t>(layers), false);
  for (std::int64_t i = 0; i < layers; ++i) marks[static_cast<std::size_t>(i)] = step > 0 && (i + 1) % step == 0;
  for (const std::int64_t index : keys.integers("mlp_only_layers", {0, 4095}).value_or(std::vector<std::int64_t>{})) {
    if (index < layers) marks[static_cast<std::size_t>(index)] = false;
  }
  return marks;
}

/// moe_layer_start_index, moe_layer_end_index (-1: the last), moe_layer_interval (ERNIE).
Marks from_range(Keys& keys, std::int64_t layers) {
  const std::int64_t first = keys.find("moe_layer_start_index").value_or(0);
  const std::int64_t stated_last = keys.find("moe_layer_end_index").value_or(-1);
  const std::int64_t last = stated_last < 0 ? layers - 1 : stated_last;
  const std::int64_t interval = keys.find("moe_layer_interval").value_or(1);
  Marks marks(static_cast<std::size_t>(layers), false);
  for (std::int64_t i = first; i <= std::min(last, layers - 1); ++i) {
    marks[static_cast<std::size_t>(i)] = (i + 1) % interval == 0;
  }
  return marks;
}

Marks from_period(Keys& keys, std::int64_t layers) {
  const std::int64_t period = keys.size("expert_layer_period");
  const std::int64_t offset = keys.size("expert_layer_offset");
  Marks marks(static_cast<std::size_t>(layers), false);
  for (std::int64_t i = 0; i < layers; ++i) marks[static_cast<std::size_t>(i)] = i % period == offset % period;
  return marks;
}

Marks from_interleave(Keys& keys, std::int64_t layers) {
  const std::optional<std::int64_t> step = keys.positive("interleave_moe_layer_step");
  if (const auto listed = keys.integers("moe_layers", {0, 4095}); listed && !listed->empty())
    return only(keys, "moe_layers", *listed, layers);
  Marks marks(static_cast<std::size_t>(layers), false);
  for (std::int64_t i = 0; i < layers; ++i) marks[static_cast<std::size_t>(i)] = step && (i + 1) % *step == 0;
  return marks;
}

}  // namespace

std::vector<bool> expert_layout(Keys& keys, std::int64_t layers) {
  if (const auto words = keys.strings("mlp_layer_types"); words && !words->empty()) {
    keys.ignore({"first_k_dense_replace"});
    keys.node("moe_layer_freq");
    return from_words(keys, *words, layers);
  }
  if (const auto list = per_layer_integers(keys, "moe_layer_freq", layers, {0, 1})) {
    keys.ignore({"first_k_dense_replace"});
    Marks marks;
    for (const std::int64_t mark : *list) marks.push_back(mark == 1);
    return marks;
  }
  if (keys.has_value("moe_layers_enum")) return only(keys, "moe_layers_enum", enumerated_layers(keys), layers);
  if (keys.has("first_k_dense_replace") || keys.has_value("moe_layer_freq")) return from_frequency(keys, layers);
  if (keys.has("decoder_sparse_step") || keys.has_value("mlp_only_layers")) return from_sparse_step(keys, layers);
  if (keys.has("interleave_moe_layer_step") || keys.has_value("moe_layers")) return from_interleave(keys, layers);
  if (keys.has("expert_layer_period")) return from_period(keys, layers);
  if (keys.has("moe_layer_start_index")) return from_range(keys, layers);
  return all_of(layers);
}

}  // namespace waferline::models
