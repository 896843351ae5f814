#pragma once
// One record per layer: what a decode step computes there, with every size. Layers are never one record times L,
// because in most families since 2024 they differ, and placement cares.

#include <cstdint>
#include <string>
#include <vector>

#include "models/stored_type.hpp"

namespace waferline::models {

/// What mixes information across positions.
enum class MixerKind {
  none,               ///< block without a mixer (pruned attention, FFN-only block)
  full_attention,     ///< softmax attention over the whole context
  sliding_attention,  ///< softmax attention over the last `window` positions
  chunked_attention,  ///< softmax attention within chunks of `window` positions (Llama 4)
  mla,                ///< multi-head latent attention (DeepSeek V2 and later), one latent vector per position
  gated_delta_net,    ///< linear attention with a matrix state per head (Qwen3-Next, Qwen3.5)
  lightning,          ///< linear attention with a matrix state per head (MiniMax M1)
  mamba1,             ///< selective state space, one state row per channel (Jamba)
  mamba2,             ///< state space with heads and groups (Nemotron-H)
  linear              ///< one plain d x d projection in the mixer's place (Nemotron-NAS)
};

/// One mixer. Sizes that a kind does not have are 0; no size is ever a default.
struct Mixer {
  MixerKind kind = MixerKind::none;

  // Attention (all kinds that have heads).
  std::int64_t heads = 0;       ///< query heads
  std::int64_t kv_heads = 0;    ///< key/value heads; 0 for MLA, where the latent serves all heads
  std::int64_t head_dim = 0;    ///< size of a query and key head
  std::int64_t v_head_dim = 0;  ///< size of a value head
  std::int64_t window = 0;      ///< positions attended to by sliding and chunked attention
  bool output_gate = false;     ///< query projection also yields a gate of heads x head_dim (Qwen3-Next, Qwen3.5)
  bool k_is_v = false;          ///< values are the keys, no V projection (Gemma 4 full layers)
  bool shares_kv = false;       ///< reads the cache of an earlier layer and owns none
  bool qk_norm = false;         ///< norms on queries and keys
  bool qk_norm_whole = false;   ///< that norm runs over all heads together (heads x head_dim), not over each head
  bool qkv_bias = false;        ///< biases on the query, key and value projections
  bool out_bias = false;        ///< bias on the output projection
  bool sinks = false;           ///< one learned sink logit per head (gpt-oss)
  bool rope = true;             ///< rotary embedding applied here

  // Latent attention.
  std::int64_t q_lora_rank = 0;   ///< 0: queries are not compressed (also Step 3's shared query factor)
  std::int64_t kv_lora_rank = 0;  ///< latent size c
  std::int64_t qk_nope_head_dim = 0;
  std::int64_t qk_rope_head_dim = 0;
  std::int64_t index_heads = 0;  ///< sparse-attention indexer (DeepSeek V3.2, GLM-5); 0: none
  std::int64_t index_head_dim = 0;
  std::int64_t index_topk = 0;  ///< positions attended to after the indexer's choice
  bool index_shared = false;    ///< uses the choice of an earlier layer's indexer and keeps no index keys (GLM-5.2)

  // Linear and state-space mixers.
  std::int64_t linear_key_heads = 0;
  std::int64_t linear_value_heads = 0;
  std::int64_t linear_key_head_dim = 0;
  std::int64_t linear_value_head_dim = 0;
  std::int64_t conv_kernel = 0;
  std::int64_t d_inner = 0;  ///< channels D of a state-space mixer
  std::int64_t d_state = 0;  ///< state size S per channel
  std::int64_t n_groups = 0;
  std::int64_t dt_rank = 0;

  bool operator==(const Mixer&) const = default;
};

enum class FfnKind { none, dense, moe, linear };

/// One feed-forward block.
struct Ffn {
  FfnKind kind = FfnKind::none;
  bool bias = false;       ///< biases on the dense or expert projections
  bool gated = true;       ///< three matrices (gate, up, down) instead of two
  std::int64_t width = 0;  ///< inner width of a dense block
  std::int64_t routed_experts = 0;
  std::int64_t zero_experts = 0;    ///< router outputs without weights (LongCat)
  std::int64_t active_experts = 0;  ///< routed experts per token
  std::int64_t expert_width = 0;    ///< inner width of one routed expert
  std::int64_t shared_width = 0;    ///< inner width of all shared experts together; 0: none
  bool router_bias = false;         ///< one learned bias per expert, added to the router's scores
  bool shared_gate = false;         ///< one-column gate on the shared expert (Qwen2-MoE and later)
  std::int64_t latent_size = 0;     ///< experts work on this many channels (Nemotron 3); 0: hidden_size

  bool operator==(const Ffn&) const = default;
};

/// What a weight is for; decides quantisation, traffic per token and placement.
enum class WeightRole {
  attention,    ///< projections of any mixer
  state_space,  ///< convolution, decay and other small mixer parameters
  dense_ffn,
  routed_expert,
  shared_expert,
  router,
  norm,
  bias,
  other  ///< per-layer extras (AltUp, Laurel, sinks ...)
};

/// `count` equal matrices of rows x cols (vectors have cols = 1), e.g. the gate projections of all experts of a layer.
struct Weight {
  std::string name;  ///< as in the checkpoint, without the layer prefix: "self_attn.q_proj.weight"
  WeightRole role = WeightRole::other;
  std::int64_t count = 1;
  std::int64_t rows = 0;  ///< outputs
  std::int64_t cols = 1;  ///< inputs
  StoredType stored = {};

  std::int64_t elements() const { return count * rows * cols; }
  bool operator==(const Weight&) const = default;
};

/// One layer of the decoder, in the order in which a token passes through it. Most have one mixer and one FFN; LongCat
/// has two mixers and three FFNs, Nemotron-H blocks have exactly one of either.
struct Layer {
  std::vector<Mixer> mixers;
  std::vector<Ffn> ffns;
  std::int64_t norms = 0;   ///< normalisations of width hidden_size on the token's way through this layer
  bool layer_norm = false;  ///< LayerNorm (mean and variance) instead of RMSNorm
  std::vector<Weight> weights;
};

}  // namespace waferline::models
