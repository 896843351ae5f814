#include "kernels/recurrent_parts.hpp"

namespace waferline::kernels {

using models::WeightRole;

TensorId project_into(Builder& b, std::string_view label, std::string_view weight, TensorId hidden, TensorId output) {
  const TensorId w =
      b.matrix(weight, WeightRole::attention, Axis::y, b.tensor(hidden).along_y, b.tensor(output).along_x);
  b.gemv(Part::qkv, label, hidden, w, output);
  return output;
}

void append_convolution(Builder& b, std::string_view label, std::string_view weight, TensorId channels,
                        std::int64_t kernel) {
  const Bands bands = b.tensor(channels).along_x;
  const std::int64_t local = bands.elements_per_pe();
  const TensorId w = b.head_matrix(weight, WeightRole::state_space, Axis::x, bands, b.everywhere(Axis::y, kernel),
                                   kernel, local, bands.elements() * kernel);
  if (b.storage().convolution_bias())
    b.weight_like("conv1d.bias", WeightRole::bias, channels);  // the tensor after the filter
  b.resident("conv_state", SramUse::state, b.options().state, bands, b.everywhere(Axis::y, kernel - 1));
  // One fused product for each tap, then silu.
  Step& step = b.elementwise(Part::state, ElementOp::convolve, label, channels, w, channels, kernel + 1, local);
  step.third = b.last_tensor();
  step.exponentials = local * b.batch();
}

TensorId spread_over_rows(Builder& b, std::string_view label, std::string_view name, TensorId vector) {
  const Bands bands = b.tensor(vector).along_x;
  const TensorId out = b.grid(name, Builder::one_each(bands), b.split(Axis::y, bands.head_dim));
  b.relayout(Part::state, label, Axis::x, vector, out);
  return out;
}

TensorId spread_over_band(Builder& b, std::string_view label, std::string_view name, TensorId vector) {
  const TensorId out = b.vector(name, Axis::x, Builder::one_each(b.tensor(vector).along_x));
  b.relayout(Part::state, label, Axis::x, vector, out);
  return out;
}

MatrixState add_matrix_state(Builder& b, Bands values, std::int64_t key_dim) {
  const Bands keys = b.split(Axis::y, key_dim);
  return {b.resident("state", SramUse::state, b.options().state, values, keys), values, keys};
}

void append_decay(Builder& b, const MatrixState& s, TensorId decay) {
  b.elementwise(Part::state, ElementOp::decay_state, "state.decay", decay, kNoTensor, s.state,
                s.values.vectors_per_pe(), s.keys.elements_per_pe() * s.values.dims_per_pe())
      .weight_bytes = b.tensor(s.state).bytes_per_pe;
}

void append_update(Builder& b, const MatrixState& s, TensorId key, TensorId value) {
  b.elementwise(Part::state, ElementOp::update_state, "state.update", key, value, s.state,
                s.values.vectors_per_pe() * s.keys.elements_per_pe(), s.values.dims_per_pe())
      .weight_bytes = b.tensor(s.state).bytes_per_pe;
}

TensorId append_read(Builder& b, const MatrixState& s, std::string_view label, std::string_view reduce_label,
                     TensorId vector) {
  const TensorId out = b.vector("state.read", Axis::x, s.values);
  b.multiply(Part::state, ElementOp::read_state, label, vector, s.state, out, Axis::y,
             {s.values.vectors_per_pe() * b.batch(), s.keys.elements_per_pe(), s.values.dims_per_pe()});
  b.reduce(Part::state, StepKind::reduce_sum, reduce_label, Axis::y, out);
  return out;
}

void append_output_gate(Builder& b, std::string_view label, TensorId values, TensorId gate, bool silu) {
  const std::int64_t local = b.local(values);
  // The operand through the sigmoid comes second there, and first in silu(gate) x values.
  b.elementwise(Part::state, silu ? ElementOp::silu_multiply : ElementOp::sigmoid_multiply, label, silu ? gate : values,
                silu ? values : gate, values, silu ? 2 : 1, local)
      .exponentials = local * b.batch();
}

TensorId project_out(Builder& b, std::string_view weight, TensorId values, Bands hidden) {
  const TensorId w = b.matrix(weight, WeightRole::attention, Axis::x, b.tensor(values).along_x, hidden);
  const TensorId out = b.vector("mixer.out", Axis::y, hidden);
  b.gemv(Part::output, "mixer.out_proj", values, w, out);
  b.reduce(Part::output, StepKind::reduce_sum, "mixer.out_reduce", Axis::x, out);
  return out;
}

}  // namespace waferline::kernels
