#include "models/families/lists.hpp"

namespace waferline::models {

const std::vector<Family>& families() {
  static const std::vector<Family> kFamilies = [] {
    std::vector<Family> all;
    add_llama_like(all);
    add_gemma_like(all);
    add_expert_families(all);
    add_gpt_like(all);
    add_hybrid_families(all);
    add_late_gemma(all);
    add_nemotron(all);
    add_odd_families(all);
    return all;
  }();
  return kFamilies;
}

const std::vector<Refusal>& refusals() {
  static const std::vector<Refusal> kRefusals{
      {"deepseek_v4", "DeepSeek-V4: compressed attention and hyper-connections are not modelled"},
      {"deepseek_ref", "DeepSeek-V4: compressed attention and hyper-connections are not modelled"},
      {"kimi_k3", "Kimi K3: Kimi delta attention is not modelled"},
      {"kimi_linear", "Kimi-Linear: Kimi delta attention is not modelled"},
      {"minimax_m3", "MiniMax M3: block-sparse attention is not modelled"},
      {"step3p5", "Step 3.5 and later are not modelled"},
      {"step3p7", "Step 3.7: its attention is not modelled"},
      {"granitemoehybrid", "Granite 4 hybrid: no public Mamba geometry to check against"},
      {"mamba", "Mamba without attention is not modelled"},
      {"mamba2", "Mamba without attention is not modelled"},
      {"falcon_mamba", "Mamba without attention is not modelled"},
      {"zamba", "shared attention between Mamba layers is not modelled"},
      {"zamba2", "shared attention between Mamba layers is not modelled"},
      {"rwkv", "RWKV is not modelled"},
      {"rwkv5", "RWKV is not modelled"},
      {"rwkv6", "RWKV is not modelled"},
      {"rwkv7", "RWKV is not modelled"},
      {"hunyuan", "Hunyuan: cross-layer attention is not modelled"},
      {"hunyuan_v1_dense", "Hunyuan: cross-layer attention is not modelled"},
      {"hunyuan_v1_moe", "Hunyuan: cross-layer attention is not modelled"},
      {"exaone4", "EXAONE 4 is not modelled"},
      {"lfm2", "LFM2: short convolutions are not modelled"},
      {"lfm2_moe", "LFM2: short convolutions are not modelled"}};
  return kRefusals;
}

}  // namespace waferline::models
