// Follows: gated linear units (arXiv 2002.05202), laid out as in WaferLLM (arXiv 2502.04563), section 4.
#include "kernels/ffn.hpp"

#include "kernels/attention.hpp"

namespace waferline::kernels {

using models::Ffn;
using models::WeightRole;

Step& append_activation(Builder& b, Part part, std::string_view label, TensorId gate, TensorId up, std::int64_t count,
                        std::int64_t length) {
  const bool gated = gate != kNoTensor;
  // Gated: sigmoid and product, then the product with `up`. Plain: the tanh form of gelu needs three products more.
  Step& step = b.elementwise(part, gated ? ElementOp::silu_multiply : ElementOp::gelu, label, gated ? gate : up,
                             gated ? up : kNoTensor, up, count * (gated ? 2 : 3), length);
  step.exponentials = count * length * b.batch();
  return step;
}

TensorId append_dense_ffn(Builder& b, const Ffn& ffn, TensorId hidden) {
  const Bands hidden_bands = b.tensor(hidden).along_y;
  const Bands inner = b.split(Axis::x, ffn.width);
  const TensorId up = b.vector("ffn.up", Axis::x, inner);
  const TensorId gate = ffn.gated ? b.vector("ffn.gate", Axis::x, inner) : kNoTensor;
  const TensorId w_up = b.matrix("mlp.up_proj.weight", WeightRole::dense_ffn, Axis::y, hidden_bands, inner);
  b.gemv(Part::ffn, "ffn.up_proj", hidden, w_up, up);
  if (ffn.gated) {
    const TensorId w_gate = b.matrix("mlp.gate_proj.weight", WeightRole::dense_ffn, Axis::y, hidden_bands, inner);
    b.gemv(Part::ffn, "ffn.gate_proj", hidden, w_gate, gate);
  }
  b.reduce(Part::ffn, StepKind::reduce_sum, "ffn.up_reduce", Axis::y, up, ffn.gated ? 2 : 1);
  if (ffn.bias) {
    append_bias(b, Part::ffn, "ffn.up_bias", "mlp.up_proj.bias", up);
    if (ffn.gated) append_bias(b, Part::ffn, "ffn.gate_bias", "mlp.gate_proj.bias", gate);
  }
  append_activation(b, Part::ffn, "ffn.activation", gate, up, 1, inner.elements_per_pe());
  const TensorId w_down = b.matrix("mlp.down_proj.weight", WeightRole::dense_ffn, Axis::x, inner, hidden_bands);
  const TensorId out = b.vector("ffn.out", Axis::y, hidden_bands);
  b.gemv(Part::ffn, "ffn.down_proj", up, w_down, out);
  b.reduce(Part::ffn, StepKind::reduce_sum, "ffn.down_reduce", Axis::x, out);
  if (ffn.bias) append_bias(b, Part::ffn, "ffn.down_bias", "mlp.down_proj.bias", out);
  return out;
}

TensorId append_linear(Builder& b, TensorId hidden, WeightRole role, Part part) {
  const Bands along_y = b.tensor(hidden).along_y;
  const Bands along_x = b.split(Axis::x, along_y.elements());
  const TensorId w = b.matrix("linear.weight", role, Axis::y, along_y, along_x);
  const TensorId wide = b.vector("linear.x", Axis::x, along_x);
  b.gemv(part, "linear.proj", hidden, w, wide);
  b.reduce(part, StepKind::reduce_sum, "linear.reduce", Axis::y, wide);
  const TensorId out = b.vector("linear.out", Axis::y, along_y);
  b.relayout(part, "linear.relayout", Axis::x, wide, out);
  return out;
}

}  // namespace waferline::kernels
