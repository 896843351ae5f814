// Follows: selective state spaces (arXiv 2312.00752, algorithm 2) with Jamba's norms (arXiv 2403.19887).
#include <array>

#include "kernels/norm.hpp"
#include "kernels/recurrent.hpp"
#include "kernels/recurrent_parts.hpp"

namespace waferline::kernels {

using models::Mixer;
using models::WeightRole;

namespace {

/// What each token chooses: step, input and output vectors of the state, along y.
struct Selection {
  TensorId step = kNoTensor;
  TensorId input = kNoTensor;
  TensorId output = kNoTensor;
};

Selection select_parameters(Builder& b, const Mixer& m, TensorId channels) {
  Selection sel;
  sel.step = b.vector("step_low", Axis::y, b.split(Axis::y, m.dt_rank));
  sel.input = b.vector("B", Axis::y, b.split(Axis::y, m.d_state));
  sel.output = b.vector("C", Axis::y, b.split(Axis::y, m.d_state));
  const auto project = [&](std::string_view label, std::string_view name, TensorId out) {
    const TensorId w =
        b.matrix(name, WeightRole::attention, Axis::x, b.tensor(channels).along_x, b.tensor(out).along_y);
    b.gemv(Part::state, label, channels, w, out);
  };
  project("state.step_proj", "mamba.x_proj.weight#dt", sel.step);
  project("state.B_proj", "mamba.x_proj.weight#B", sel.input);
  project("state.C_proj", "mamba.x_proj.weight#C", sel.output);
  b.reduce(Part::state, StepKind::reduce_sum, "state.x_reduce", Axis::x, sel.step, 3);
  const std::array<NormedHeads, 3> norms{
      NormedHeads{sel.step, "mamba.dt_layernorm.weight", "state.step_square_sum", "state.step_norm"},
      NormedHeads{sel.input, "mamba.b_layernorm.weight", "state.B_square_sum", "state.B_norm"},
      NormedHeads{sel.output, "mamba.c_layernorm.weight", "state.C_square_sum", "state.C_norm"}};
  append_head_norms(b, Part::state, norms, "state.select_norm_reduce", Axis::y, NormOver::vector);
  return sel;
}

/// Step of each channel, along x: softplus (exponential and logarithm) of its projection and bias.
TensorId project_step(Builder& b, const Mixer& m, TensorId low) {
  const Bands channels = b.split(Axis::x, m.d_inner);
  const TensorId step = b.vector("step", Axis::x, channels);
  const TensorId w = b.matrix("mamba.dt_proj.weight", WeightRole::attention, Axis::y, b.tensor(low).along_y, channels);
  b.gemv(Part::state, "state.dt_proj", low, w, step);
  b.reduce(Part::state, StepKind::reduce_sum, "state.dt_reduce", Axis::y, step);
  const TensorId bias = b.weight_like("mamba.dt_proj.bias", WeightRole::bias, step);
  const std::int64_t local = b.local(step);
  b.elementwise(Part::state, ElementOp::linear_gates, "state.softplus", step, bias, step, 2, local).exponentials =
      2 * local * b.batch();
  return step;
}

}  // namespace

TensorId append_mamba1(Builder& b, const Mixer& m, TensorId hidden) {
  const Bands channels = b.split(Axis::x, m.d_inner);
  const TensorId v = b.vector("v", Axis::x, channels);
  const TensorId z = b.vector("z", Axis::x, channels);
  project_into(b, "state.v_proj", "mamba.in_proj.weight#x", hidden, v);
  project_into(b, "state.z_proj", "mamba.in_proj.weight#z", hidden, z);
  b.reduce(Part::qkv, StepKind::reduce_sum, "state.in_reduce", Axis::y, v, 2);
  append_convolution(b, "state.v_conv", "mamba.conv1d.weight", v, m.conv_kernel);
  const Selection sel = select_parameters(b, m, v);
  const TensorId step = project_step(b, m, sel.step);
  const Bands rows = b.split(Axis::y, m.d_state);
  const TensorId state = b.resident("state", SramUse::state, b.options().state, channels, rows);
  const TensorId decay = b.weight_grid("mamba.A_log", WeightRole::state_space, channels, rows);
  const std::int64_t local = channels.elements_per_pe();
  const std::int64_t states = rows.elements_per_pe();
  // For each state row: step x A, and its exponential times the state.
  Step& step_state =
      b.elementwise(Part::state, ElementOp::decay_channels, "state.decay", step, decay, state, 2 * states, local);
  step_state.exponentials = states * local * b.batch();
  step_state.weight_bytes = b.tensor(state).bytes_per_pe;
  const TensorId stepped = b.vector("stepped", Axis::x, channels);
  b.elementwise(Part::state, ElementOp::multiply, "state.step", v, step, stepped, 1, local);
  b.elementwise(Part::state, ElementOp::update_state, "state.update", sel.input, stepped, state, states, local)
      .weight_bytes = b.tensor(state).bytes_per_pe;
  const TensorId out = b.vector("state.read", Axis::x, channels);
  b.multiply(Part::state, ElementOp::read_channels, "state.read", sel.output, state, out, Axis::y,
             {b.batch(), states, local});
  b.reduce(Part::state, StepKind::reduce_sum, "state.read_reduce", Axis::y, out);
  const TensorId skip = b.weight_vector("mamba.D", WeightRole::state_space, Axis::x, channels);
  b.elementwise(Part::state, ElementOp::skip_connection, "state.skip", v, skip, out, 1, local);
  append_output_gate(b, "state.output_gate", out, z, true);
  return project_out(b, "mamba.out_proj.weight", out, b.tensor(hidden).along_y);
}

}  // namespace waferline::kernels
