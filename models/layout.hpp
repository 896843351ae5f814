#pragma once
// Which layer is what: attention kinds and windows, and which layers hold experts. Every rule of published
// configurations that says so by a list, a period or an index, with its polarity and base.

#include <cstdint>
#include <optional>
#include <vector>

#include "models/keys.hpp"
#include "models/layer.hpp"

namespace waferline::models {

/// Mixer kind of one layer and its window.
struct LayerSlot {
  MixerKind kind = MixerKind::full_attention;
  std::int64_t window = 0;
  bool rope = true;
};

/// What a family's class does where no key says so.
struct LayoutTraits {
  std::int64_t full_every = 0;  ///< with a window and no pattern key: every n-th layer is full (Gemma 2: 2, Gemma 3: 6)
  bool nope_every_fourth = false;  ///< Llama 4: every 4th layer is without rotation and attends to everything
  bool window_ignored = false;     ///< the class reads no window
  MixerKind linear_kind = MixerKind::gated_delta_net;  ///< what "linear_attention" and 0 in attn_type_list stand for
};

/// One slot a layer. Problems: lists of the wrong length, unknown words, windows that are missing.
std::vector<LayerSlot> attention_layout(Keys& keys, std::int64_t layers, const LayoutTraits& traits);

/// True for the layers that hold experts, by whichever rule the file states; all of them if it states none.
std::vector<bool> expert_layout(Keys& keys, std::int64_t layers);

/// A list that must hold one entry a layer; nothing if the key is absent, null or empty.
std::optional<std::vector<std::int64_t>> per_layer_integers(Keys& keys, std::string_view key, std::int64_t layers,
                                                            IntegerRange range);

}  // namespace waferline::models
