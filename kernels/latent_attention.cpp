// Follows: multi-head latent attention (arXiv 2405.04434, section 2.1 and appendix C: absorbed projections).
#include "kernels/latent_attention.hpp"

#include <algorithm>
#include <array>

#include "kernels/attention.hpp"
#include "kernels/indexer.hpp"
#include "kernels/norm.hpp"

namespace waferline::kernels {

using models::Mixer;
using models::WeightRole;

namespace {

/// Layouts of everything between the input and the output projection.
struct LatentLayout {
  std::int64_t copies = 1;
  Bands hidden;     ///< along y
  Bands nope;       ///< query parts without rotation, along y, heads innermost
  Bands rope;       ///< query parts with rotation, along y, heads innermost
  Bands values;     ///< value heads, along y, heads innermost
  Bands latent;     ///< cache: latent dimensions along x, once for each copy
  Bands key_rope;   ///< cache: rotated key along x, once for each copy
  Bands q_latent;   ///< absorbed queries along x
  Bands q_rope;     ///< rotated query parts along x
  Bands positions;  ///< along y
};

LatentLayout latent_layout(const Builder& b, const Mixer& m, TensorId hidden) {
  LatentLayout lay;
  lay.copies = latent_copies(m.heads, b.options().latent_copies, b.extent().cols);
  const std::int64_t group = m.heads / lay.copies;
  lay.hidden = b.tensor(hidden).along_y;
  lay.nope = b.split(Axis::y, m.heads * m.qk_nope_head_dim);
  lay.rope = b.split(Axis::y, m.heads * m.qk_rope_head_dim);
  lay.values = b.split(Axis::y, m.heads * m.v_head_dim);
  lay.latent = b.bands(Axis::x, lay.copies, 1, m.kv_lora_rank);
  lay.key_rope = b.bands(Axis::x, lay.copies, 1, m.qk_rope_head_dim, 2);
  lay.q_latent = b.bands(Axis::x, lay.copies, group, m.kv_lora_rank);
  lay.q_rope = b.bands(Axis::x, lay.copies, group, m.qk_rope_head_dim, 2);
  const std::int64_t chosen =
      m.index_topk > 0 ? std::min(m.index_topk, b.pass().context_tokens) : b.pass().context_tokens;
  lay.positions = b.split(Axis::y, chosen);
  return lay;
}

/// Elements of a run along y that belong to the heads of one band of columns.
std::int64_t per_band(const Bands& along_y, std::int64_t copies) {
  return ceil_div(along_y.elements_per_pe(), copies);
}

struct Inputs {
  TensorId q_low = kNoTensor;     ///< compressed query, along x
  TensorId q_nope = kNoTensor;    ///< along y
  TensorId q_rope_y = kNoTensor;  ///< along y
  TensorId latent = kNoTensor;    ///< new latent, along x
  TensorId key_rope = kNoTensor;  ///< new rotated key, along x
};

void project(Builder& b, std::string_view label, std::string_view name, Axis axis, TensorId in, TensorId out) {
  const TensorId w =
      b.matrix(name, WeightRole::attention, axis, b.tensor(in).along(axis), b.tensor(out).along(other(axis)));
  b.gemv(Part::qkv, label, in, w, out);
}

/// Compressed query, new latent and new rotated key, along x, completed by one all-reduce along y.
/// A layer without query compression computes its queries here and lays them out along y afterwards.
Inputs project_down(Builder& b, const Mixer& m, const LatentLayout& lay, TensorId hidden) {
  Inputs in;
  const bool compressed = m.q_lora_rank > 0;
  const std::int64_t query = compressed ? m.q_lora_rank : m.heads * (m.qk_nope_head_dim + m.qk_rope_head_dim);
  in.q_low = b.vector("q_low", Axis::x, b.split(Axis::x, query));
  in.latent = b.vector("latent", Axis::x, b.split(Axis::x, m.kv_lora_rank));
  in.key_rope = b.vector("key_rope", Axis::x, b.bands(Axis::x, 1, 1, m.qk_rope_head_dim, 2));
  project(b, compressed ? "latent.q_a_proj" : "latent.q_proj",
          compressed ? "self_attn.q_a_proj.weight" : "self_attn.q_proj.weight", Axis::y, hidden, in.q_low);
  project(b, "latent.kv_a_proj", "self_attn.kv_a_proj_with_mqa.weight", Axis::y, hidden, in.latent);
  project(b, "latent.k_rope_proj", "self_attn.kv_a_proj_with_mqa.weight#rope", Axis::y, hidden, in.key_rope);
  b.reduce(Part::qkv, StepKind::reduce_sum, "latent.down_reduce", Axis::y, in.q_low, 3);
  if (m.qkv_bias) {
    if (compressed) append_bias(b, Part::qkv, "latent.q_a_bias", "self_attn.q_a_proj.bias", in.q_low);
    append_bias(b, Part::qkv, "latent.kv_a_bias", "self_attn.kv_a_proj_with_mqa.bias", in.latent);
    append_bias(b, Part::qkv, "latent.k_rope_bias", "self_attn.kv_a_proj_with_mqa.bias#rope", in.key_rope);
  }
  const std::array<NormedHeads, 2> norms{
      NormedHeads{in.latent, "self_attn.kv_a_layernorm.weight", "latent.kv_square_sum", "latent.kv_norm"},
      NormedHeads{in.q_low, "self_attn.q_a_layernorm.weight", "latent.q_square_sum", "latent.q_norm"}};
  append_head_norms(b, Part::norm, std::span(norms).first(compressed ? 2 : 1), "latent.norm_reduce", Axis::x,
                    NormOver::vector);
  if (lay.copies > 1) {
    const TensorId latent = b.vector("latent", Axis::x, lay.latent);
    b.relayout(Part::qkv, "latent.copy", Axis::x, in.latent, latent);
    const TensorId key_rope = b.vector("key_rope", Axis::x, lay.key_rope);
    b.relayout(Part::qkv, "latent.k_rope_copy", Axis::x, in.key_rope, key_rope);
    in.latent = latent;
    in.key_rope = key_rope;
  }
  return in;
}

/// Queries along y, heads innermost.
void project_queries(Builder& b, const Mixer& m, const LatentLayout& lay, Inputs& in) {
  in.q_nope = b.vector("q_nope", Axis::y, lay.nope);
  in.q_rope_y = b.vector("q_rope_y", Axis::y, lay.rope);
  if (m.q_lora_rank == 0) {
    b.relayout(Part::qkv, "latent.q_nope_relayout", Axis::x, in.q_low, in.q_nope);
    // The compressed vector's place is taken by all unrotated parts and then all rotated ones, heads innermost in both.
    b.relayout(Part::qkv, "latent.q_rope_y_relayout", Axis::x, in.q_low, in.q_rope_y).first = lay.nope.elements();
    return;
  }
  project(b, "latent.q_b_nope", "self_attn.q_b_proj.weight", Axis::x, in.q_low, in.q_nope);
  project(b, "latent.q_b_rope", "self_attn.q_b_proj.weight#rope", Axis::x, in.q_low, in.q_rope_y);
  b.reduce(Part::qkv, StepKind::reduce_sum, "latent.q_b_reduce", Axis::x, in.q_nope, 2);
}

void rotate(Builder& b, std::string_view label, TensorId id) {
  const Bands bands = b.tensor(id).along_x;
  b.elementwise(Part::rope, ElementOp::rope, label, id, kNoTensor, id, 4 * (bands.vectors_per_pe() + 1),
                ceil_div(bands.dims_per_pe(), 2));
}

TensorId absorb_queries(Builder& b, const LatentLayout& lay, const Inputs& in, TensorId rotated) {
  const TensorId q_latent = b.vector("q_latent", Axis::x, lay.q_latent);
  const std::int64_t local = per_band(lay.nope, lay.copies);
  const std::int64_t dims = lay.latent.dims_per_pe();
  const TensorId w = b.head_matrix("self_attn.kv_b_proj.weight#k", WeightRole::attention, Axis::y, lay.nope,
                                   lay.q_latent, dims, local, lay.nope.elements() * lay.latent.head_dim);
  b.multiply(Part::qkv, ElementOp::latent_queries, "latent.absorb_q", in.q_nope, w, q_latent, Axis::y,
             {local * b.batch(), 1, dims});
  b.reduce(Part::qkv, StepKind::reduce_sum, "latent.absorb_reduce", Axis::y, q_latent);
  b.relayout(Part::rope, "latent.q_rope_relayout", Axis::y, in.q_rope_y, rotated).op = ElementOp::gather_heads;
  rotate(b, "latent.q_rope", rotated);
  return q_latent;
}

void append_to_cache(Builder& b, const LatentLayout& lay, const Inputs& in, TensorId latents, TensorId rotated_keys) {
  b.elementwise(Part::kv_append, ElementOp::append_kv, "latent.append", in.latent, kNoTensor, latents, 1,
                b.local(in.latent));
  b.elementwise(Part::kv_append, ElementOp::append_kv, "latent.append_rope", in.key_rope, kNoTensor, rotated_keys, 1,
                b.local(in.key_rope));
  const TensorId moving =
      b.resident("latent_moving", SramUse::buffer, b.options().kv, lay.latent, b.everywhere(Axis::y));
  b.resident("latent_moving", SramUse::buffer, b.options().kv, lay.key_rope, b.everywhere(Axis::y));
  Step* shift = b.shift(Part::kv_append, "latent.shift", Axis::y, moving, 2);
  if (shift == nullptr) return;
  shift->second = latents;
  shift->output = rotated_keys;
}

/// Scores of absorbed queries with latents plus rotated queries with rotated keys, softmax, and the sum of latents.
TensorId attend(Builder& b, const Mixer& m, const LatentLayout& lay, const Inputs& in, TensorId q_latent,
                TensorId q_rope) {
  const SramUse use = m.shares_kv ? SramUse::borrowed : SramUse::kv;
  const Bands kept = b.split(Axis::y, b.pass().context_tokens);
  const TensorId latents = b.resident("latent_cache", use, b.options().kv, lay.latent, kept);
  const TensorId rotated = b.resident("rope_cache", use, b.options().kv, lay.key_rope, kept);
  append_to_cache(b, lay, in, latents, rotated);
  AttendedHeads heads;
  heads.queries = q_latent;
  heads.keys = latents;
  heads.values = latents;
  heads.query_bands = lay.q_latent;
  heads.value_bands = lay.q_latent;
  heads.positions = lay.positions;
  heads.rotated_queries = q_rope;
  heads.rotated_keys = rotated;
  heads.data_dependent = m.index_topk > 0 && m.index_topk < b.pass().context_tokens;
  return append_attend(b, heads);
}

}  // namespace

std::int64_t latent_copies(std::int64_t heads, std::int64_t asked, std::int64_t columns) {
  std::int64_t copies = std::max<std::int64_t>(1, std::min({heads, asked, columns}));
  while (heads % copies != 0) --copies;
  return copies;
}

TensorId append_latent_attention(Builder& b, const Mixer& mixer, TensorId hidden) {
  const LatentLayout lay = latent_layout(b, mixer, hidden);
  Inputs in = project_down(b, mixer, lay, hidden);
  project_queries(b, mixer, lay, in);
  rotate(b, "latent.k_rope", in.key_rope);
  const TensorId q_rope = b.vector("q_rope", Axis::x, lay.q_rope);
  const TensorId q_latent = absorb_queries(b, lay, in, q_rope);
  if (mixer.index_heads > 0 && !mixer.index_shared) append_indexer(b, mixer, hidden, in.q_low);
  const TensorId summed = attend(b, mixer, lay, in, q_latent, q_rope);
  const TensorId values = b.vector("latent.values", Axis::y, lay.values);
  const std::int64_t local = per_band(lay.values, lay.copies);
  const std::int64_t dims = lay.latent.dims_per_pe();
  const TensorId w_v = b.head_matrix("self_attn.kv_b_proj.weight#v", WeightRole::attention, Axis::x, lay.q_latent,
                                     lay.values, local, dims, lay.values.elements() * lay.latent.head_dim);
  b.multiply(Part::output, ElementOp::latent_values, "latent.absorb_v", summed, w_v, values, Axis::x,
             {local * b.batch(), 1, dims});
  b.reduce(Part::output, StepKind::reduce_sum, "latent.values_reduce", Axis::x, values);
  const Bands along_x = b.split(Axis::x, lay.hidden.elements());
  const TensorId wide = b.vector("latent.out_x", Axis::x, along_x);
  const TensorId w_o = b.matrix("self_attn.o_proj.weight", WeightRole::attention, Axis::y, lay.values, along_x);
  b.gemv(Part::output, "latent.o_proj", values, w_o, wide);
  b.reduce(Part::output, StepKind::reduce_sum, "latent.o_reduce", Axis::y, wide);
  if (mixer.out_bias) append_bias(b, Part::output, "latent.o_bias", "self_attn.o_proj.bias", wide);
  const TensorId out = b.vector("latent.out", Axis::y, lay.hidden);
  b.relayout(Part::output, "latent.out_relayout", Axis::x, wide, out);
  return out;
}

}  // namespace waferline::kernels
