// The families whose layers are one softmax mixer and one feed-forward block: a row of traits each.
#include <array>

#include "models/families/lists.hpp"

namespace waferline::models {
namespace {

constexpr Switch kAlways{nullptr, true};
constexpr Switch kNever{nullptr, false};

}  // namespace

void add_llama_like(std::vector<Family>& out) {
  out.push_back({.name = "llama",
                 .model_types = {"llama", "mistral", "ministral", "ministral3", "mistral3", "yi", "Yi", "smollm3",
                                 "aquila", "internlm2", "granite"}});
  out.push_back({.name = "phi3", .model_types = {"phi3"}, .head_bias = {"lm_head_bias", false}});
  out.push_back({.name = "qwen",
                 .model_types = {"qwen"},
                 .attention = {.qkv_bias = kAlways, .out_bias = kNever},
                 .ffn = {.dense_width_divisor = 2},
                 .layout = {.window_ignored = true},
                 .note = "Qwen 1: biases on q, k, v whatever no_bias says"});
  out.push_back({.name = "qwen2",
                 .model_types = {"qwen2", "qwen2_vl", "qwen2_5_vl", "qwen2_vl_text", "qwen2_5_vl_text",
                                 "qwen2_5_omni_text", "qwen2_moe"},
                 .attention = {.qkv_bias = {"qkv_bias", true}, .out_bias = kNever},
                 .ffn = {.shared = SharedExperts::own_width, .shared_gate = true},
                 .note = "Qwen 2: biases on q, k, v, which no key states"});
  out.push_back({.name = "qwen3",
                 .model_types = {"qwen3", "qwen3_moe", "qwen3_vl", "qwen3_vl_text", "qwen3_vl_moe", "qwen3_vl_moe_text",
                                 "qwen3_omni_moe_text"},
                 .attention = {.qk_norm = QkNorm::per_head}});
  out.push_back({.name = "seed_oss",
                 .model_types = {"seed_oss"},
                 .attention = {.qkv_bias = {"attention_bias", true}, .out_bias = {"attention_out_bias", false}}});
  out.push_back({.name = "mimo",
                 .model_types = {"mimo"},
                 .attention = {.qkv_bias = kAlways, .out_bias = kNever},
                 .layout = {},
                 .mtp = {.stored = true}});
  out.push_back({.name = "olmo2",
                 .model_types = {"olmo2", "olmo3", "olmoe"},
                 .attention = {.qk_norm = QkNorm::whole},
                 .ffn = {.expert_width = "intermediate_size"}});
  out.push_back({.name = "chatglm",
                 .model_types = {"chatglm"},
                 .attention = {.qkv_bias = {"add_qkv_bias", false},
                               .out_bias = {"add_bias_linear", false},
                               .prefix = "self_attention"},
                 .ffn = {.bias = {"add_bias_linear", false}},
                 .layer_prefix = "transformer.encoder.layers"});
  out.push_back(
      {.name = "glm", .model_types = {"glm"}, .attention = {.qkv_bias = {"attention_bias", true}, .out_bias = kNever}});
  out.push_back({.name = "glm4",
                 .model_types = {"glm4", "glm4v", "glm4v_text"},
                 .attention = {.qkv_bias = {"attention_bias", true}, .out_bias = kNever},
                 .norms = {.per_layer = 4}});
  out.push_back(
      {.name = "baichuan", .model_types = {"baichuan"}, .attention = {.qkv_bias = kNever, .out_bias = kNever}});
  out.push_back(
      {.name = "minicpm", .model_types = {"minicpm"}, .ffn = {.expert_width = "intermediate_size"}, .tied = true});
  out.push_back(
      {.name = "ernie4_5",
       .model_types = {"ernie4_5", "ernie4_5_moe"},
       .attention = {.qkv_bias = {"use_bias", false}, .out_bias = {"use_bias", false}},
       .ffn = {.bias = {"use_bias", false}, .router_bias = RouterBias::always, .shared = SharedExperts::counted},
       .tied = true});
  out.push_back({.name = "llama2.c", .model_types = {}, .tied = true});
}

void add_gemma_like(std::vector<Family>& out) {
  out.push_back({.name = "gemma", .model_types = {"gemma"}, .tied = true});
  out.push_back({.name = "gemma2",
                 .model_types = {"gemma2"},
                 .norms = {.per_layer = 4},
                 .layout = {.full_every = 2},
                 .tied = true});
  out.push_back({.name = "gemma3",
                 .model_types = {"gemma3", "gemma3_text"},
                 .attention = {.qk_norm = QkNorm::per_head},
                 .norms = {.per_layer = 4},
                 .layout = {.full_every = 6},
                 .tied = true});
  out.push_back({.name = "cohere",
                 .model_types = {"cohere", "cohere2"},
                 .attention = {.qk_norm = QkNorm::per_each_head, .qk_norm_on = {"use_qk_norm", false}},
                 .norms = {.per_layer = 1, .layer_norm = true},
                 .layout = {.full_every = 4},
                 .tied = true});
}

void add_expert_families(std::vector<Family>& out) {
  out.push_back({.name = "mixtral",
                 .model_types = {"mixtral"},
                 .ffn = {.prefix = "block_sparse_moe", .expert_width = "intermediate_size"}});
  out.push_back({.name = "minimax_m2",
                 .model_types = {"minimax_m2"},
                 .attention = {.qk_norm = QkNorm::whole, .qk_norm_on = {"use_qk_norm", true}},
                 .ffn = {.prefix = "block_sparse_moe",
                         .expert_width = "intermediate_size",
                         .router_bias = RouterBias::by_key,
                         .shared = SharedExperts::own_width}});
  out.push_back({.name = "dbrx",
                 .model_types = {"dbrx"},
                 .attention = {.prefix = "norm_attn_norm.attn"},
                 .ffn = {.prefix = "ffn", .expert_width = "intermediate_size"},
                 .norms = {.per_layer = 2, .layer_norm = true},
                 .layer_prefix = "transformer.blocks"});
  out.push_back({.name = "phimoe",
                 .model_types = {"phimoe"},
                 .attention = {.qkv_bias = {"attention_bias", true}, .out_bias = {"attention_bias", true}},
                 .ffn = {.prefix = "block_sparse_moe", .expert_width = "intermediate_size"},
                 .norms = {.per_layer = 2, .layer_norm = true, .bias = kAlways},
                 .head_bias = {"lm_head_bias", true}});
  out.push_back(
      {.name = "gpt_oss",
       .model_types = {"gpt_oss"},
       .attention = {.qkv_bias = {"attention_bias", true}, .out_bias = {"attention_bias", true}, .sinks = true},
       .ffn = {.expert_width = "intermediate_size", .expert_bias = true},
       .layout = {.full_every = 2},
       .note = "gpt-oss: biases on every expert and on the router, and one sink logit a head, which no key states"});
  out.push_back({.name = "llama4",
                 .model_types = {"llama4", "llama4_text"},
                 .ffn = {.prefix = "feed_forward",
                         .expert_width = "intermediate_size",
                         .dense_width = "intermediate_size_mlp",
                         .shared = SharedExperts::one_expert},
                 .layout = {.nope_every_fourth = true},
                 .layer_prefix = "language_model.model.layers"});
  out.push_back({.name = "glm4_moe",
                 .model_types = {"glm4_moe", "glm4v_moe", "glm4v_moe_text"},
                 .attention = {.qkv_bias = {"attention_bias", true},
                               .out_bias = kNever,
                               .qk_norm = QkNorm::per_head,
                               .qk_norm_on = {"use_qk_norm", false}},
                 .ffn = {.router_bias = RouterBias::always, .shared = SharedExperts::counted},
                 .mtp = {.stored = true, .assumed = 1, .repeats_ends = true}});
  out.push_back({.name = "mimo_v2",
                 .model_types = {"mimo_v2_flash"},
                 .ffn = {.router_bias = RouterBias::by_method, .shared = SharedExperts::counted},
                 .note = "MiMo-V2: its multi-token-prediction layers are not modelled"});
  out.push_back({.name = "deepseek_moe",
                 .model_types = {"deepseek"},
                 .ffn = {.router_bias = RouterBias::never, .shared = SharedExperts::counted}});
  out.push_back({.name = "deepseek_v2",
                 .model_types = {"deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2", "kimi_k25", "DeepseekV3"},
                 .attention = {.qkv_bias = {"attention_bias", false}, .out_bias = {"attention_bias", false}},
                 .ffn = {.router_bias = RouterBias::by_method, .shared = SharedExperts::counted},
                 .mtp = {.stored = true, .repeats_ends = true}});
  out.push_back({.name = "glm_moe_dsa",
                 .model_types = {"glm_moe_dsa", "glm4_moe_lite"},
                 .ffn = {.router_bias = RouterBias::by_method, .shared = SharedExperts::counted},
                 .mtp = {.stored = true}});
}

}  // namespace waferline::models
