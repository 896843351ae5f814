#pragma once
// Feed-forward blocks: dense and with experts; sizes from the keys, weights from the sizes.

#include <cstdint>
#include <string>
#include <vector>

#include "models/keys.hpp"
#include "models/layer.hpp"

namespace waferline::models {

/// Where a family finds the width of its shared experts.
enum class SharedExperts {
  none,
  counted,    ///< n_shared_experts times the routed expert's width (DeepSeek, GLM, ERNIE)
  own_width,  ///< shared_expert_intermediate_size (Qwen2-MoE and later, Step 3)
  one_expert  ///< always one of the routed expert's width, and no key says so (Llama 4)
};

/// When a learned bias per expert (e_score_correction_bias, kept in fp32) stands beside the router's matrix.
enum class RouterBias {
  never,
  always,
  by_method,  ///< with topk_method "noaux_tc" or sigmoid scoring (DeepSeek V3 has it, V2 does not)
  by_key      ///< use_routing_bias (MiniMax)
};

/// What a family's feed-forward blocks have.
struct FfnTraits {
  bool gated = true;
  Switch bias{"mlp_bias", false};
  std::string prefix = "mlp";
  const char* expert_width = "moe_intermediate_size";  ///< or "intermediate_size" itself
  const char* dense_width = "intermediate_size";       ///< width of the dense layers
  std::int64_t dense_width_divisor = 1;                ///< Qwen 1 states twice the width
  RouterBias router_bias = RouterBias::never;
  bool expert_bias = false;  ///< biases on every expert's projections and on the router (gpt-oss)
  SharedExperts shared = SharedExperts::none;
  bool shared_gate = false;
};

/// A dense block. `ffn_width` is the inner width.
Ffn dense_ffn(Keys& keys, const FfnTraits& traits, std::int64_t ffn_width);

/// Inner width of the dense blocks, from the family's key; null n_inner and an absent width with an expansion ratio
/// mean the stated multiple of hidden_size.
std::int64_t dense_width(Keys& keys, const FfnTraits& traits, std::int64_t hidden_size);

/// A block with experts.
Ffn expert_ffn(Keys& keys, const FfnTraits& traits);

/// Appends the weights of a block to `out`, named under `prefix`. Model: F52 (dense), F53 (experts).
void add_ffn_weights(std::vector<Weight>& out, std::int64_t hidden_size, const Ffn& ffn, const FfnTraits& traits);

}  // namespace waferline::models
