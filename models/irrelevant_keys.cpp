// What a configuration may hold without saying anything about sizes. Kept as data, so that a new key of no consequence
// is one more word here, and a new key of consequence stays an error until somebody models it.

#include <algorithm>
#include <array>

#include "models/spellings.hpp"

namespace waferline::models {
namespace {

/// Integers and lists that describe training, generation, tokens, parallelism or a modality's preprocessing.
constexpr std::array<std::string_view, 107> kExact{"architectures",
                                                   "auto_map",
                                                   "pretraining_tp",
                                                   "ep_size",
                                                   "tp_size",
                                                   "pp_size",
                                                   "pad_to_multiple_of",
                                                   "seed",
                                                   "n_group",
                                                   "topk_group",
                                                   "n_expert_groups",
                                                   "n_limited_groups",
                                                   "num_expert_group",
                                                   "top_k",
                                                   "num_beams",
                                                   "num_beam_groups",
                                                   "num_return_sequences",
                                                   "min_length",
                                                   "max_length",
                                                   "no_repeat_ngram_size",
                                                   "encoder_no_repeat_ngram_size",
                                                   "chunk_size_feed_forward",
                                                   "bad_words_ids",
                                                   "suppress_tokens",
                                                   "begin_suppress_tokens",
                                                   "pruned_heads",
                                                   "id2label",
                                                   "label2id",
                                                   "num_labels",
                                                   "task_specific_params",
                                                   "exponential_decay_length_penalty",
                                                   "rotary_dim",
                                                   "rotary_ndims",
                                                   "rotary_emb_base",
                                                   "rope_freq_constant",
                                                   "rope_max_length",
                                                   "max_new_tokens",
                                                   "original_max_position_embeddings",
                                                   "initial_context_length",
                                                   "num_logits_to_keep",
                                                   "logits_to_keep",
                                                   "chunk_size",
                                                   "mamba_chunk_size",
                                                   "vision_feature_layer",
                                                   "vision_feature_select_strategy",
                                                   "spatial_merge_size",
                                                   "mm_tokens_per_image",
                                                   "vision_soft_tokens_per_image",
                                                   "ignore_index",
                                                   "dim_model_base",
                                                   "mup_denominator",
                                                   "query_pre_attn_scalar",
                                                   "verbose",
                                                   "n_special",
                                                   "alibi_bias_max",
                                                   "offset_alibi",
                                                   "full_attn_mod",
                                                   "interpolate_factor",
                                                   "num_gqa_groups",
                                                   "qkv_multipliers",
                                                   "index_topk_freq",
                                                   "index_skip_topk_offset",
                                                   "index_topk_pattern",
                                                   "time_step_limit",
                                                   "time_step_min",
                                                   "time_step_max",
                                                   "time_step_floor",
                                                   "bos_token",
                                                   "eos_token",
                                                   "languages",
                                                   "head_dtype",
                                                   "use_cache",
                                                   "init_gain",
                                                   "max_sequence_length",
                                                   "train_batch_size",
                                                   "gradient_checkpointing",
                                                   "num_query_groups_tp",
                                                   "image_size",
                                                   "image_grid_pinpoints",
                                                   "mm_hidden_size",
                                                   "mm_vision_select_layer",
                                                   "pool_size",
                                                   "tokenizer_model_max_length",
                                                   "image_seq_length",
                                                   "video_seq_length",
                                                   "audio_seq_length",
                                                   "fps",
                                                   "max_pixels",
                                                   "min_pixels",
                                                   "temporal_patch_size",
                                                   "force_image_size",
                                                   "max_dynamic_patch",
                                                   "min_dynamic_patch",
                                                   "downsample_ratio",
                                                   "select_layer",
                                                   "ps_version",
                                                   "template",
                                                   "dynamic_image_size",
                                                   "use_thumbnail",
                                                   "quantization_bit",
                                                   "pre_seq_len",
                                                   "world_size",
                                                   "gguf_version",
                                                   "attn_pdrop",
                                                   "clip_qkv",
                                                   "mamba_dt_min",
                                                   "slow_but_exact_tp"};

/// Beginnings of keys that hold no size.
constexpr std::array<std::string_view, 22> kBeginnings{
    "rope_",        "rotary_",  "summary_",   "init_",       "initializer_",   "output_", "router_aux", "moe_router_",
    "transformers", "unsloth_", "diversity_", "repetition_", "forced_",        "torch_",  "typical_",   "vision_token",
    "image_token",  "scale_",   "norm_",      "normalize_",  "moe_normalize_", "_"};

/// Ends of keys that hold no size.
constexpr std::array<std::string_view, 27> kEnds{
    "_token_id", "_token_ids", "_token_index", "token_idx", "_id",   "_ids",     "_dropout",    "_pdrop", "_prob",
    "_eps",      "_epsilon",   "_std",         "_range",    "_coef", "_factor",  "_theta",      "_alpha", "_scale",
    "_act",      "_version",   "_dtype",       "_weight",   "_type", "_penalty", "_multiplier", "_noise", "_fn"};

/// Words that make a key read like a size.
constexpr std::array<std::string_view, 31> kSizeWords{
    "size",   "dim",    "num",   "width", "rank",   "layer", "head",    "expert",  "hidden",  "inner", "ffn",
    "mlp",    "embd",   "embed", "vocab", "kernel", "state", "group",   "channel", "block",   "depth", "length",
    "window", "stride", "count", "topk",  "latent", "lora",  "pattern", "expand",  "interval"};

template <std::size_t N>
bool any(const std::array<std::string_view, N>& words, bool (*fits)(std::string_view, std::string_view),
         std::string_view key) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return fits(key, word); });
}

}  // namespace

bool is_irrelevant_key(std::string_view key) {
  return std::find(kExact.begin(), kExact.end(), key) != kExact.end() ||
         any(
             kBeginnings, [](std::string_view k, std::string_view w) { return k.substr(0, w.size()) == w; }, key) ||
         any(
             kEnds,
             [](std::string_view k, std::string_view w) {
               return k.size() >= w.size() && k.substr(k.size() - w.size()) == w;
             },
             key);
}

bool reads_like_a_size(std::string_view key) {
  const bool counted = key.substr(0, 2) == "n_" || key.substr(0, 2) == "d_";
  return counted || any(
                        kSizeWords, [](std::string_view k, std::string_view w) { return k.find(w) != k.npos; }, key);
}

}  // namespace waferline::models
