// Follows: the lightning indexer of DeepSeek-V3.2-Exp (technical report, section 2, equation 1).
#include "kernels/indexer.hpp"

#include <algorithm>
#include <array>

#include "kernels/latent_attention.hpp"
#include "kernels/norm.hpp"

namespace waferline::kernels {

using models::Mixer;
using models::WeightRole;

namespace {

struct IndexLayout {
  std::int64_t copies = 1;
  Bands keys;       ///< along x, once for each copy
  Bands queries;    ///< index heads by dimension along x
  Bands weights;    ///< one for each head of a band
  Bands positions;  ///< along y
};

IndexLayout index_layout(const Builder& b, const Mixer& m) {
  IndexLayout lay;
  lay.copies = latent_copies(m.index_heads, b.options().latent_copies, b.extent().cols);
  const std::int64_t group = m.index_heads / lay.copies;
  lay.keys = b.bands(Axis::x, lay.copies, 1, m.index_head_dim);
  lay.queries = b.bands(Axis::x, lay.copies, group, m.index_head_dim);
  lay.weights = Builder::one_each(lay.queries);
  lay.positions = b.split(Axis::y, b.pass().context_tokens);
  return lay;
}

void project(Builder& b, std::string_view label, std::string_view name, WeightRole role, Axis axis, TensorId in,
             TensorId out) {
  const TensorId w = b.matrix(name, role, axis, b.tensor(in).along(axis), b.tensor(out).along(other(axis)));
  b.gemv(Part::scores, label, in, w, out);
}

struct IndexInputs {
  TensorId key = kNoTensor;
  TensorId weights = kNoTensor;
};

/// Key of the new position and weights of the heads, on every PE that needs them.
IndexInputs project_key(Builder& b, const Mixer& m, const IndexLayout& lay, TensorId hidden) {
  const TensorId projected = b.vector("index.key", Axis::x, b.split(Axis::x, m.index_head_dim));
  const TensorId weights = b.vector("index.weights", Axis::x, b.split(Axis::x, m.index_heads));
  project(b, "index.wk", "self_attn.indexer.wk.weight", WeightRole::attention, Axis::y, hidden, projected);
  project(b, "index.weights_proj", "self_attn.indexer.weights_proj.weight", WeightRole::router, Axis::y, hidden,
          weights);
  b.reduce(Part::scores, StepKind::reduce_sum, "index.down_reduce", Axis::y, projected, 2);
  static constexpr NormText kKeyNorm{"self_attn.indexer.k_norm.weight", "index.square_sum", "index.norm_reduce",
                                     "index.k_norm"};
  const TensorId key = append_norm(b, kKeyNorm, Axis::x, projected, true, true);
  IndexInputs in{key, b.grid("index.band_weights", lay.weights, b.everywhere(Axis::y))};
  b.relayout(Part::scores, "index.weights_relayout", Axis::x, weights, in.weights);
  if (lay.copies > 1) {
    in.key = b.vector("index.band_key", Axis::x, lay.keys);
    b.relayout(Part::scores, "index.key_copy", Axis::x, key, in.key);
  }
  return in;
}

TensorId project_queries(Builder& b, const Mixer& m, const IndexLayout& lay, TensorId hidden, TensorId q_low) {
  const TensorId q = b.vector("index.q", Axis::x, lay.queries);
  if (m.q_lora_rank == 0) {
    project(b, "index.wq", "self_attn.indexer.wq_b.weight", WeightRole::attention, Axis::y, hidden, q);
    b.reduce(Part::scores, StepKind::reduce_sum, "index.q_reduce", Axis::y, q);
    return q;
  }
  const TensorId q_y = b.vector("index.q_y", Axis::y, b.split(Axis::y, m.index_heads * m.index_head_dim));
  project(b, "index.wq_b", "self_attn.indexer.wq_b.weight", WeightRole::attention, Axis::x, q_low, q_y);
  b.reduce(Part::scores, StepKind::reduce_sum, "index.q_reduce", Axis::x, q_y);
  b.relayout(Part::scores, "index.q_relayout", Axis::y, q_y, q);
  return q;
}

TensorId append_key(Builder& b, const IndexLayout& lay, TensorId key) {
  const TensorId cache = b.resident("index_cache", SramUse::kv, b.options().kv, lay.keys, lay.positions);
  b.elementwise(Part::kv_append, ElementOp::append_kv, "index.append", key, kNoTensor, cache, 1, b.local(key));
  const TensorId moving = b.resident("index_moving", SramUse::buffer, b.options().kv, lay.keys, b.everywhere(Axis::y));
  if (Step* shift = b.shift(Part::kv_append, "index.shift", Axis::y, moving, 1)) shift->second = cache;
  return cache;
}

/// Each round counts the positions whose score reaches one more bit of the threshold.
void append_radix_select(Builder& b, TensorId total, std::int64_t rank) {
  const std::int64_t rounds = bits_per_element(b.options().accumulate);
  const TensorId count = b.statistic("index.count", b.everywhere(Axis::x), b.everywhere(Axis::y));
  Step& above = b.elementwise(Part::scores, ElementOp::count_above, "index.count_above", total, kNoTensor, count, 2,
                              b.local(total));
  above.repeats = rounds;
  above.rank = rank;
  if (Step* reduce = b.reduce(Part::scores, StepKind::reduce_sum, "index.count_reduce", Axis::y, count)) {
    reduce->repeats = rounds;
  }
}

}  // namespace

void append_indexer(Builder& b, const Mixer& mixer, TensorId hidden, TensorId q_low) {
  const IndexLayout lay = index_layout(b, mixer);
  const IndexInputs in = project_key(b, mixer, lay, hidden);
  const TensorId q = project_queries(b, mixer, lay, hidden, q_low);
  const TensorId cache = append_key(b, lay, in.key);
  const std::int64_t rows = lay.positions.elements_per_pe();
  const std::int64_t vectors = lay.queries.vectors_per_pe();
  const TensorId scores = b.grid("index.scores", lay.weights, lay.positions);
  b.multiply(Part::scores, ElementOp::scores, "index.scores", q, cache, scores, Axis::x,
             {vectors * b.batch(), lay.queries.dims_per_pe(), rows});
  b.reduce(Part::scores, StepKind::reduce_sum, "index.scores_reduce", Axis::x, scores);
  const TensorId total = b.grid("index.total", b.everywhere(Axis::x), lay.positions);
  b.elementwise(Part::scores, ElementOp::score_positions, "index.weighted_sum", scores, in.weights, total, 2 * vectors,
                rows);
  if (lay.copies > 1) b.reduce(Part::scores, StepKind::reduce_sum, "index.total_reduce", Axis::x, total);
  append_radix_select(b, total, std::min(mixer.index_topk, b.pass().context_tokens));
}

}  // namespace waferline::kernels
