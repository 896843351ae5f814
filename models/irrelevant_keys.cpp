// What a configuration may hold without saying anything about sizes. Kept as data, so that a new key of no consequence
// is one more word here, and a new key of consequence stays an error until somebody models it.

#include <algorithm>
#include <sstream>
#include <string>

#include "models/spellings.hpp"

namespace waferline::models {
namespace {

/// Integers and lists about training, generation, tokens, parallelism, kernels, or a modality's preprocessing.
const char* const kExact = R"(
  architectures auto_map pretraining_tp ep_size tp_size pp_size world_size pad_to_multiple_of seed languages
  n_group topk_group n_expert_groups n_limited_groups num_expert_group num_expert_groups expert_gating_func expert_group_count
  expert_group_used_count moe_capacity moe_num_attn_experts multi_token_pred_depth
  top_k num_beams num_beam_groups num_return_sequences min_length max_length max_new_tokens no_repeat_ngram_size
  encoder_no_repeat_ngram_size chunk_size_feed_forward bad_words_ids suppress_tokens begin_suppress_tokens pruned_heads
  id2label label2id num_labels task_specific_params exponential_decay_length_penalty max_sequence_length max_batch_size
  inference_runner n_special train_batch_size gradient_checkpointing pre_seq_len quantization_bit
  original_max_position_embeddings initial_context_length num_logits_to_keep logits_to_keep tokenizer_model_max_length
  chunk_size mamba_chunk_size mamba_dt_min time_step_limit time_step_min time_step_max time_step_floor block_size
  tensor_data_layout alibi_bias_max offset_alibi full_attn_mod interpolate_factor num_gqa_groups qkv_multipliers clip_qkv
  index_topk_freq index_skip_topk_offset index_topk_pattern activation_sparsity_pattern altup_active_idx altup_coef_clip
  dim_model_base mup_denominator query_pre_attn_scalar logit_scale freq_allocation verbose fps use_cache head_dtype
  image_size image_grid_pinpoints image_seq_length video_seq_length audio_seq_length spatial_merge_size temporal_patch_size
  mm_tokens_per_image mm_hidden_size mm_vision_select_layer vision_feature_layer vision_feature_select_strategy
  vision_soft_tokens_per_image audio_soft_tokens_per_image force_image_size max_dynamic_patch min_dynamic_patch select_layer
  downsample_ratio pool_size max_pixels min_pixels position_id_per_seconds seconds_per_chunk ignore_index template ps_version
)";

/// Beginnings of keys that hold no size.
const char* const kBeginnings = R"(
  rope_ rotary_ summary_ init_ initializer_ output_ router_aux router_z moe_router_ moe_aux moe_normalize_ norm_ normalize_
  scale_ transformers unsloth_ diversity_ repetition_ forced_ torch_ typical_ vision_token image_token _
)";

/// Ends of keys that hold no size.
const char* const kEnds = R"(
  _token_id _token_ids _token_index token_idx _id _ids _dropout _pdrop _prob _eps _epsilon _std _range _coef _factor _theta
  _alpha _beta _scale _act _version _dtype _weight _type _penalty _multiplier _noise _fn _lambda _temperature _softcapping
)";

/// Words that make a key read like a size.
const char* const kSizeWords = R"(
  size dim num width rank layer head expert hidden inner ffn mlp embd embed vocab kernel state group channel block depth length
  window stride count topk latent lora pattern expand interval
)";

std::vector<std::string> words(const char* text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

struct Lists {
  std::vector<std::string> exact = words(kExact);
  std::vector<std::string> beginnings = words(kBeginnings);
  std::vector<std::string> ends = words(kEnds);
  std::vector<std::string> size_words = words(kSizeWords);
};

const Lists& lists() {
  static const Lists kLists;
  return kLists;
}

template <class Fits>
bool any(const std::vector<std::string>& list, Fits fits) {
  return std::any_of(list.begin(), list.end(), fits);
}

}  // namespace

bool is_irrelevant_key(std::string_view key) {
  return any(lists().exact, [key](const std::string& word) { return key == word; }) ||
         any(lists().beginnings, [key](const std::string& word) { return key.starts_with(word); }) ||
         any(lists().ends, [key](const std::string& word) { return key.ends_with(word); });
}

bool reads_like_a_size(std::string_view key) {
  return key.starts_with("n_") || key.starts_with("d_") ||
         any(lists().size_words, [key](const std::string& word) { return key.find(word) != key.npos; });
}

}  // namespace waferline::models
