// Follows: docs/model.md, F40, F41 and F45; shapes of mixers after their configuration files.
#include "estimate/gpu_workload.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "models/kv.hpp"
#include "models/weights.hpp"

namespace waferline {
namespace {

using models::Mixer;
using models::MixerKind;

constexpr std::int64_t read_and_written = 2;

/// Softmax attention: what a layer reads, it keeps, unless the cache is an earlier layer's.
KvPart attention_part(const Mixer& mixer, std::int64_t context, DType dtype) {
  Mixer owner = mixer;
  owner.shares_kv = false;
  const std::int64_t tokens = models::cached_tokens(mixer, context);
  const Bytes read = tokens * packed_bytes(dtype, models::kv_elements_per_token(owner));
  return {read, mixer.shares_kv ? Bytes{0} : read, mixer.kv_heads,
          std::max<std::int64_t>(1, mixer.heads / mixer.kv_heads)};
}

/// Latent attention: one vector per position, whole on every device. An indexer reads its own keys at all positions and
/// leaves few of the latents to read.
KvPart latent_part(const Mixer& mixer, std::int64_t context, DType dtype) {
  const Bytes latent = packed_bytes(dtype, models::kv_elements_per_token(mixer));
  const Bytes index = context * packed_bytes(dtype, models::index_elements_per_token(mixer));
  const std::int64_t chosen = mixer.index_topk > 0 ? std::min(context, mixer.index_topk) : context;
  return {chosen * latent + index, context * latent + index, 0, 1};
}

/// Recurrent state: the same at any context, read and written by each step.
KvPart state_part(const Mixer& mixer) {
  const Bytes kept = packed_bytes(DType::fp32, models::state_elements(mixer));
  const std::int64_t heads = std::max({mixer.linear_value_heads, mixer.heads, std::int64_t{1}});
  return {kept * read_and_written, kept, mixer.d_inner > 0 ? mixer.d_inner : heads, 1};
}

KvPart part_of(const Mixer& mixer, std::int64_t context, DType dtype) {
  switch (mixer.kind) {
    case MixerKind::full_attention:
    case MixerKind::sliding_attention:
    case MixerKind::chunked_attention:
      return attention_part(mixer, context, dtype);
    case MixerKind::mla:
      return latent_part(mixer, context, dtype);
    case MixerKind::gated_delta_net:
    case MixerKind::lightning:
    case MixerKind::mamba1:
    case MixerKind::mamba2:
      return state_part(mixer);
    case MixerKind::none:
    case MixerKind::linear:
      break;
  }
  return {};
}

/// Multiplies and additions of attention for one query position and one cached position.
double flops_per_pair(const Mixer& mixer) {
  if (mixer.kind == MixerKind::mla)
    return 2.0 * static_cast<double>(mixer.heads * (2 * mixer.kv_lora_rank + mixer.qk_rope_head_dim));
  const bool attends = mixer.kind == MixerKind::full_attention || mixer.kind == MixerKind::sliding_attention ||
                       mixer.kind == MixerKind::chunked_attention;
  return attends ? 2.0 * static_cast<double>(mixer.heads * (mixer.head_dim + mixer.v_head_dim)) : 0.0;
}

void add_part(std::vector<KvPart>& parts, const KvPart& part) {
  if (part.read.value == 0 && part.kept.value == 0) return;
  for (KvPart& known : parts) {
    if (known.kv_heads != part.kv_heads || known.query_heads_per_kv_head != part.query_heads_per_kv_head) continue;
    known.read += part.read;
    known.kept += part.kept;
    return;
  }
  parts.push_back(part);
}

/// The layer's routed experts, with their weights taken to be alike.
RoutedExperts experts_of(const models::Layer& layer, Bytes routed) {
  for (const models::Ffn& ffn : layer.ffns) {
    if (ffn.kind != models::FfnKind::moe || ffn.routed_experts == 0) continue;
    return {1, ffn.routed_experts, ffn.active_experts, Bytes{routed.value / ffn.routed_experts}, ffn.zero_experts};
  }
  return {};
}

void add_experts(std::vector<RoutedExperts>& all, const RoutedExperts& experts) {
  if (experts.experts == 0) return;
  for (RoutedExperts& known : all) {
    if (known.experts != experts.experts || known.active != experts.active ||
        known.bytes_per_expert != experts.bytes_per_expert || known.zero_experts != experts.zero_experts)
      continue;
    known.layers += experts.layers;
    return;
  }
  all.push_back(experts);
}

struct LayerWeights {
  Bytes dense;
  Bytes routed;
  double dense_elements = 0;
  double routed_elements = 0;
};

LayerWeights weights_of(const models::Layer& layer) {
  LayerWeights weights;
  for (const models::Weight& weight : layer.weights) {
    const bool routed = weight.role == models::WeightRole::routed_expert;
    (routed ? weights.routed : weights.dense) += models::stored_bytes(weight);
    (routed ? weights.routed_elements : weights.dense_elements) += static_cast<double>(weight.elements());
  }
  return weights;
}

/// Type in which most of the layers' weights are stored.
DType commonest_type(const models::Model& model) {
  std::map<DType, double> elements;
  for (const models::Layer& layer : model.layers) {
    for (const models::Weight& weight : layer.weights)
      elements[weight.stored.dtype] += static_cast<double>(weight.elements());
  }
  DType commonest = DType::bf16;
  for (const auto& [dtype, count] : elements) {
    if (count > elements[commonest]) commonest = dtype;
  }
  return commonest;
}

/// Type in which weights meet activations, and the kernels per layer that a 4-bit one adds. Other narrow types are
/// widened to 16 bit first.
void set_multiply_type(GpuWorkload& workload, const models::Model& model) {
  constexpr std::int64_t inputs_of_a_layer = 4;  // of Q, K and V, of the output, of gate and up, of down
  const DType dtype = commonest_type(model);
  if (dtype != DType::fp8_e4m3 && dtype != DType::nvfp4) return;
  workload.multiply_type = dtype;
  if (dtype == DType::nvfp4) workload.layer_quantisations = inputs_of_a_layer;
}

}  // namespace

GpuWorkload gpu_workload(const models::Model& model, std::int64_t context_tokens) {
  if (context_tokens < 0) throw std::invalid_argument("a context has no less than 0 tokens");
  GpuWorkload workload;
  workload.name = model.name;
  workload.layers = std::ssize(model.layers);
  workload.hidden_size = model.hidden_size;
  workload.weights_read = models::stored_bytes(model.head) + models::stored_bytes(model.final_norm);
  workload.weights_kept = models::stored_bytes(model.embedding) + models::stored_bytes(model.final_norm);
  if (!model.tied_embeddings) workload.weights_kept += models::stored_bytes(model.head);
  for (const models::Layer& layer : model.layers) {
    const LayerWeights weights = weights_of(layer);
    workload.weights_read += weights.dense;
    workload.weights_kept += weights.dense + weights.routed;
    const RoutedExperts experts = experts_of(layer, weights.routed);
    add_experts(workload.experts, experts);
    workload.flops_per_token += 2 * weights.dense_elements;
    if (experts.experts > 0) {
      workload.flops_per_token += 2 * weights.routed_elements * static_cast<double>(experts.active) /
                                  static_cast<double>(experts.experts + experts.zero_experts);
    }
    for (const Mixer& mixer : layer.mixers) {
      add_part(workload.kv, part_of(mixer, context_tokens, model.kv_dtype));
      workload.flops_per_pair += flops_per_pair(mixer);
    }
  }
  set_multiply_type(workload, model);
  return workload;
}

}  // namespace waferline
