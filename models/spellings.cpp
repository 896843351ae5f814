#include "models/spellings.hpp"

#include <algorithm>
#include <cassert>

namespace waferline::models {
namespace {

constexpr std::int64_t kWidth = 1 << 20;  // widths and ranks
constexpr std::int64_t kHeads = 1 << 16;  // heads, experts, groups
constexpr std::int64_t kFfn = 1 << 22;    // inner widths
constexpr std::int64_t kContext = std::int64_t{1} << 40;

const std::vector<Spelling> kTable{
    {"num_hidden_layers",
     1,
     4096,
     {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_transformer_layers"}},
    {"hidden_size", 1, kWidth, {"hidden_size", "n_embd", "n_embed", "d_model", "model_dim", "dim"}},
    {"vocab_size", 1, 1 << 26, {"padded_vocab_size", "vocab_size"}, true},
    {"num_attention_heads", 1, kHeads, {"num_attention_heads", "n_head", "n_heads", "num_heads"}},
    {"num_key_value_heads",
     1,
     kHeads,
     {"num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads", "multi_query_group_num", "num_attention_groups",
      "attn_config.kv_n_heads"}},
    {"head_dim", 0, kHeads, {"head_dim", "kv_channels", "attention_head_dim", "hidden_size_per_head"}},
    {"v_head_dim", 0, kHeads, {"v_head_dim"}},
    {"swa_num_attention_heads", 1, kHeads, {"swa_num_attention_heads"}},
    {"swa_num_key_value_heads", 1, kHeads, {"swa_num_key_value_heads"}},
    {"swa_head_dim", 1, kHeads, {"swa_head_dim"}},
    {"swa_v_head_dim", 1, kHeads, {"swa_v_head_dim"}},
    {"global_head_dim", 0, kHeads, {"global_head_dim"}},
    {"num_global_key_value_heads", 1, kHeads, {"num_global_key_value_heads"}},
    {"intermediate_size",
     1,
     kFfn,
     {"intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size", "ffn_config.ffn_hidden_size", "inter_dim"}},
    {"intermediate_size_mlp", 1, kFfn, {"intermediate_size_mlp"}},
    {"expansion_ratio", 1, 1024, {"expansion_ratio"}},
    {"multiple_of", 1, kFfn, {"multiple_of"}},
    {"num_experts",
     0,
     kHeads,
     {"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts", "ffn_config.moe_num_experts"}},
    {"num_experts_per_tok",
     0,
     kHeads,
     {"num_experts_per_tok", "num_experts_per_token", "experts_per_token", "top_k_experts", "moe_k", "moe_topk",
      "moe_top_k", "ffn_config.moe_top_k", "n_activated_experts"}},
    {"moe_intermediate_size",
     1,
     kFfn,
     {"moe_intermediate_size", "expert_ffn_hidden_size", "expert_intermediate_size", "moe_inter_dim"}},
    {"n_shared_experts", 0, kHeads, {"n_shared_experts", "num_shared_experts", "moe_num_shared_experts"}},
    {"shared_expert_intermediate_size",
     0,
     kFfn,
     {"shared_expert_intermediate_size", "shared_intermediate_size", "moe_shared_expert_intermediate_size",
      "share_expert_dim"}},
    {"moe_latent_size", 0, kWidth, {"moe_latent_size"}},
    {"zero_expert_num", 0, kHeads, {"zero_expert_num"}},
    {"first_k_dense_replace", 0, 4096, {"first_k_dense_replace", "n_dense_layers"}},
    {"decoder_sparse_step", 0, 4096, {"decoder_sparse_step"}},
    {"interleave_moe_layer_step", 0, 4096, {"interleave_moe_layer_step"}},
    {"moe_layer_start_index", 0, 4096, {"moe_layer_start_index"}},
    {"moe_layer_end_index", -1, 4096, {"moe_layer_end_index"}},
    {"moe_layer_interval", 1, 4096, {"moe_layer_interval"}},
    {"expert_layer_period", 1, 4096, {"expert_layer_period"}},
    {"expert_layer_offset", 0, 4096, {"expert_layer_offset"}},
    {"attn_layer_period", 1, 4096, {"attn_layer_period"}},
    {"attn_layer_offset", 0, 4096, {"attn_layer_offset"}},
    {"full_attention_interval", 1, 4096, {"full_attention_interval"}},
    {"sliding_window", -1, kContext, {"sliding_window", "sliding_window_size"}},
    {"sliding_window_pattern", 1, 4096, {"sliding_window_pattern", "_sliding_window_pattern", "layer_switch"}},
    {"attention_chunk_size", 1, kContext, {"attention_chunk_size"}},
    {"max_window_layers", 0, 4096, {"max_window_layers"}},
    {"nope_layer_interval", 0, 4096, {"nope_layer_interval", "no_rope_layer_interval"}},
    {"max_position_embeddings",
     1,
     kContext,
     {"max_position_embeddings", "max_position_embedding", "n_positions", "max_seq_len", "n_ctx", "seq_length",
      "model_max_length", "max_context_length"},
     true},
    {"q_lora_rank", 0, kWidth, {"q_lora_rank"}},
    {"kv_lora_rank", 0, kWidth, {"kv_lora_rank"}},
    {"qk_nope_head_dim", 0, kHeads, {"qk_nope_head_dim"}},
    {"qk_rope_head_dim", 0, kHeads, {"qk_rope_head_dim"}},
    {"qk_head_dim", 0, kHeads, {"qk_head_dim"}},
    {"share_q_dim", 1, kWidth, {"share_q_dim"}},
    {"index_n_heads", 0, kHeads, {"index_n_heads"}},
    {"index_head_dim", 0, kHeads, {"index_head_dim"}},
    {"index_topk", 0, kContext, {"index_topk"}},
    {"num_kv_shared_layers", 0, 4096, {"num_kv_shared_layers"}},
    {"num_nextn_predict_layers", 0, 64, {"num_nextn_predict_layers", "mtp_num_hidden_layers"}},
    {"num_mtp_modules", 0, 64, {"num_mtp_modules"}},
    {"mtp_transformer_layers", 0, 64, {"mtp_transformer_layers"}},
    {"linear_num_key_heads", 1, kHeads, {"linear_num_key_heads"}},
    {"linear_num_value_heads", 1, kHeads, {"linear_num_value_heads"}},
    {"linear_key_head_dim", 1, kHeads, {"linear_key_head_dim"}},
    {"linear_value_head_dim", 1, kHeads, {"linear_value_head_dim"}},
    {"conv_kernel", 1, 1024, {"conv_kernel", "linear_conv_kernel_dim", "mamba_d_conv"}},
    {"ssm_state_size", 1, kHeads, {"ssm_state_size", "mamba_d_state"}},
    {"n_groups", 1, kHeads, {"n_groups", "mamba_n_groups"}},
    {"mamba_num_heads", 1, kHeads, {"mamba_num_heads", "mamba_n_heads"}},
    {"mamba_head_dim", 1, kHeads, {"mamba_head_dim", "mamba_d_head"}},
    {"mamba_expand", 1, 1024, {"mamba_expand", "expand"}},
    {"mamba_dt_rank", 1, kWidth, {"mamba_dt_rank", "time_step_rank"}},
    {"hidden_size_per_layer_input", 0, kWidth, {"hidden_size_per_layer_input"}},
    {"vocab_size_per_layer_input", 1, 1 << 26, {"vocab_size_per_layer_input"}},
    {"laurel_rank", 1, kWidth, {"laurel_rank"}},
    {"altup_num_inputs", 1, 64, {"altup_num_inputs"}},
    {"ffn_dim_divisor", 1, kFfn, {"ffn_dim_divisor"}},
    {"word_embed_proj_dim", 1, kWidth, {"word_embed_proj_dim"}},
};

}  // namespace

const std::vector<Spelling>& spellings() {
  return kTable;
}

const Spelling& spelling(std::string_view name) {
  const std::vector<Spelling>& table = spellings();
  const auto row = std::find_if(table.begin(), table.end(), [&](const Spelling& s) { return s.name == name; });
  assert(row != table.end() && "a size that is not in the spelling table");
  return *row;
}

bool is_size_key(std::string_view key) {
  return std::any_of(spellings().begin(), spellings().end(),
                     [&](const Spelling& s) { return std::find(s.keys.begin(), s.keys.end(), key) != s.keys.end(); });
}

}  // namespace waferline::models
