#include "models/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace waferline::models {

std::optional<std::vector<std::int64_t>> per_layer_integers(Keys& keys, std::string_view key, std::int64_t layers,
                                                            IntegerRange range) {
  const ConfigNode* value = keys.node(key);
  if (value == nullptr || value->array() == nullptr || value->array()->empty()) return std::nullopt;
  std::optional<std::vector<std::int64_t>> list = keys.integers(key, range);
  if (list && static_cast<std::int64_t>(list->size()) != layers) {
    keys.problem(key, fmt::format("has {} entries for {} layers", list->size(), layers));
    list->resize(static_cast<std::size_t>(layers), range.lowest);
  }
  return list;
}

namespace {

/// Window of the file, where it applies at all: absent, null, 0 and -1 mean none, and use_sliding_window may switch it
/// off.
std::optional<std::int64_t> stated_window(Keys& keys) {
  const std::optional<std::int64_t> window = keys.positive("sliding_window");
  const std::optional<bool> used = keys.flag("use_sliding_window");
  if (used && !*used) {
    if (window) keys.note(fmt::format("sliding_window = {} is switched off by use_sliding_window = false", *window));
    return std::nullopt;
  }
  return window;
}

LayerSlot windowed(MixerKind kind, std::int64_t window) {
  return {kind, window, true};
}

/// layer_types: one word a layer.
std::vector<LayerSlot> layout_from_words(Keys& keys, const std::vector<std::string>& words, std::int64_t layers,
                                         const LayoutTraits& traits) {
  if (static_cast<std::int64_t>(words.size()) != layers) {
    keys.problem("layer_types", fmt::format("has {} entries for {} layers", words.size(), layers));
    return std::vector<LayerSlot>(static_cast<std::size_t>(layers));
  }
  std::vector<LayerSlot> slots;
  for (const std::string& word : words) {
    if (word == "sliding_attention") {
      slots.push_back(windowed(MixerKind::sliding_attention, keys.size("sliding_window")));
      if (slots.back().window < 1)
        keys.problem("sliding_window", "must be positive: layer_types has sliding_attention");
    } else if (word == "chunked_attention") {
      slots.push_back(windowed(MixerKind::chunked_attention, keys.size("attention_chunk_size")));
    } else if (word == "linear_attention") {
      slots.push_back({traits.linear_kind, 0, false});
    } else if (word == "full_attention" || word == "attention" || word == "deepseek_sparse_attention") {
      slots.push_back({});
    } else {
      keys.problem("layer_types",
                   fmt::format("holds \"{}\"; known are full_attention, sliding_attention, chunked_attention, "
                               "linear_attention, attention",
                               word));
      return std::vector<LayerSlot>(static_cast<std::size_t>(layers));
    }
  }
  return slots;
}

/// A list of 0 and 1, where `marked` says what 1 is.
std::vector<LayerSlot> layout_from_marks(const std::vector<std::int64_t>& marks, LayerSlot one, LayerSlot zero) {
  std::vector<LayerSlot> slots;
  for (const std::int64_t mark : marks) slots.push_back(mark == 1 ? one : zero);
  return slots;
}

std::vector<LayerSlot> layout_from_interval(std::int64_t layers, std::int64_t interval, LayerSlot full,
                                            LayerSlot other) {
  std::vector<LayerSlot> slots;
  for (std::int64_t i = 0; i < layers; ++i) slots.push_back((i + 1) % interval == 0 ? full : other);
  return slots;
}

/// Llama 4: layers without rotation see everything, the others chunks. no_rope_layers: 1 = rotated; empty = every 4th
/// is not.
std::vector<LayerSlot> chunked_layout(Keys& keys, std::int64_t layers) {
  const std::optional<std::int64_t> chunk = keys.find("attention_chunk_size");
  const std::int64_t interval = keys.positive("nope_layer_interval").value_or(4);
  const LayerSlot full{MixerKind::full_attention, 0, false};
  const LayerSlot chunked = chunk ? windowed(MixerKind::chunked_attention, *chunk) : LayerSlot{};
  if (const auto rotated = per_layer_integers(keys, "no_rope_layers", layers, {0, 1})) {
    return layout_from_marks(*rotated, chunked, full);
  }
  keys.note(fmt::format(
      "no_rope_layers is absent or empty: every {}th layer is without rotation and attends to everything", interval));
  return layout_from_interval(layers, interval, full, chunked);
}

/// One window for all layers, from max_window_layers on where that is given (Qwen: the first layers stay full).
std::vector<LayerSlot> uniform_layout(Keys& keys, std::int64_t layers, std::int64_t window, bool by_switch) {
  std::vector<LayerSlot> slots(static_cast<std::size_t>(layers), windowed(MixerKind::sliding_attention, window));
  const std::int64_t first = by_switch ? keys.find("max_window_layers").value_or(0) : 0;
  for (std::int64_t i = 0; i < std::min(first, layers); ++i) slots[static_cast<std::size_t>(i)] = {};
  return slots;
}

/// Layout by sliding windows alone.
std::vector<LayerSlot> window_layout(Keys& keys, std::int64_t layers, const LayoutTraits& traits) {
  const std::optional<std::int64_t> window = stated_window(keys);
  const std::optional<std::int64_t> pattern = keys.find("sliding_window_pattern");
  keys.ignore({"max_window_layers"});
  const std::vector<LayerSlot> full(static_cast<std::size_t>(layers));
  if (!window || traits.window_ignored) {
    if (window) keys.note(fmt::format("sliding_window = {} is not applied by this family", *window));
    return full;
  }
  const LayerSlot sliding = windowed(MixerKind::sliding_attention, *window);
  if (pattern) return layout_from_interval(layers, *pattern, {}, sliding);
  if (traits.full_every > 0) {
    keys.note(fmt::format("no pattern key: every {}th layer attends to everything, as the family's class has it",
                          traits.full_every));
    return layout_from_interval(layers, traits.full_every, {}, sliding);
  }
  const std::optional<std::int64_t> context = keys.find("max_position_embeddings");
  if (context && *window >= *context) {
    keys.note(fmt::format("sliding_window = {} is not below the context of {}: attention is full", *window, *context));
    return full;
  }
  return uniform_layout(keys, layers, *window, keys.has_value("use_sliding_window"));
}

/// no_rope_layers: 1 = rotated, 0 = not (SmolLM3).
void mark_rotation(Keys& keys, std::vector<LayerSlot>& slots) {
  const auto rotated = per_layer_integers(keys, "no_rope_layers", static_cast<std::int64_t>(slots.size()), {0, 1});
  keys.ignore({"nope_layer_interval"});
  for (std::size_t i = 0; rotated && i < slots.size(); ++i) slots[i].rope = slots[i].rope && (*rotated)[i] == 1;
}

std::vector<LayerSlot> kinds_of_layers(Keys& keys, std::int64_t layers, const LayoutTraits& traits) {
  const LayerSlot linear{traits.linear_kind, 0, false};
  if (const auto words = keys.strings("layer_types"); words && !words->empty()) {
    keys.ignore({"sliding_window", "sliding_window_pattern", "max_window_layers", "full_attention_interval",
                 "attention_chunk_size"});
    return layout_from_words(keys, *words, layers, traits);
  }
  if (const auto marks = per_layer_integers(keys, "hybrid_layer_pattern", layers, {0, 1})) {
    keys.note("hybrid_layer_pattern: 1 is a sliding layer, 0 a full one; attention_chunk_size is not used");
    keys.ignore({"attention_chunk_size"});
    return layout_from_marks(*marks, windowed(MixerKind::sliding_attention, keys.size("sliding_window")), {});
  }
  if (const auto marks = per_layer_integers(keys, "attn_type_list", layers, {0, 1})) {
    keys.note("attn_type_list: 1 is softmax attention, 0 linear attention");
    keys.ignore({"sliding_window"});
    return layout_from_marks(*marks, {}, linear);
  }
  if (const auto interval = keys.find("full_attention_interval"))
    return layout_from_interval(layers, *interval, {}, linear);
  if (traits.nope_every_fourth) return chunked_layout(keys, layers);
  return window_layout(keys, layers, traits);
}

}  // namespace

std::vector<LayerSlot> attention_layout(Keys& keys, std::int64_t layers, const LayoutTraits& traits) {
  std::vector<LayerSlot> slots = kinds_of_layers(keys, layers, traits);
  if (!traits.nope_every_fourth) mark_rotation(keys, slots);
  return slots;
}

}  // namespace waferline::models
