// Follows: grouped queries (arXiv 2305.13245); latent attention (arXiv 2405.04434, equations 1 to 13, not absorbed);
// RMSNorm (arXiv 1910.07467); LayerNorm (arXiv 1607.06450); sparsely gated experts (arXiv 1701.06538).
#include "kernels/emulate/seeded/layer_reference.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/emulate/seeded/reference_weights.hpp"
#include "kernels/reference/reference.hpp"

namespace waferline::kernels::emulate {
namespace {

using models::Ffn;
using models::FfnKind;
using models::Layer;
using models::Mixer;
using models::MixerKind;
using reference::Matrix;
using Vector = std::vector<double>;

/// One head of grouped-query attention against one cache, the newest position given apart.
struct Cached {
  Matrix keys;
  Matrix values;
};

Cached cached_head(const ReferenceWeights& w, std::int64_t copy, std::int64_t head, const Mixer& m) {
  return {w.cache("k_cache", copy, head * m.head_dim, m.head_dim),
          w.cache("v_cache", copy, head * m.v_head_dim, m.v_head_dim)};
}

void append_row(Matrix& rows, std::span<const double> row, std::int64_t most) {
  rows.values.insert(rows.values.end(), row.begin(), row.end());
  if (++rows.rows > most) {
    rows.values.erase(rows.values.begin(), rows.values.begin() + rows.cols);
    --rows.rows;
  }
}

std::span<const double> piece(const Vector& x, std::int64_t index, std::int64_t size) {
  return std::span(x).subspan(static_cast<std::size_t>(index * size), static_cast<std::size_t>(size));
}

Vector projected(const ReferenceWeights& w, const char* weight, const char* bias, const Vector& x) {
  Vector out = w.times(weight, x);
  if (w.has(bias)) reference::add(out, w.vector(bias));
  return out;
}

/// Norm and rotation of every head of a vector.
void prepare_heads(const ReferenceWeights& w, const Mixer& m, const char* norm, Vector& x) {
  if (w.has(norm)) {
    if (m.qk_norm_whole) {
      x = reference::rms_norm(x, w.vector(norm), w.epsilon());
    } else {
      reference::for_each_piece(x, m.head_dim, [&](std::span<const double> head) {
        return reference::rms_norm(head, w.vector(norm), w.epsilon());
      });
    }
  }
  if (!m.rope) return;
  reference::for_each_piece(x, m.head_dim, [&](std::span<const double> head) { return w.rotated(head); });
}

Vector attention(const ReferenceWeights& w, const Mixer& m, std::int64_t copy, const Vector& hidden) {
  Vector q = projected(w, "self_attn.q_proj.weight", "self_attn.q_proj.bias", hidden);
  Vector k = projected(w, "self_attn.k_proj.weight", "self_attn.k_proj.bias", hidden);
  Vector v = m.k_is_v ? k : projected(w, "self_attn.v_proj.weight", "self_attn.v_proj.bias", hidden);
  prepare_heads(w, m, "self_attn.q_norm.weight", q);
  prepare_heads(w, m, "self_attn.k_norm.weight", k);
  const std::int64_t group = m.heads / m.kv_heads;
  const std::int64_t positions = w.positions("k_cache");
  Vector out;
  for (std::int64_t head = 0; head < m.heads; ++head) {
    Cached cached = cached_head(w, copy, head / group, m);
    append_row(cached.keys, piece(k, head / group, m.head_dim), positions);
    append_row(cached.values, piece(v, head / group, m.v_head_dim), positions);
    const auto query = piece(q, head, m.head_dim);
    const Vector one = m.sinks
                           ? reference::attend_with_sink(query, cached.keys, cached.values, w.scale(),
                                                         w.vector("self_attn.sinks")[static_cast<std::size_t>(head)])
                           : reference::attend(query, cached.keys, cached.values, w.scale());
    out.insert(out.end(), one.begin(), one.end());
  }
  if (m.output_gate) {
    const Vector gate = projected(w, "self_attn.q_proj.weight#gate", "self_attn.q_proj.bias#gate", hidden);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] /= 1 + std::exp(-gate[i]);
  }
  return projected(w, "self_attn.o_proj.weight", "self_attn.o_proj.bias", out);
}

/// Takes the elements of one head from a vector with heads innermost, from element `first` on.
Vector take_head(const Vector& x, std::int64_t first, std::int64_t head, std::int64_t heads, std::int64_t dims) {
  Vector out;
  for (std::int64_t dim = 0; dim < dims; ++dim) out.push_back(x[static_cast<std::size_t>(first + dim * heads + head)]);
  return out;
}

/// Keys and values of every head are made from the latent of each position.
Vector latent_attention(const ReferenceWeights& w, const Mixer& m, std::int64_t copy, const Vector& hidden) {
  const bool compressed = m.q_lora_rank > 0;
  const std::int64_t nope = m.qk_nope_head_dim;
  const std::int64_t rope = m.qk_rope_head_dim;
  Vector q_nope;
  Vector q_rope;
  if (compressed) {
    Vector low = projected(w, "self_attn.q_a_proj.weight", "self_attn.q_a_proj.bias", hidden);
    low = reference::rms_norm(low, w.vector("self_attn.q_a_layernorm.weight"), w.epsilon());
    q_nope = w.times("self_attn.q_b_proj.weight", low);
    q_rope = w.times("self_attn.q_b_proj.weight#rope", low);
  } else {
    const Vector all = projected(w, "self_attn.q_proj.weight", "self_attn.q_proj.bias", hidden);
    q_nope.assign(all.begin(), all.begin() + m.heads * nope);
    q_rope.assign(all.begin() + m.heads * nope, all.end());
  }
  Vector latent = projected(w, "self_attn.kv_a_proj_with_mqa.weight", "self_attn.kv_a_proj_with_mqa.bias", hidden);
  latent = reference::rms_norm(latent, w.vector("self_attn.kv_a_layernorm.weight"), w.epsilon());
  const Vector key_rope = w.rotated(
      projected(w, "self_attn.kv_a_proj_with_mqa.weight#rope", "self_attn.kv_a_proj_with_mqa.bias#rope", hidden));
  const std::int64_t positions = w.positions("latent_cache");
  Matrix latents = w.cache("latent_cache", copy, 0, m.kv_lora_rank);
  Matrix rotated = w.cache("rope_cache", copy, 0, rope);
  append_row(latents, latent, positions);
  append_row(rotated, key_rope, positions);
  Vector values(static_cast<std::size_t>(m.heads * m.v_head_dim));
  for (std::int64_t head = 0; head < m.heads; ++head) {
    const Matrix up_key = w.matrix("self_attn.kv_b_proj.weight#k", head);    // (latent, nope)
    const Matrix up_value = w.matrix("self_attn.kv_b_proj.weight#v", head);  // (v, latent)
    Vector query = take_head(q_nope, 0, head, m.heads, nope);
    const Vector turned = w.rotated(take_head(q_rope, 0, head, m.heads, rope));
    query.insert(query.end(), turned.begin(), turned.end());
    const Matrix keys = reference::joined(reference::product(latents, up_key), rotated);
    const Matrix own_values = reference::product(latents, reference::transposed(up_value));
    const Vector one = reference::attend(query, keys, own_values, w.scale());
    for (std::int64_t dim = 0; dim < m.v_head_dim; ++dim)
      values[static_cast<std::size_t>(dim * m.heads + head)] = one[static_cast<std::size_t>(dim)];
  }
  return projected(w, "self_attn.o_proj.weight", "self_attn.o_proj.bias", values);
}

Vector activated(bool gated, const Vector& gate, const Vector& up) {
  return gated ? reference::silu_multiply(gate, up) : reference::gelu(up);
}

Vector dense_ffn(const ReferenceWeights& w, const Ffn& ffn, const Vector& x) {
  const Vector up = projected(w, "mlp.up_proj.weight", "mlp.up_proj.bias", x);
  const Vector gate = ffn.gated ? projected(w, "mlp.gate_proj.weight", "mlp.gate_proj.bias", x) : Vector{};
  return projected(w, "mlp.down_proj.weight", "mlp.down_proj.bias", activated(ffn.gated, gate, up));
}

Vector shared_expert(const ReferenceWeights& w, const Ffn& ffn, const Vector& x) {
  const Vector up = w.times("mlp.shared_expert.up_proj.weight", x);
  const Vector gate = ffn.gated ? w.times("mlp.shared_expert.gate_proj.weight", x) : Vector{};
  Vector inner = activated(ffn.gated, gate, up);
  if (ffn.shared_gate) {
    const double open = w.times("mlp.shared_expert_gate.weight", x)[0];
    for (double& value : inner) value /= 1 + std::exp(-open);
  }
  return w.times("mlp.shared_expert.down_proj.weight", inner);
}

Vector experts(const ReferenceWeights& w, const Ffn& ffn, const Vector& x) {
  const Vector logits = projected(w, "mlp.gate.weight", "mlp.gate.e_score_correction_bias", x);
  const std::vector<std::int64_t> chosen = reference::top_k(logits, ffn.active_experts);
  Vector scores;
  for (const std::int64_t expert : chosen) scores.push_back(logits[static_cast<std::size_t>(expert)]);
  const Vector gates = reference::softmax(scores);
  const bool in_latent = ffn.latent_size > 0;
  const Vector input = in_latent ? w.times("mlp.fc1_latent_proj.weight", x) : x;
  Vector out(input.size(), 0.0);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto with = [&](const char* weight, const char* bias, const Vector& from) {
      Vector to = w.times(weight, from, chosen[i]);
      if (w.has(bias)) reference::add(to, w.expert_vector(bias, chosen[i]));
      return to;
    };
    const Vector up = with("mlp.experts.up_proj.weight", "mlp.experts.up_proj.bias", input);
    const Vector gate =
        ffn.gated ? with("mlp.experts.gate_proj.weight", "mlp.experts.gate_proj.bias", input) : Vector{};
    Vector down = with("mlp.experts.down_proj.weight", "mlp.experts.down_proj.bias", activated(ffn.gated, gate, up));
    for (double& value : down) value *= gates[i];
    reference::add(out, down);
  }
  if (in_latent) out = w.times("mlp.fc2_latent_proj.weight", out);
  if (ffn.shared_width > 0) reference::add(out, shared_expert(w, ffn, x));
  return out;
}

Vector mixed(const ReferenceWeights& w, const Mixer& m, std::int64_t copy, const Vector& x) {
  switch (m.kind) {
    case MixerKind::mla:
      return latent_attention(w, m, copy, x);
    case MixerKind::gated_delta_net:
      return gated_delta_net(w, m, copy, x);
    case MixerKind::lightning:
      return lightning(w, m, copy, x);
    case MixerKind::mamba1:
      return mamba1(w, m, copy, x);
    case MixerKind::mamba2:
      return mamba2(w, m, copy, x);
    case MixerKind::linear:
      return w.times("linear.weight", x);
    default:
      return attention(w, m, copy, x);
  }
}

Vector fed_forward(const ReferenceWeights& w, const Ffn& ffn, const Vector& x) {
  if (ffn.kind == FfnKind::linear) return w.times("linear.weight", x, 0, -1);
  return ffn.kind == FfnKind::moe ? experts(w, ffn, x) : dense_ffn(w, ffn, x);
}

/// Norms of one token's way through the layer, in the order in which blocks take them.
class Norms {
 public:
  Norms(const ReferenceWeights& weights, const Layer& layer, std::int64_t blocks)
      : w_(weights), layer_norm_(layer.layer_norm), before_(layer.norms), after_(layer.norms - blocks) {}

  Vector before(const Vector& hidden) {
    if (before_-- > 0) last_ = normed("input_layernorm.weight", pre_++, hidden);
    return last_.empty() ? hidden : last_;
  }
  Vector after(const Vector& out) { return after_-- > 0 ? normed("post_norm.weight", post_++, out) : out; }

 private:
  Vector normed(const char* name, int occurrence, const Vector& x) const {
    if (!layer_norm_) return reference::rms_norm(x, w_.vector(name, occurrence), w_.epsilon());
    return reference::layer_norm(x, w_.vector(name, occurrence), w_.vector_after(name, occurrence, "norm.bias"),
                                 w_.epsilon());
  }

  const ReferenceWeights& w_;
  bool layer_norm_;
  std::int64_t before_;
  std::int64_t after_;
  int pre_ = 0;
  int post_ = 0;
  Vector last_;
};

std::string reason_against(const Layer& layer, std::int64_t context) {
  if (layer.mixers.size() > 1 || layer.ffns.size() > 1) return "a layer with several mixers or feed-forward blocks";
  for (const Mixer& m : layer.mixers) {
    if (m.shares_kv) return "attention over another layer's cache";
    if (m.kind == MixerKind::mla && m.index_heads > 0 && m.index_topk < context) return "a sparse indexer";
    if (m.kind != MixerKind::mla && m.q_lora_rank > 0) return "a shared query factor";
  }
  for (const Ffn& ffn : layer.ffns) {
    if (ffn.zero_experts > 0) return "experts without weights";
  }
  return {};
}

}  // namespace

std::optional<std::vector<double>> reference_layer(const SeededLayer& seeded, std::string& why_not) {
  const Layer& layer = seeded.spec().layer;
  why_not = reason_against(layer, seeded.spec().pass.context_tokens);
  if (!why_not.empty()) return std::nullopt;
  const ReferenceWeights weights(seeded);
  const std::int64_t size = seeded.spec().hidden_size;
  const auto is_block = [](const auto& block) { return block.kind != decltype(block.kind){}; };
  Vector all;
  for (std::int64_t copy = 0; copy < seeded.spec().pass.batch; ++copy) {
    const auto begin = seeded.output().begin() + copy * size;
    Vector hidden(begin, begin + size);
    Norms norms(weights, layer, static_cast<std::int64_t>(layer.mixers.size() + layer.ffns.size()));
    for (const Mixer& mixer : layer.mixers) {
      if (!is_block(mixer)) continue;
      const Vector out = norms.after(mixed(weights, mixer, copy, norms.before(hidden)));
      reference::add(hidden, out);
    }
    for (const Ffn& ffn : layer.ffns) {
      if (!is_block(ffn)) continue;
      const Vector out = norms.after(fed_forward(weights, ffn, norms.before(hidden)));
      reference::add(hidden, out);
    }
    all.insert(all.end(), hidden.begin(), hidden.end());
  }
  return all;
}

}  // namespace waferline::kernels::emulate
