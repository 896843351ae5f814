// Families in the line of GPT-2: LayerNorm, plain feed-forward blocks, often one norm for both or learned positions.
#include "models/families/lists.hpp"

namespace waferline::models {
namespace {

constexpr Switch kAlways{nullptr, true};
constexpr Switch kNever{nullptr, false};
constexpr AttentionTraits biased() {
  return {.qkv_bias = kAlways, .out_bias = kAlways};
}

}  // namespace

void add_gpt_like(std::vector<Family>& out) {
  const FfnTraits plain{.gated = false, .bias = kAlways};
  const NormTraits two{.per_layer = 2, .layer_norm = true, .bias = kAlways};
  const NormTraits one{.per_layer = 1, .layer_norm = true, .bias = kAlways};
  out.push_back({.name = "gpt2",
                 .model_types = {"gpt2"},
                 .attention = biased(),
                 .ffn = plain,
                 .norms = two,
                 .tied = true,
                 .positions = true,
                 .layer_prefix = "transformer.h"});
  out.push_back({.name = "starcoder2",
                 .model_types = {"starcoder2"},
                 .attention = {.qkv_bias = {"use_bias", true}, .out_bias = {"use_bias", true}},
                 .ffn = {.gated = false, .bias = {"use_bias", true}},
                 .norms = two,
                 .tied = true});
  out.push_back({.name = "gptj",
                 .model_types = {"gptj"},
                 .attention = {.qkv_bias = kNever, .out_bias = kNever},
                 .ffn = plain,
                 .norms = one,
                 .head_bias = kAlways,
                 .layer_prefix = "transformer.h"});
  out.push_back({.name = "phi",
                 .model_types = {"phi", "phi-msft"},
                 .attention = biased(),
                 .ffn = plain,
                 .norms = one,
                 .head_bias = kAlways});
  out.push_back({.name = "gpt_neox",
                 .model_types = {"gpt_neox"},
                 .attention = {.qkv_bias = {"attention_bias", true}, .out_bias = {"attention_bias", true}},
                 .ffn = plain,
                 .norms = two,
                 .layer_prefix = "gpt_neox.layers"});
  out.push_back({.name = "bloom",
                 .model_types = {"bloom"},
                 .attention = biased(),
                 .ffn = plain,
                 .norms = two,
                 .tied = true,
                 .embedding_norm = true,
                 .layer_prefix = "transformer.h"});
  out.push_back({.name = "opt",
                 .model_types = {"opt"},
                 .attention = {.qkv_bias = {"enable_bias", true}, .out_bias = {"enable_bias", true}},
                 .ffn = {.gated = false, .bias = {"enable_bias", true}},
                 .norms = two,
                 .tied = true,
                 .positions = true,
                 .extra_positions = 2,
                 .layer_prefix = "model.decoder.layers"});
  out.push_back(
      {.name = "stablelm",
       .model_types = {"stablelm", "stablelm_epoch"},
       .attention = {.qkv_bias = {"use_qkv_bias", false},
                     .out_bias = kNever,
                     .qk_norm = QkNorm::per_each_head,
                     .qk_norm_on = {"qk_layernorm", false}},
       .norms = {.per_layer = 2, .layer_norm = true, .bias = kAlways, .one_if = {"use_parallel_residual", false}}});
  out.push_back({.name = "nemotron",
                 .model_types = {"nemotron"},
                 .ffn = {.gated = false, .bias = {"mlp_bias", false}},
                 .norms = two});
}

}  // namespace waferline::models
