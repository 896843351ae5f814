// Follows: the parameter shapes of grouped-query attention (arXiv 2305.13245) and of multi-head latent attention
// (arXiv 2405.04434, section 2.1; the indexer: DeepSeek-V3.2 report, section 2).
#include "models/attention.hpp"

#include <fmt/format.h>

#include "models/weights.hpp"

namespace waferline::models {

AttentionSizes read_attention_sizes(Keys& keys, std::int64_t hidden_size) {
  AttentionSizes sizes;
  sizes.heads = keys.size("num_attention_heads");
  const std::optional<std::int64_t> kv_heads = keys.find("num_key_value_heads");
  if (!kv_heads) keys.note("num_key_value_heads is absent or null: one KV head per query head");
  sizes.kv_heads = kv_heads.value_or(sizes.heads);
  if (sizes.kv_heads > sizes.heads || sizes.heads % sizes.kv_heads != 0) {
    keys.problem("num_key_value_heads",
                 fmt::format("{} KV heads do not divide {} query heads", sizes.kv_heads, sizes.heads));
  }
  if (const std::optional<std::int64_t> head_dim = keys.positive("head_dim")) {
    sizes.head_dim = *head_dim;
  } else if (hidden_size % sizes.heads != 0) {
    keys.problem("head_dim",
                 fmt::format("is not given, and hidden_size {} is no multiple of {} heads", hidden_size, sizes.heads));
    sizes.head_dim = 1;
  } else {
    sizes.head_dim = hidden_size / sizes.heads;
  }
  if (sizes.head_dim > 1 && sizes.head_dim % 2 != 0) {
    keys.problem("head_dim",
                 fmt::format("comes to {} (hidden_size {} over {} heads unless given), an even size was expected",
                             sizes.head_dim, hidden_size, sizes.heads));
  }
  sizes.v_head_dim = keys.positive("v_head_dim").value_or(sizes.head_dim);
  return sizes;
}

Mixer grouped_attention(Keys& keys, const AttentionSizes& sizes, const AttentionTraits& traits) {
  Mixer mixer;
  mixer.kind = MixerKind::full_attention;
  mixer.heads = sizes.heads;
  mixer.kv_heads = sizes.kv_heads;
  mixer.head_dim = sizes.head_dim;
  mixer.v_head_dim = sizes.v_head_dim;
  mixer.qkv_bias = keys.on(traits.qkv_bias);
  mixer.out_bias = keys.on(traits.out_bias);
  mixer.qk_norm = traits.qk_norm != QkNorm::none && keys.on(traits.qk_norm_on);
  mixer.qk_norm_whole = mixer.qk_norm && traits.qk_norm != QkNorm::per_head;
  mixer.sinks = traits.sinks;
  return mixer;
}

namespace {

void read_indexer(Keys& keys, Mixer& mixer) {
  const std::optional<std::int64_t> heads = keys.positive("index_n_heads");
  if (!heads) return;
  mixer.index_heads = *heads;
  mixer.index_head_dim = keys.size("index_head_dim");
  mixer.index_topk = keys.size("index_topk");
}

}  // namespace

Mixer latent_attention(Keys& keys) {
  Mixer mixer;
  mixer.kind = MixerKind::mla;
  mixer.heads = keys.size("num_attention_heads");
  mixer.q_lora_rank = keys.positive("q_lora_rank").value_or(0);
  mixer.kv_lora_rank = keys.size("kv_lora_rank");
  mixer.qk_nope_head_dim = keys.size("qk_nope_head_dim");
  mixer.qk_rope_head_dim = keys.size("qk_rope_head_dim");
  mixer.head_dim = mixer.qk_nope_head_dim + mixer.qk_rope_head_dim;
  mixer.v_head_dim = keys.size("v_head_dim");
  if (const auto stated = keys.positive("qk_head_dim"); stated && *stated != mixer.head_dim) {
    keys.problem("qk_head_dim",
                 fmt::format("is {}, but qk_nope_head_dim + qk_rope_head_dim is {}", *stated, mixer.head_dim));
  }
  if (mixer.qk_rope_head_dim < 2)
    keys.problem("qk_rope_head_dim", fmt::format("is {}, at least 2 was expected", mixer.qk_rope_head_dim));
  read_indexer(keys, mixer);
  keys.ignore({"num_key_value_heads", "head_dim"});
  return mixer;
}

namespace {

void add_latent(WeightList& weights, std::int64_t d, const Mixer& m, const std::string& at) {
  const std::int64_t query = m.heads * m.head_dim;
  if (m.q_lora_rank > 0) {
    weights.linear(at + ".q_a_proj", WeightRole::attention, m.q_lora_rank, d, m.qkv_bias);
    weights.vector(at + ".q_a_layernorm.weight", WeightRole::norm, m.q_lora_rank);
    weights.matrix(at + ".q_b_proj.weight", WeightRole::attention, query, m.q_lora_rank);
  } else {
    weights.matrix(at + ".q_proj.weight", WeightRole::attention, query, d);
  }
  weights.linear(at + ".kv_a_proj_with_mqa", WeightRole::attention, m.kv_lora_rank + m.qk_rope_head_dim, d, m.qkv_bias);
  weights.vector(at + ".kv_a_layernorm.weight", WeightRole::norm, m.kv_lora_rank);
  weights.matrix(at + ".kv_b_proj.weight", WeightRole::attention, m.heads * (m.qk_nope_head_dim + m.v_head_dim),
                 m.kv_lora_rank);
  weights.linear(at + ".o_proj", WeightRole::attention, d, m.heads * m.v_head_dim, m.out_bias);
  if (m.index_heads == 0) return;
  const std::int64_t indexer_input = m.q_lora_rank > 0 ? m.q_lora_rank : d;
  weights.matrix(at + ".indexer.wq_b.weight", WeightRole::attention, m.index_heads * m.index_head_dim, indexer_input);
  weights.matrix(at + ".indexer.wk.weight", WeightRole::attention, m.index_head_dim, d);
  weights.vector(at + ".indexer.k_norm.weight", WeightRole::norm, m.index_head_dim);
  weights.vector(at + ".indexer.k_norm.bias", WeightRole::norm, m.index_head_dim);
  weights.matrix(at + ".indexer.weights_proj.weight", WeightRole::router, m.index_heads, d);
}

void add_grouped(WeightList& weights, std::int64_t d, const Mixer& m, const std::string& at) {
  const std::int64_t query = m.heads * m.head_dim;
  weights.linear(at + ".q_proj", WeightRole::attention, m.output_gate ? 2 * query : query, d, m.qkv_bias);
  weights.linear(at + ".k_proj", WeightRole::attention, m.kv_heads * m.head_dim, d, m.qkv_bias);
  if (!m.k_is_v) weights.linear(at + ".v_proj", WeightRole::attention, m.kv_heads * m.v_head_dim, d, m.qkv_bias);
  weights.linear(at + ".o_proj", WeightRole::attention, d, m.heads * m.v_head_dim, m.out_bias);
  if (m.qk_norm) {
    weights.vector(at + ".q_norm.weight", WeightRole::norm, m.qk_norm_whole ? query : m.head_dim);
    weights.vector(at + ".k_norm.weight", WeightRole::norm, m.qk_norm_whole ? m.kv_heads * m.head_dim : m.head_dim);
  }
  if (m.sinks) weights.vector(at + ".sinks", WeightRole::other, m.heads);
}

}  // namespace

void add_attention_weights(std::vector<Weight>& out, std::int64_t hidden_size, const Mixer& mixer,
                           const std::string& prefix) {
  WeightList weights(out);
  if (mixer.kind == MixerKind::mla) {
    add_latent(weights, hidden_size, mixer, prefix);
  } else {
    add_grouped(weights, hidden_size, mixer, prefix);
  }
}

}  // namespace waferline::models
