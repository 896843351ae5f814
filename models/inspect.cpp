#include "models/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "arch/error.hpp"
#include "models/weights.hpp"

namespace waferline::models {
namespace {

/// Of the `count` equal matrices (and biases) of routed experts, those that one token uses.
Weight used_part(const Weight& weight, const Layer& layer) {
  Weight used = weight;
  if (weight.role != WeightRole::routed_expert && weight.role != WeightRole::bias) return used;
  for (const Ffn& ffn : layer.ffns) {
    const bool per_expert = ffn.kind == FfnKind::moe && ffn.routed_experts == weight.count;
    if (per_expert) used.count = ffn.active_experts;
  }
  return used;
}

/// Sum over everything that decoding one token reads.
template <class Value, class Of>
Value sum_read(const Model& model, Of of) {
  Value sum{};
  for (const Layer& layer : model.layers) {
    for (const Weight& weight : layer.weights) sum += of(used_part(weight, layer));
  }
  for (const Weight& weight : model.final_norm) sum += of(weight);
  for (const Weight& weight : model.head) sum += of(weight);
  return sum;
}

std::string weight_types(const Model& model) {
  std::map<DType, std::int64_t> sums;
  std::int64_t total = 0;
  const auto add = [&](const std::vector<Weight>& weights) {
    for (const Weight& weight : weights) {
      sums[weight.stored.dtype] += weight.elements();
      total += weight.elements();
    }
  };
  for (const Layer& layer : model.layers) add(layer.weights);
  for (const auto* list : {&model.final_norm, &model.embedding}) add(*list);
  if (!model.tied_embeddings) add(model.head);
  if (sums.size() == 1) return std::string(name(sums.begin()->first));
  std::vector<std::pair<std::int64_t, DType>> order;
  for (const auto& [dtype, count] : sums) order.emplace_back(-count, dtype);
  std::sort(order.begin(), order.end());
  std::string text;
  for (const auto& [count, dtype] : order) {
    text += fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ", name(dtype),
                        -100.0 * static_cast<double>(count) / static_cast<double>(total));
  }
  return text;
}

template <class Part>
std::string joined(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) text += (text.empty() ? "" : "; ") + describe(part);
  return text.empty() ? "none" : text;
}

LayerRow row_of(const Layer& layer, DType kv_dtype) {
  LayerRow row{joined(layer.mixers), joined(layer.ffns), elements(layer.weights), stored_bytes(layer.weights), Bytes{}};
  for (const Mixer& mixer : layer.mixers)
    row.kv_bytes_per_token += packed_bytes(kv_dtype, kv_elements_per_token(mixer));
  return row;
}

ActiveCounts active_counts(const Model& model) {
  ActiveCounts counts;
  const std::int64_t table = model.vocab_size * model.hidden_size;
  counts.minus_embedding = read_per_token(model);
  counts.minus_both = counts.minus_embedding - elements(model.head);
  counts.with_embedding_and_head = counts.minus_embedding + (model.tied_embeddings ? 0 : table);
  return counts;
}

Bytes checkpoint_bytes(const Model& model) {
  Bytes sum = weight_bytes(model);
  for (const Layer& layer : model.mtp_layers) sum += stored_bytes(layer.weights);
  for (const auto* list : {&model.mtp_extra, &model.vision, &model.buffers}) sum += stored_bytes(*list);
  return sum;
}

}  // namespace

std::int64_t read_elements(const Weight& weight, const Layer& layer) {
  return used_part(weight, layer).elements();
}

Bytes read_bytes(const Weight& weight, const Layer& layer) {
  return stored_bytes(used_part(weight, layer));
}

std::int64_t read_per_token(const Model& model) {
  return sum_read<std::int64_t>(model, [](const Weight& weight) { return weight.elements(); });
}

Bytes weight_bytes_per_token(const Model& model) {
  return sum_read<Bytes>(model, [](const Weight& weight) { return stored_bytes(weight); });
}

Bytes weight_bytes(const Model& model) {
  Bytes sum = stored_bytes(model.final_norm) + stored_bytes(model.embedding);
  for (const Layer& layer : model.layers) sum += stored_bytes(layer.weights);
  for (const Weight& weight : model.head) {
    if (!model.tied_embeddings || weight.role == WeightRole::bias) sum += stored_bytes(weight);
  }
  return sum;
}

Inspection inspect(const Model& as_stored, std::int64_t context_tokens, const StorageOverrides& overrides) {
  if (context_tokens < 0) throw ConfigError(fmt::format("context tokens: {} is negative", context_tokens));
  if (context_tokens > std::int64_t{1} << 40)
    throw ConfigError(fmt::format("context tokens: {} is above 2^40", context_tokens));
  const Model model = stored_as(as_stored, overrides);
  Inspection out;
  out.name = model.name;
  out.family = model.family;
  out.source_file = model.source_file;
  out.hidden_size = model.hidden_size;
  out.vocab_size = model.vocab_size;
  out.max_position_embeddings = model.max_position_embeddings;
  out.tied_embeddings = model.tied_embeddings;
  out.layers = static_cast<std::int64_t>(model.layers.size());
  out.parameters = model.parameters;
  out.read_per_token = read_per_token(model);
  out.active = active_counts(model);
  out.weight_bytes = weight_bytes(model);
  out.weight_bytes_per_token = weight_bytes_per_token(model);
  out.checkpoint_bytes = checkpoint_bytes(model);
  out.weight_types = weight_types(model);
  out.kv_type = name(model.kv_dtype);
  out.context_tokens = context_tokens;
  out.kv = kv_figures(model, context_tokens, model.kv_dtype);
  for (const Layer& layer : model.layers) out.per_layer.push_back(row_of(layer, model.kv_dtype));
  out.key_sources = model.key_sources;
  out.notes = model.notes;
  if (model.max_position_embeddings > 0 && context_tokens > model.max_position_embeddings) {
    out.notes.push_back(fmt::format("the context of {} tokens is longer than the {} that the model states",
                                    context_tokens, model.max_position_embeddings));
  }
  return out;
}

}  // namespace waferline::models
