// Follows: WaferLLM (arXiv 2502.04563), section 5 (MeshGEMM), extended to any layer and rectangle;
// docs/model/60-serving.md, F91.
#include "estimate/answer/prefill_layer.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/schedule.hpp"
#include "models/kv.hpp"

namespace waferline::estimate {
namespace {

using models::Mixer;
using models::MixerKind;
using models::Weight;
using models::WeightRole;

constexpr double activation_bytes = 2;

bool is_recurrent(const Mixer& mixer) {
  return mixer.kind == MixerKind::gated_delta_net || mixer.kind == MixerKind::lightning ||
         mixer.kind == MixerKind::mamba1 || mixer.kind == MixerKind::mamba2;
}

/// A matrix that tokens are multiplied with; tables of recurrent mixers (convolution, decay) are not.
bool is_product(const Weight& weight) {
  if (weight.cols <= 1 || weight.role == WeightRole::norm || weight.role == WeightRole::bias) return false;
  return weight.name.find("conv") == std::string::npos && weight.name.find("A_log") == std::string::npos;
}

double ceiling(std::int64_t amount, std::int64_t over) {
  return static_cast<double>(ceil_div(amount, over));
}

/// One matrix product: every token of the chunk with a matrix of `inner` inputs and `outer` outputs.
struct Product {
  std::int64_t inner = 0;
  std::int64_t outer = 0;
  double copies = 1;        ///< matrices that a PE's tokens meet one after the other (experts)
  double moved_copies = 1;  ///< matrices that pass in each rotation
  double length = 1;        ///< tokens of a PE in each vector instruction
  double block_bytes = 0;   ///< of one matrix, moved in each rotation
  bool widened = false;
};

class Sum {
 public:
  Sum(Extent extent, Axis token_axis, const PrefillRates& rates)
      : tokens_over_(extent.along(token_axis)), channels_over_(extent.along(other(token_axis))), rates_(rates) {}

  std::int64_t tokens_of_a_pe(std::int64_t tokens) const { return ceil_div(tokens, tokens_over_); }
  std::int64_t steps() const { return std::max(tokens_over_, channels_over_); }
  std::int64_t channels_over() const { return channels_over_; }

  /// F91: in each of `steps` rotations every PE multiplies its tokens with the block that is with it.
  void add(const Product& product) {
    const auto rotations = static_cast<double>(steps());
    const double block = ceiling(product.inner, steps()) * ceiling(product.outer, channels_over_);
    const double instructions = rotations * product.copies * block;
    const double work = std::ceil(product.length / rates_.macs_per_cycle);
    const double widening = product.widened ? instructions * rates_.dequantise_cycles : 0;
    layer_.instructions += instructions;
    layer_.rotations += rotations;
    layer_.arithmetic_cycles += instructions * work;
    layer_.overhead_cycles += instructions * rates_.instruction_cycles + rotations * rates_.rotation_cycles;
    layer_.widening_cycles += widening;
    // The matrix moves along one axis, the tokens along the other, both at once.
    const double tokens_bytes = product.length * product.copies * ceiling(product.inner, steps()) * activation_bytes;
    const double moved = std::max(product.moved_copies * product.block_bytes, tokens_bytes);
    const double hidden = instructions * (rates_.instruction_cycles + work) + widening;
    layer_.payload_cycles += std::max(0.0, rotations * moved / rates_.link_bytes_per_cycle - hidden);
  }

  void add_matrix(const Weight& weight, std::int64_t tokens) {
    Product product;
    product.inner = weight.cols;
    product.outer = weight.rows * weight.count;
    product.length = static_cast<double>(tokens_of_a_pe(tokens));
    product.widened = bits_per_element(weight.stored.dtype) <= 8;
    product.block_bytes = block_bytes(weight, weight.rows * weight.count);
    add(product);
  }

  /// The tokens of a PE choose experts independently; each chosen one is a matrix of its own, and all that any token
  /// of the chunk chose pass by.
  void add_experts(const Weight& weight, const models::Ffn& ffn, std::int64_t tokens) {
    const double choices = static_cast<double>(ffn.routed_experts + ffn.zero_experts);
    const double share = static_cast<double>(ffn.active_experts) / choices;
    const auto all = static_cast<double>(ffn.routed_experts);
    const auto of_a_pe = static_cast<double>(tokens_of_a_pe(tokens));
    Product product;
    product.inner = weight.cols;
    product.outer = weight.rows * weight.count / ffn.routed_experts;
    product.copies = all * (1 - std::pow(1 - share, of_a_pe));
    product.moved_copies = all * (1 - std::pow(1 - share, static_cast<double>(tokens)));
    product.length = of_a_pe * share * all / product.copies;
    product.widened = bits_per_element(weight.stored.dtype) <= 8;
    product.block_bytes = block_bytes(weight, product.outer);
    add(product);
  }

  void add_attention(const Mixer& mixer, PromptChunk chunk, DType kv_dtype) {
    const std::int64_t positions = attended_positions(mixer, chunk);
    const auto of_a_pe = static_cast<double>(tokens_of_a_pe(chunk.tokens));
    const auto cache_block = [&](std::int64_t channels) {
      return ceiling(channels, steps()) * ceiling(positions, channels_over_) * bits_per_element(kv_dtype) / 8.0;
    };
    const std::int64_t kv_heads = mixer.kv_heads > 0 ? mixer.kv_heads : mixer.heads;
    add({mixer.heads * mixer.head_dim, positions, 1, 1, of_a_pe, cache_block(kv_heads * mixer.head_dim), false});
    add({positions, mixer.heads * mixer.v_head_dim, 1, 1, of_a_pe, cache_block(kv_heads * mixer.v_head_dim), false});
    if (mixer.index_heads > 0 && !mixer.index_shared) {
      const std::int64_t channels = mixer.index_heads * mixer.index_head_dim;
      add({channels, chunk.before + chunk.tokens, 1, 1, of_a_pe, cache_block(mixer.index_head_dim), false});
    }
    // Maximum, exponential, sum and division of each row of scores.
    constexpr double passes = 4;
    const double row = ceiling(positions, channels_over_);
    const double rows = static_cast<double>(mixer.heads) * of_a_pe;
    layer_.softmax_cycles += rows * (row * rates_.exponential_cycles +
                                     passes * (rates_.instruction_cycles + std::ceil(row / rates_.macs_per_cycle)));
  }

  /// Decay, update and reading of the state for each token.
  void add_state(const Mixer& mixer, std::int64_t tokens) {
    constexpr double passes = 3;
    const double elements = ceiling(models::state_elements(mixer), tokens_over_ * channels_over_);
    layer_.state_cycles += static_cast<double>(tokens) * passes *
                           (rates_.instruction_cycles + std::ceil(elements / rates_.macs_per_cycle));
  }

  const LayerPrefill& layer() const { return layer_; }

 private:
  double block_bytes(const Weight& weight, std::int64_t outer) const {
    const Bytes bytes =
        kernels::stored_bytes(weight.stored, ceil_div(outer, channels_over_), ceil_div(weight.cols, steps()));
    return static_cast<double>(bytes.value);
  }

  std::int64_t tokens_over_;
  std::int64_t channels_over_;
  const PrefillRates& rates_;
  LayerPrefill layer_;
};

const models::Ffn* experts_of(const models::Layer& layer) {
  for (const models::Ffn& ffn : layer.ffns) {
    if (ffn.kind == models::FfnKind::moe && ffn.routed_experts > 0) return &ffn;
  }
  return nullptr;
}

LayerPrefill along(Axis token_axis, const models::Layer& layer, DType kv_dtype, Extent extent, PromptChunk chunk,
                   const PrefillRates& rates) {
  Sum sum(extent, token_axis, rates);
  const models::Ffn* experts = experts_of(layer);
  for (const Weight& weight : layer.weights) {
    if (!is_product(weight)) continue;
    if (weight.role == WeightRole::routed_expert && experts != nullptr) {
      sum.add_experts(weight, *experts, chunk.tokens);
    } else {
      // Keys and values of cached latents are made anew.
      const bool latent = weight.name.find("kv_b_proj") != std::string::npos;
      sum.add_matrix(weight, chunk.tokens + (latent ? chunk.before : 0));
    }
  }
  for (const Mixer& mixer : layer.mixers) {
    if (is_recurrent(mixer)) {
      sum.add_state(mixer, chunk.tokens);
    } else if (mixer.kind != MixerKind::none && mixer.kind != MixerKind::linear) {
      sum.add_attention(mixer, chunk, kv_dtype);
    }
  }
  return sum.layer();
}

/// Outputs of the layer's widest matrix; of experts, those that a token meets.
std::int64_t widest_result(const models::Layer& layer, std::int64_t hidden_size) {
  const models::Ffn* experts = experts_of(layer);
  std::int64_t widest = hidden_size;
  for (const Weight& weight : layer.weights) {
    if (!is_product(weight)) continue;
    std::int64_t outputs = weight.rows * weight.count;
    if (weight.role == WeightRole::routed_expert && experts != nullptr) {
      outputs = outputs / experts->routed_experts * experts->active_experts;
    }
    widest = std::max(widest, outputs);
  }
  return widest;
}

}  // namespace

Sourced<Cycles> prefill_instruction_overhead() {
  Provenance provenance{ProvenanceKind::fitted, "WaferLLM (OSDI 2025), Table 3, cycles of a layer",
                        "kernel on WSE-2; band: each model and each grid left out of the fit in turn", 12, 2};
  return {Cycles{4.83034}, Band<Cycles>{Cycles{4.71888}, Cycles{4.96816}}, std::move(provenance)};
}

Sourced<Cycles> prefill_rotation_overhead() {
  Sourced<Cycles> overhead = prefill_instruction_overhead();
  overhead.value = Cycles{382.402};
  overhead.band = Band<Cycles>{Cycles{363.257}, Cycles{449.018}};
  return overhead;
}

PrefillRates prefill_rates(const Wafer& wafer, const SoftwareProfile& software) {
  PrefillRates rates;
  rates.macs_per_cycle = wafer.pe.fp16_macs_per_cycle.value;
  rates.instruction_cycles = prefill_instruction_overhead().value.value;
  rates.rotation_cycles = prefill_rotation_overhead().value.value;
  rates.exponential_cycles = software.exponential_per_element.value.value;
  rates.dequantise_cycles = software.dequantise_per_element.value.value;
  rates.link_bytes_per_cycle = wafer.fabric.link.value.value;
  return rates;
}

std::int64_t attended_positions(const Mixer& mixer, PromptChunk chunk) {
  std::int64_t positions = chunk.before + chunk.tokens;
  if (models::is_windowed(mixer)) positions = std::min(positions, mixer.window + chunk.tokens);
  if (mixer.index_topk > 0) positions = std::min(positions, mixer.index_topk);
  return positions;
}

LayerPrefill prefill_layer(const models::Layer& layer, DType kv_dtype, Extent extent, PromptChunk chunk,
                           const PrefillRates& rates) {
  const LayerPrefill rows = along(Axis::y, layer, kv_dtype, extent, chunk, rates);
  const LayerPrefill cols = along(Axis::x, layer, kv_dtype, extent, chunk, rates);
  return cols.total() < rows.total() ? cols : rows;
}

Bytes prefill_buffers(const models::Layer& layer, std::int64_t hidden_size, Extent extent, PromptChunk chunk) {
  std::int64_t positions = 0;
  for (const Mixer& mixer : layer.mixers) {
    if (mixer.heads > 0) positions = std::max(positions, attended_positions(mixer, chunk));
  }
  const auto bytes = [&](std::int64_t tokens_over, std::int64_t channels_over) {
    const std::int64_t channels = 2 * ceil_div(hidden_size, channels_over) +
                                  2 * ceil_div(widest_result(layer, hidden_size), channels_over) +
                                  ceil_div(positions, channels_over);
    return ceil_div(chunk.tokens, tokens_over) * channels * static_cast<std::int64_t>(activation_bytes);
  };
  return Bytes{std::max(bytes(extent.rows, extent.cols), bytes(extent.cols, extent.rows))};
}

}  // namespace waferline::estimate
