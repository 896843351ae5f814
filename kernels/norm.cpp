// Follows: RMSNorm (arXiv 1910.07467, equation 4) and LayerNorm (arXiv 1607.06450, equation 3).
#include "kernels/norm.hpp"

namespace waferline::kernels {

TensorId append_norm(Builder& b, const NormText& text, Axis axis, TensorId input, bool layer_norm, bool bias) {
  constexpr auto kRole = models::WeightRole::norm;
  const Tensor hidden = b.tensor(input);
  const std::int64_t n = b.local(input);
  const TensorId weight = b.weight_like(text.weight, kRole, input);
  const bool biased = layer_norm && bias;
  if (biased) b.weight_like("norm.bias", kRole, input);  // the tensor after the weight
  const TensorId sums = b.statistic("norm.sums", axis, b.everywhere(axis, layer_norm ? 2 : 1));
  if (layer_norm) {
    b.elementwise(Part::norm, ElementOp::sum_and_square_sum, text.square_sum, input, kNoTensor, sums, 2, n);
  } else {
    b.elementwise(Part::norm, ElementOp::square_sum, text.square_sum, input, kNoTensor, sums, 1, n);
  }
  b.reduce(Part::norm, StepKind::reduce_sum, text.reduce, axis, sums);
  const TensorId out = b.vector("norm.out", axis, hidden.along(axis));
  // RMSNorm: times the reciprocal root, times the weight. LayerNorm: minus the mean first, plus the bias last.
  Step& scale = b.elementwise(Part::norm, layer_norm ? ElementOp::center_and_scale : ElementOp::scale_by_rsqrt,
                              text.scale, sums, weight, out, (layer_norm ? 3 : 2) + (biased ? 1 : 0), n);
  scale.third = input;
  scale.specials = b.batch();
  return out;
}

namespace {

/// How one tensor is normalised on the busiest PE: `vectors` norms, each over `length` local elements.
struct LocalNorm {
  std::int64_t vectors = 1;
  std::int64_t length = 0;
  Bands sums;
  Bands weight;
};

LocalNorm local_norm(const Builder& b, const Bands& bands, Axis axis, NormOver over) {
  LocalNorm norm{1, bands.elements_per_pe(), b.everywhere(axis), bands};
  if (over == NormOver::vector) {
    norm = {bands.vectors_per_pe(), bands.dims_per_pe(), Builder::one_each(bands), bands};
    norm.weight.group = 1;
  } else if (over == NormOver::head) {
    norm = {bands.heads_per_pe(), bands.group * bands.dims_per_pe(), Builder::one_each(bands), bands};
    norm.sums.group = 1;
  }
  return norm;
}

}  // namespace

void append_head_norms(Builder& b, Part part, std::span<const NormedHeads> heads, std::string_view reduce_label,
                       Axis axis, NormOver over) {
  TensorId first_sum = kNoTensor;
  for (const NormedHeads& head : heads) {
    const TensorId sum =
        b.statistic("head_norm.sums", axis, local_norm(b, b.tensor(head.id).along(axis), axis, over).sums);
    if (first_sum == kNoTensor) first_sum = sum;
  }
  TensorId sum = first_sum;
  for (const NormedHeads& head : heads) {
    const LocalNorm norm = local_norm(b, b.tensor(head.id).along(axis), axis, over);
    b.elementwise(part, ElementOp::square_sum, head.square_sum, head.id, kNoTensor, sum++, norm.vectors, norm.length);
  }
  b.reduce(part, StepKind::reduce_sum, reduce_label, axis, first_sum, static_cast<int>(heads.size()));
  sum = first_sum;
  for (const NormedHeads& head : heads) {
    const LocalNorm norm = local_norm(b, b.tensor(head.id).along(axis), axis, over);
    const bool weighted = !head.weight.empty();
    if (weighted) b.weight_vector(head.weight, models::WeightRole::norm, axis, norm.weight, over == NormOver::vector);
    // Each vector by its own reciprocal root, then by the weight, which is the tensor created last.
    Step& scale = b.elementwise(part, weighted ? ElementOp::scale_by_rsqrt : ElementOp::normalize, head.scale, sum++,
                                weighted ? b.last_tensor() : kNoTensor, head.id,
                                weighted ? 2 * norm.vectors : norm.vectors, norm.length);
    scale.third = head.id;
    scale.specials = norm.vectors * b.batch();
  }
}

}  // namespace waferline::kernels
