#include <fmt/format.h>

#include "models/inspect.hpp"

namespace waferline::models {
namespace {

std::string grouped(const Mixer& m) {
  const std::string size = m.v_head_dim != m.head_dim && m.v_head_dim != 0
                               ? fmt::format("{}/{}", m.head_dim, m.v_head_dim)
                               : fmt::format("{}", m.head_dim);
  return fmt::format("{}/{} x {}{}", m.heads, m.kv_heads, size, m.shares_kv ? ", shared cache" : "");
}

}  // namespace

std::string describe(const Mixer& m) {
  switch (m.kind) {
    case MixerKind::none:
      return "none";
    case MixerKind::full_attention:
      return "full attention " + grouped(m);
    case MixerKind::sliding_attention:
      return fmt::format("sliding {} attention {}", m.window, grouped(m));
    case MixerKind::chunked_attention:
      return fmt::format("chunked {} attention {}", m.window, grouped(m));
    case MixerKind::mla:
      return fmt::format("latent attention {} heads, {} + {}{}", m.heads, m.kv_lora_rank, m.qk_rope_head_dim,
                         m.index_heads > 0 ? fmt::format(", indexer {} x {}", m.index_heads, m.index_head_dim) : "");
    case MixerKind::gated_delta_net:
      return fmt::format("gated DeltaNet {}/{} x {}/{}", m.linear_key_heads, m.linear_value_heads,
                         m.linear_key_head_dim, m.linear_value_head_dim);
    case MixerKind::lightning:
      return fmt::format("lightning attention {} x {}", m.heads, m.head_dim);
    case MixerKind::mamba1:
      return fmt::format("Mamba {} x {}", m.d_inner, m.d_state);
    case MixerKind::mamba2:
      return fmt::format("Mamba-2 {} heads x {}, state {}", m.heads, m.head_dim, m.d_state);
    case MixerKind::linear:
      return "linear";
  }
  return "none";
}

std::string describe(const Ffn& f) {
  if (f.kind == FfnKind::none) return "none";
  if (f.kind == FfnKind::linear) return "linear";
  if (f.kind == FfnKind::dense) return fmt::format("{} {}", f.gated ? "gated" : "plain", f.width);
  std::string text = fmt::format("{} of {} experts x {}", f.active_experts, f.routed_experts, f.expert_width);
  if (f.zero_experts > 0) text += fmt::format(" (and {} without weights)", f.zero_experts);
  if (f.latent_size > 0) text += fmt::format(" on {} channels", f.latent_size);
  if (f.shared_width > 0) text += fmt::format(" + shared {}", f.shared_width);
  return text;
}

}  // namespace waferline::models
