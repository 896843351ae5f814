// Follows: WaferLLM (arXiv 2502.04563), section 4 (decode layout, shift-based KV cache); grouped queries as in
// arXiv 2305.13245; output gate as in Qwen3-Next; sinks as in gpt-oss.
#include "kernels/attention.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "kernels/norm.hpp"

namespace waferline::kernels {

using models::Mixer;
using models::MixerKind;
using models::WeightRole;

namespace {

struct Projections {
  TensorId first = kNoTensor;
  TensorId q = kNoTensor;
  TensorId gate = kNoTensor;
  TensorId k = kNoTensor;
  TensorId v = kNoTensor;
  int span = 0;
};

struct HeadLayout {
  Bands q, k, v, out;
};

HeadLayout head_layout(const Builder& b, const Mixer& m) {
  // Pairs of a rotation stay on one PE; values that are the keys lie as the keys do.
  const std::int64_t pair = m.rope && m.head_dim % 2 == 0 ? 2 : 1;
  const std::int64_t v_granule = m.k_is_v ? pair : 1;
  const std::int64_t group = m.heads / m.kv_heads;
  return {b.bands(Axis::x, m.kv_heads, group, m.head_dim, pair), b.bands(Axis::x, m.kv_heads, 1, m.head_dim, pair),
          b.bands(Axis::x, m.kv_heads, 1, m.v_head_dim, v_granule),
          b.bands(Axis::x, m.kv_heads, group, m.v_head_dim, v_granule)};
}

void project(Builder& b, Projections& p, std::string_view label, std::string_view weight, TensorId hidden,
             TensorId output) {
  const TensorId w =
      b.matrix(weight, WeightRole::attention, Axis::y, b.tensor(hidden).along_y, b.tensor(output).along_x);
  b.gemv(Part::qkv, label, hidden, w, output);
  ++p.span;
}

/// A query factor that all heads share (multi-matrix factorisation): down, norm, and back along y.
TensorId project_query_factor(Builder& b, const Mixer& m, TensorId hidden) {
  const TensorId low = b.vector("q_low", Axis::x, b.split(Axis::x, m.q_lora_rank));
  const TensorId w = b.matrix("self_attn.q_down_proj.weight", WeightRole::attention, Axis::y, b.tensor(hidden).along_y,
                              b.tensor(low).along_x);
  b.gemv(Part::qkv, "attention.q_down_proj", hidden, w, low);
  b.reduce(Part::qkv, StepKind::reduce_sum, "attention.q_down_reduce", Axis::y, low);
  const std::array<NormedHeads, 1> norm{
      NormedHeads{low, "self_attn.inter_norm.weight", "attention.q_down_square_sum", "attention.q_down_norm"}};
  append_head_norms(b, Part::norm, norm, "attention.q_down_norm_reduce", Axis::x, NormOver::vector);
  const TensorId along_y = b.vector("q_low_y", Axis::y, b.split(Axis::y, m.q_lora_rank));
  b.relayout(Part::qkv, "attention.q_down_relayout", Axis::x, low, along_y);
  return along_y;
}

Projections project_qkv(Builder& b, const Mixer& m, const HeadLayout& lay, TensorId hidden) {
  Projections p;
  const TensorId factor = m.q_lora_rank > 0 ? project_query_factor(b, m, hidden) : hidden;
  p.q = p.first = b.vector("q", Axis::x, lay.q);
  if (m.output_gate) p.gate = b.vector("attention.gate", Axis::x, lay.out);
  if (!m.shares_kv) p.k = b.vector("k", Axis::x, lay.k);
  if (!m.shares_kv && !m.k_is_v) p.v = b.vector("v", Axis::x, lay.v);
  project(b, p, "attention.q_proj", m.q_lora_rank > 0 ? "self_attn.wq.weight" : "self_attn.q_proj.weight", factor, p.q);
  if (m.output_gate) project(b, p, "attention.gate_proj", "self_attn.q_proj.weight#gate", hidden, p.gate);
  if (p.k != kNoTensor) project(b, p, "attention.k_proj", "self_attn.k_proj.weight", hidden, p.k);
  if (p.v != kNoTensor) project(b, p, "attention.v_proj", "self_attn.v_proj.weight", hidden, p.v);
  b.reduce(Part::qkv, StepKind::reduce_sum, "attention.qkv_reduce", Axis::y, p.first, p.span);
  if (p.k != kNoTensor && m.k_is_v) {
    p.v = b.vector("v", Axis::x, lay.v);
    b.elementwise(Part::qkv, ElementOp::copy, "attention.v_is_k", p.k, kNoTensor, p.v, 1, b.local(p.v));
  }
  return p;
}

void add_biases(Builder& b, const Mixer& m, const Projections& p) {
  if (!m.qkv_bias) return;
  append_bias(b, Part::qkv, "attention.q_bias", "self_attn.q_proj.bias", p.q);
  if (p.gate != kNoTensor) append_bias(b, Part::qkv, "attention.gate_bias", "self_attn.q_proj.bias#gate", p.gate);
  if (p.k != kNoTensor) append_bias(b, Part::qkv, "attention.k_bias", "self_attn.k_proj.bias", p.k);
  if (p.v != kNoTensor && !m.k_is_v) append_bias(b, Part::qkv, "attention.v_bias", "self_attn.v_proj.bias", p.v);
}

void norm_heads(Builder& b, const Mixer& m, const Projections& p) {
  if (!m.qk_norm) return;
  const std::array<NormedHeads, 2> heads{
      NormedHeads{p.q, "self_attn.q_norm.weight", "attention.q_square_sum", "attention.q_norm"},
      NormedHeads{p.k, "self_attn.k_norm.weight", "attention.k_square_sum", "attention.k_norm"}};
  append_head_norms(b, Part::norm, std::span(heads).first(p.k != kNoTensor ? 2 : 1), "attention.qk_norm_reduce",
                    Axis::x, m.qk_norm_whole ? NormOver::all : NormOver::vector);
}

/// Two products and two fused products on half of the dimensions for each vector; four more advance the angles.
void rotate(Builder& b, const Projections& p) {
  const auto one = [&b](std::string_view label, TensorId id) {
    const Bands bands = b.tensor(id).along_x;
    b.elementwise(Part::rope, ElementOp::rope, label, id, kNoTensor, id, 4 * (bands.vectors_per_pe() + 1),
                  ceil_div(bands.dims_per_pe(), 2));
  };
  one("attention.q_rope", p.q);
  if (p.k != kNoTensor) one("attention.k_rope", p.k);
}

struct Caches {
  TensorId k = kNoTensor;
  TensorId v = kNoTensor;
};

Caches append_to_caches(Builder& b, const Mixer& m, const HeadLayout& lay, const Projections& p, Bands positions) {
  const SramUse use = m.shares_kv ? SramUse::borrowed : SramUse::kv;
  Caches caches;
  caches.k = b.resident("k_cache", use, b.options().kv, lay.k, positions);
  caches.v = b.resident("v_cache", use, b.options().kv, lay.v, positions);
  if (m.shares_kv) return caches;
  b.elementwise(Part::kv_append, ElementOp::append_kv, "attention.append_k", p.k, kNoTensor, caches.k, 1, b.local(p.k));
  b.elementwise(Part::kv_append, ElementOp::append_kv, "attention.append_v", p.v, kNoTensor, caches.v, 1, b.local(p.v));
  // What a row passes up is as large as what was appended: one position of k and v.
  const TensorId moving = b.resident("kv_moving", SramUse::buffer, b.options().kv, lay.k, b.everywhere(Axis::y));
  b.resident("kv_moving", SramUse::buffer, b.options().kv, lay.v, b.everywhere(Axis::y));
  Step* shift = b.shift(Part::kv_append, "attention.kv_shift", Axis::y, moving, 2);
  if (shift != nullptr) {
    shift->second = caches.k;
    shift->output = caches.v;
  }
  return caches;
}

}  // namespace

std::int64_t attended_positions(const Mixer& mixer, std::int64_t context_tokens) {
  switch (mixer.kind) {
    case MixerKind::sliding_attention:
    case MixerKind::chunked_attention:
      return std::min(context_tokens, mixer.window);
    default:
      return context_tokens;
  }
}

void append_bias(Builder& b, Part part, std::string_view label, std::string_view name, TensorId vector) {
  const TensorId bias = b.weight_like(name, WeightRole::bias, vector);
  b.elementwise(part, ElementOp::add_bias, label, vector, bias, vector, 1, b.local(vector));
}

namespace {

/// Exponentials of the scores in place, local sums into `sums`.
void append_exponentials(Builder& b, TensorId scores, TensorId maxima, TensorId sums) {
  const std::int64_t vectors = b.tensor(scores).along_x.vectors_per_pe();
  const std::int64_t rows = b.tensor(scores).along_y.elements_per_pe();
  b.elementwise(Part::softmax, ElementOp::local_max, "softmax.local_max", scores, kNoTensor, maxima, vectors, rows);
  b.reduce(Part::softmax, StepKind::reduce_max, "softmax.max_reduce", Axis::y, maxima);
  b.elementwise(Part::softmax, ElementOp::exp_minus_max, "softmax.exp", scores, maxima, scores, vectors, rows)
      .exponentials = vectors * rows * b.batch();
  b.elementwise(Part::softmax, ElementOp::local_sum, "softmax.local_sum", scores, kNoTensor, sums, vectors, rows);
}

/// The sum is complete: adds the sinks, then divides.
void append_division(Builder& b, const AttendedHeads& heads, TensorId maxima, TensorId sums, TensorId out) {
  const std::int64_t vectors = heads.query_bands.vectors_per_pe();
  if (heads.sinks) {
    const TensorId sink =
        b.weight_grid("self_attn.sinks", WeightRole::other, b.tensor(sums).along_x, b.everywhere(Axis::y));
    b.elementwise(Part::softmax, ElementOp::sink, "softmax.sink", maxima, sink, sums, 2, vectors).exponentials =
        vectors * b.batch();
  }
  b.elementwise(Part::softmax, ElementOp::scale_by_reciprocal, "softmax.divide", out, sums, out, vectors,
                heads.value_bands.dims_per_pe())
      .specials = vectors * b.batch();
}

}  // namespace

TensorId append_attend(Builder& b, const AttendedHeads& heads) {
  const std::int64_t vectors = heads.query_bands.vectors_per_pe();
  const std::int64_t rows = heads.positions.elements_per_pe();
  const Bands one_each = Builder::one_each(heads.query_bands);
  const std::size_t first_step = b.steps();
  const TensorId scores = b.grid("scores", one_each, heads.positions);
  b.multiply(Part::scores, ElementOp::scores, "attention.scores", heads.queries, heads.keys, scores, Axis::x,
             {vectors * b.batch(), heads.query_bands.dims_per_pe(), rows});
  if (heads.rotated_queries != kNoTensor) {
    b.multiply(Part::scores, ElementOp::scores, "attention.rope_scores", heads.rotated_queries, heads.rotated_keys,
               scores, Axis::x, {vectors * b.batch(), b.tensor(heads.rotated_queries).along_x.dims_per_pe(), rows});
  }
  b.reduce(Part::scores, StepKind::reduce_sum, "attention.scores_reduce", Axis::x, scores);
  const TensorId maxima = b.statistic("softmax.maxima", one_each, b.everywhere(Axis::y));
  const TensorId sums = b.statistic("softmax.sums", one_each, b.everywhere(Axis::y));
  const TensorId out = b.vector("attention.values", Axis::x, heads.value_bands);
  append_exponentials(b, scores, maxima, sums);
  const bool together = b.options().sum_with_values;
  if (!together) b.reduce(Part::softmax, StepKind::reduce_sum, "softmax.sum_reduce", Axis::y, sums);
  b.multiply(Part::values, ElementOp::values, "attention.values", scores, heads.values, out, Axis::y,
             {vectors * b.batch(), rows, heads.value_bands.dims_per_pe()});
  b.reduce(Part::values, StepKind::reduce_sum, "attention.values_reduce", Axis::y, together ? sums : out,
           together ? 2 : 1);
  append_division(b, heads, maxima, sums, out);
  if (heads.data_dependent) b.mark_data_dependent(first_step);
  return out;
}

TensorId append_attention(Builder& b, const Mixer& mixer, TensorId hidden) {
  const HeadLayout lay = head_layout(b, mixer);
  const Projections p = project_qkv(b, mixer, lay, hidden);
  add_biases(b, mixer, p);
  norm_heads(b, mixer, p);
  if (mixer.rope) rotate(b, p);
  const Bands positions = b.split(Axis::y, attended_positions(mixer, b.pass().context_tokens));
  const Caches caches = append_to_caches(b, mixer, lay, p, positions);
  const TensorId values = append_attend(b, {.queries = p.q,
                                            .keys = caches.k,
                                            .values = caches.v,
                                            .query_bands = lay.q,
                                            .value_bands = lay.out,
                                            .positions = positions,
                                            .sinks = mixer.sinks});
  if (mixer.output_gate) {
    Step& gate = b.elementwise(Part::values, ElementOp::sigmoid_multiply, "attention.output_gate", values, p.gate,
                               values, 1, b.local(values));
    gate.exponentials = b.local(values) * b.batch();
  }
  const Bands hidden_bands = b.tensor(hidden).along_y;
  const TensorId w = b.matrix("self_attn.o_proj.weight", WeightRole::attention, Axis::x, lay.out, hidden_bands);
  const TensorId out = b.vector("attention.out", Axis::y, hidden_bands);
  b.gemv(Part::output, "attention.o_proj", values, w, out);
  b.reduce(Part::output, StepKind::reduce_sum, "attention.o_reduce", Axis::x, out);
  if (mixer.out_bias) append_bias(b, Part::output, "attention.o_bias", "self_attn.o_proj.bias", out);
  return out;
}

}  // namespace waferline::kernels
