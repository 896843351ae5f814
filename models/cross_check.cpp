#include <fmt/format.h>

#include <optional>

#include <algorithm>
#include <array>
#include <charconv>

#include "models/tensor_table.hpp"
#include "models/weights.hpp"

namespace waferline::models {

std::int64_t TensorTable::elements() const {
  std::int64_t sum = 0;
  for (const ListedTensor& tensor : tensors) sum += tensor.elements;
  return sum;
}

namespace {

enum class Part { text, head_copy, prediction, vision, scales, buffers };

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != text.npos;
}

template <std::size_t N>
bool contains_any(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) { return contains(text, word); });
}

/// Number after "layers." or "blk." or "h.", -1 without one.
std::int64_t layer_number(std::string_view name) {
  for (const std::string_view before : {"layers.", "blk.", ".h."}) {
    const std::size_t at = name.find(before);
    if (at == name.npos) continue;
    std::int64_t number = -1;
    const char* begin = name.data() + at + before.size();
    if (std::from_chars(begin, name.data() + name.size(), number).ec == std::errc()) return number;
  }
  return -1;
}

Part part_of(const Model& model, std::string_view name) {
  constexpr std::array<std::string_view, 6> kVision{"vision",       "visual", "multi_modal_projector",
                                                    "mm_projector", "vit.",   "patch_merger"};
  constexpr std::array<std::string_view, 9> kScales{"_scale", "scales", "absmax",       "quant_state", "quant_map",
                                                    "qzeros", "g_idx",  "weight_shape", ".biases"};
  constexpr std::array<std::string_view, 5> kBuffers{"inv_freq", "masked_bias", "rope_freqs", "position_ids",
                                                     "attn.bias"};
  if (contains_any(name, kVision)) return Part::vision;
  if (contains_any(name, kBuffers) && !(contains(name, "attn.bias") && model.family != "gpt2")) return Part::buffers;
  if (contains_any(name, kScales) && !contains(name, "correct_output_scale") && !contains(name, "per_expert_scale") &&
      !contains(name, "router.scale"))
    return Part::scales;
  const bool beyond = layer_number(name) >= static_cast<std::int64_t>(model.layers.size());
  if (contains(name, "mtp") || (beyond && !contains(name, "block_sparse"))) return Part::prediction;
  const bool head = contains(name, "lm_head") || contains(name, "embed_out") || name == "output.weight";
  if (head && model.tied_embeddings) return Part::head_copy;
  return Part::text;
}

/// Values that one stored element holds: packed 4-bit floats stand as U8, packed integers as I32.
std::int64_t values_per_element(const Model& model, const ListedTensor& tensor) {
  int bits = 16;
  for (const auto& [role, stored] : model.stored) {
    if (role == WeightRole::routed_expert || role == WeightRole::dense_ffn || role == WeightRole::attention)
      bits = std::min(bits, bits_per_element(stored.dtype));
  }
  if (bits != 4) return 1;
  if (tensor.dtype == "U8") return 2;
  return tensor.dtype == "I32" || tensor.dtype == "U32" ? 8 : 1;
}

struct Sums {
  std::array<std::int64_t, 6> elements{};
  std::int64_t packed = 0;  ///< values beyond the stored elements
  std::int64_t& operator[](Part part) { return elements[static_cast<std::size_t>(part)]; }
};

Sums sum_parts(const Model& model, const TensorTable& table) {
  Sums sums;
  for (const ListedTensor& tensor : table.tensors) {
    const Part part = part_of(model, tensor.name);
    const std::int64_t values = part == Part::text || part == Part::prediction ? values_per_element(model, tensor) : 1;
    sums[part] += tensor.elements * values;
    sums.packed += tensor.elements * (values - 1);
  }
  return sums;
}

void compare(std::vector<std::string>& notes, std::string_view what, std::int64_t listed, std::int64_t expected,
             std::string_view why) {
  if (listed == expected) return;
  notes.push_back(fmt::format("{}the files list {} {} elements, {} were expected from the configuration ({:+}){}{}",
                              why.empty() ? "warning: " : "", listed, what, expected, listed - expected,
                              why.empty() ? "" : ": ", why));
}

}  // namespace

std::vector<std::string> cross_check(const Model& model, const TensorTable& table) {
  std::vector<std::string> notes = table.notes;
  if (!table.unread_names.empty()) {
    notes.push_back(fmt::format("{} tensors are named whose files are not there: counts were not compared",
                                table.unread_names.size()));
    if (table.stated_bytes) notes.push_back(fmt::format("the index states {} bytes of weights", *table.stated_bytes));
    return notes;
  }
  Sums sums = sum_parts(model, table);
  const ParameterCounts& counts = model.parameters;
  if (sums.packed > 0)
    notes.push_back(
        fmt::format("packed 4-bit values are listed as larger elements: {} values more than elements", sums.packed));
  compare(notes, "text-model", sums[Part::text], counts.decoder + counts.embedding + counts.head, "");
  if (sums[Part::head_copy] > 0) {
    notes.push_back(
        fmt::format("the configuration ties the head to the embedding, yet the files store it ({} elements)",
                    sums[Part::head_copy]));
  }
  compare(notes, "prediction-layer", sums[Part::prediction], counts.mtp,
          sums[Part::prediction] == 0 ? "these files hold none" : "");
  compare(notes, "vision", sums[Part::vision], counts.vision,
          sums[Part::vision] == 0 ? "these files hold no tower"
          : counts.vision == 0    ? "the tower was not counted from the configuration"
                                  : "");
  compare(notes, "scale", sums[Part::scales], counts.scales,
          sums[Part::scales] == 0
              ? "these files hold none"
              : "per-tensor scales and zero points are listed in ways that differ between quantisers");
  const bool copy_counted = sums[Part::head_copy] > 0 && counts.buffers == sums[Part::head_copy];
  if (!copy_counted)
    compare(notes, "buffer", sums[Part::buffers], counts.buffers, "buffers carry no information of their own");
  return notes;
}

}  // namespace waferline::models
