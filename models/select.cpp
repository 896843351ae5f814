#include "models/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace waferline::models {
namespace {

const Family* family_of_type(std::string_view model_type) {
  for (const Family& family : families()) {
    if (std::find(family.model_types.begin(), family.model_types.end(), model_type) != family.model_types.end())
      return &family;
  }
  return nullptr;
}

/// model_type of an object, "" if it has none.
std::string type_of(const ConfigNode& object) {
  const ConfigNode* type = object.find("model_type");
  return type != nullptr && type->string() != nullptr ? *type->string() : std::string();
}

[[noreturn]] void refuse(Keys& keys, std::string_view key, const std::string& text) {
  keys.problem(key, text);
  keys.problems().throw_if_any();
  std::abort();  // not reached: there is a problem
}

/// Keys that only a refused architecture has, whatever it calls itself.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRefusedKeys{{
    {"compress_ratios", "compressed attention (DeepSeek-V4) is not modelled"},
    {"linear_attn_config", "Kimi delta attention (Kimi-Linear, Kimi K3) is not modelled"},
    {"sparse_attention_config", "block-sparse attention (MiniMax M3) is not modelled"},
    {"cla_share_factor", "cross-layer attention (Hunyuan) is not modelled"},
}};

void refuse_by_key_or_name(Keys& keys, const std::string& model_type) {
  for (const Refusal& refusal : refusals()) {
    if (refusal.model_type == model_type)
      refuse(keys, "model_type", fmt::format("\"{}\": {}", model_type, refusal.reason));
  }
  for (const auto& [key, reason] : kRefusedKeys) {
    if (keys.has_value(key)) {
      refuse(keys, key,
             fmt::format("{}{}", model_type.empty() ? "" : fmt::format("model_type \"{}\": ", model_type), reason));
    }
  }
}

/// Files without model_type: DeepSeek's inference format, Meta's params.json, llama2.c.
const Family* own_format(Keys& keys) {
  const bool dims = keys.has_value("dim") && keys.has_value("n_layers") && keys.has_value("n_heads");
  if (!dims) return nullptr;
  if (keys.has_value("kv_lora_rank")) {
    keys.note("DeepSeek's own inference format, by dim, n_layers and kv_lora_rank");
    return family_named("deepseek_v2");
  }
  const bool meta = keys.has_value("norm_eps") || keys.has_value("ffn_dim_multiplier");
  keys.note(meta ? "Meta's params.json, by dim, n_layers and norm_eps" : "llama2.c file, by dim, n_layers and n_heads");
  return family_named(meta ? "llama" : "llama2.c");
}

/// A family that the keys speak for where the type alone would mislead.
const Family* corrected_by_keys(Keys& keys, const Family& family) {
  if (family.name == "glm" && keys.has_value("n_routed_experts")) {
    keys.note("model_type \"glm\" with n_routed_experts: read as glm4_moe");
    return family_named("glm4_moe");
  }
  const bool index = keys.has_value("index_n_heads");
  if (family.name == "deepseek_moe" && keys.positive("kv_lora_rank")) return family_named("deepseek_v2");
  if (index && family.name == "glm4_moe") return family_named("glm_moe_dsa");
  if (keys.positive("kv_lora_rank") && family.name == "llama" && keys.has_value("n_routed_experts")) {
    keys.note("kv_lora_rank and n_routed_experts are present: read as deepseek_v2 in spite of its model_type");
    return family_named("deepseek_v2");
  }
  return &family;
}

std::vector<std::string> all_types() {
  std::vector<std::string> types;
  for (const Family& family : families())
    types.insert(types.end(), family.model_types.begin(), family.model_types.end());
  return types;
}

[[noreturn]] void unknown_type(Keys& keys, const std::string& model_type) {
  if (model_type.empty()) {
    refuse(keys, "model_type", "is missing, and no other key says which family this is");
  }
  const std::string nearest = nearest_name(model_type, all_types());
  refuse(keys, "model_type",
         fmt::format("\"{}\" is not a known family{}", model_type,
                     nearest.empty() ? std::string() : fmt::format(" (nearest known: {})", nearest)));
}

}  // namespace

const Family* family_named(std::string_view name) {
  for (const Family& family : families()) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

const Family& select_family(Keys& keys) {
  const ConfigNode* stated = keys.text().find("model_type");
  if (stated != nullptr && stated->string() == nullptr && !stated->is_null()) {
    refuse(keys, "model_type", fmt::format("is {}, a string was expected", stated->describe()));
  }
  const std::string inner = type_of(keys.text());
  const std::string outer = type_of(keys.root());
  refuse_by_key_or_name(keys, outer);
  refuse_by_key_or_name(keys, inner);
  const std::string& type = inner.empty() ? outer : inner;
  const Family* found = family_of_type(type);
  if (found == nullptr && type.empty()) found = own_format(keys);
  if (found == nullptr && !inner.empty() && keys.nested()) unknown_type(keys, inner);
  if (found == nullptr) unknown_type(keys, type);
  const Family& family = *corrected_by_keys(keys, *found);
  const std::string latent = keys.has_value("kv_lora_rank") ? ", latent attention by kv_lora_rank" : "";
  keys.note(fmt::format("rule {}: model_type \"{}\"{}", family.name, type, latent));
  return family;
}

}  // namespace waferline::models
