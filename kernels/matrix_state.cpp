// Follows: gated delta rule (arXiv 2412.06464, equation 10), lightning attention (arXiv 2401.04658, equation 4),
// Mamba-2 (arXiv 2405.21060, section 3: the recurrent form).
#include <array>

#include "kernels/norm.hpp"
#include "kernels/recurrent.hpp"
#include "kernels/recurrent_parts.hpp"

namespace waferline::kernels {

using models::Mixer;
using models::WeightRole;

namespace {

/// What opens and closes a head's state.
struct Gates {
  TensorId step = kNoTensor;
  TensorId decay = kNoTensor;  ///< the same tensor if a head's gates are a pair
};

/// Decay and step of each head from their projections: `exponentials` for each head on the PE. A pair of projections is
/// a sigmoid (step) and a decay for each head, members of the key head side by side, all sigmoids first.
Gates append_gates(Builder& b, TensorId projected, std::int64_t gates_per_head, std::int64_t exponentials,
                   std::string_view decay_name, std::string_view bias_name) {
  const TensorId gates = spread_over_band(b, "state.gates_spread", "state.gates", projected);
  const Bands bands = b.tensor(gates).along_x;
  Bands heads = bands;
  heads.group = bands.group / gates_per_head;
  const TensorId decay = b.weight_vector(decay_name, WeightRole::state_space, Axis::x, heads);
  const TensorId bias = b.weight_vector(bias_name, WeightRole::state_space, Axis::x, heads);
  const TensorId decays = gates_per_head == 2 ? gates : b.vector("state.decays", Axis::x, heads);
  Step& open = b.elementwise(Part::state, ElementOp::linear_gates, "state.linear_gates", gates, bias, decays, 3,
                             bands.vectors_per_pe());
  open.third = decay;
  open.exponentials = exponentials * heads.vectors_per_pe() * b.batch();
  return {gates, decays};
}

void append_value_norm(Builder& b, std::string_view weight, TensorId values, NormOver over) {
  const std::array<NormedHeads, 1> norm{NormedHeads{values, weight, "state.square_sum", "state.norm"}};
  append_head_norms(b, Part::norm, norm, "state.norm_reduce", Axis::x, over);
}

}  // namespace

TensorId append_gated_delta_net(Builder& b, const Mixer& m, TensorId hidden) {
  const std::int64_t group = m.linear_value_heads / m.linear_key_heads;
  const Bands keys = b.bands(Axis::x, m.linear_key_heads, 1, m.linear_key_head_dim);
  const Bands values = b.bands(Axis::x, m.linear_key_heads, group, m.linear_value_head_dim);
  const TensorId q = b.vector("q", Axis::x, keys);
  const TensorId k = b.vector("k", Axis::x, keys);
  const TensorId v = b.vector("v", Axis::x, values);
  const TensorId z = b.vector("z", Axis::x, values);
  const TensorId ba = b.vector("ba", Axis::x, b.bands(Axis::x, m.linear_key_heads, 2 * group, 1));
  project_into(b, "state.q_proj", "linear_attn.in_proj_qkv.weight#q", hidden, q);
  project_into(b, "state.k_proj", "linear_attn.in_proj_qkv.weight#k", hidden, k);
  project_into(b, "state.v_proj", "linear_attn.in_proj_qkv.weight#v", hidden, v);
  project_into(b, "state.z_proj", "linear_attn.in_proj_z.weight", hidden, z);
  project_into(b, "state.ba_proj", "linear_attn.in_proj_ba.weight", hidden, ba);
  b.reduce(Part::qkv, StepKind::reduce_sum, "state.in_reduce", Axis::y, q, 5);
  append_convolution(b, "state.q_conv", "linear_attn.conv1d.weight#q", q, m.conv_kernel);
  append_convolution(b, "state.k_conv", "linear_attn.conv1d.weight#k", k, m.conv_kernel);
  append_convolution(b, "state.v_conv", "linear_attn.conv1d.weight#v", v, m.conv_kernel);
  const std::array<NormedHeads, 2> qk{NormedHeads{q, "", "state.q_square_sum", "state.q_normalize"},
                                      NormedHeads{k, "", "state.k_square_sum", "state.k_normalize"}};
  append_head_norms(b, Part::state, qk, "state.qk_norm_reduce", Axis::x, NormOver::vector);
  // Sigmoid of the step; softplus (exponential and logarithm) and exponential of the decay.
  const Gates gates = append_gates(b, ba, 2, 4, "linear_attn.A_log", "linear_attn.dt_bias");
  const TensorId q_rows = spread_over_rows(b, "state.q_spread", "q_rows", q);
  const TensorId k_rows = spread_over_rows(b, "state.k_spread", "k_rows", k);
  const MatrixState s = add_matrix_state(b, values, m.linear_key_head_dim);
  append_decay(b, s, gates.decay);
  const TensorId known = append_read(b, s, "state.read_key", "state.key_reduce", k_rows);
  b.elementwise(Part::state, ElementOp::delta, "state.delta", known, gates.step, v, 2 * values.vectors_per_pe(),
                values.dims_per_pe());
  append_update(b, s, k_rows, v);
  const TensorId out = append_read(b, s, "state.read_query", "state.query_reduce", q_rows);
  append_value_norm(b, "linear_attn.norm.weight", out, NormOver::vector);
  append_output_gate(b, "state.output_gate", out, z, true);
  return project_out(b, "linear_attn.out_proj.weight", out, b.tensor(hidden).along_y);
}

TensorId append_lightning(Builder& b, const Mixer& m, TensorId hidden) {
  const Bands heads = b.bands(Axis::x, m.heads, 1, m.head_dim);
  const TensorId q = b.vector("q", Axis::x, heads);
  const TensorId k = b.vector("k", Axis::x, heads);
  const TensorId v = b.vector("v", Axis::x, heads);
  const TensorId z = b.vector("z", Axis::x, heads);
  project_into(b, "state.q_proj", "self_attn.qkv_proj.weight#q", hidden, q);
  project_into(b, "state.k_proj", "self_attn.qkv_proj.weight#k", hidden, k);
  project_into(b, "state.v_proj", "self_attn.qkv_proj.weight#v", hidden, v);
  project_into(b, "state.z_proj", "self_attn.output_gate.weight", hidden, z);
  b.reduce(Part::qkv, StepKind::reduce_sum, "state.in_reduce", Axis::y, q, 4);
  const auto activate = [&](std::string_view label, TensorId id) {
    b.elementwise(Part::state, ElementOp::silu, label, id, kNoTensor, id, 1, b.local(id)).exponentials =
        b.local(id) * b.batch();
  };
  activate("state.q_silu", q);
  activate("state.k_silu", k);
  activate("state.v_silu", v);
  const TensorId q_rows = spread_over_rows(b, "state.q_spread", "q_rows", q);
  const TensorId k_rows = spread_over_rows(b, "state.k_spread", "k_rows", k);
  const MatrixState s = add_matrix_state(b, heads, m.head_dim);
  append_decay(b, s, kNoTensor);  // a constant of the head
  append_update(b, s, k_rows, v);
  const TensorId out = append_read(b, s, "state.read_query", "state.query_reduce", q_rows);
  append_value_norm(b, "self_attn.norm.weight", out, NormOver::all);
  append_output_gate(b, "state.output_gate", out, z, false);
  return project_out(b, "self_attn.out_proj.weight", out, b.tensor(hidden).along_y);
}

TensorId append_mamba2(Builder& b, const Mixer& m, TensorId hidden) {
  const std::int64_t group = m.heads / m.n_groups;
  const Bands values = b.bands(Axis::x, m.n_groups, group, m.head_dim);
  const Bands keys = b.bands(Axis::x, m.n_groups, 1, m.d_state);
  const TensorId z = b.vector("z", Axis::x, values);
  const TensorId v = b.vector("v", Axis::x, values);
  const TensorId k = b.vector("k", Axis::x, keys);
  const TensorId q = b.vector("q", Axis::x, keys);
  const TensorId dt = b.vector("dt", Axis::x, b.bands(Axis::x, m.n_groups, group, 1));
  project_into(b, "state.z_proj", "mixer.in_proj.weight#z", hidden, z);
  project_into(b, "state.v_proj", "mixer.in_proj.weight#x", hidden, v);
  project_into(b, "state.k_proj", "mixer.in_proj.weight#B", hidden, k);
  project_into(b, "state.q_proj", "mixer.in_proj.weight#C", hidden, q);
  project_into(b, "state.dt_proj", "mixer.in_proj.weight#dt", hidden, dt);
  b.reduce(Part::qkv, StepKind::reduce_sum, "state.in_reduce", Axis::y, z, 5);
  append_convolution(b, "state.v_conv", "mixer.conv1d.weight#x", v, m.conv_kernel);
  append_convolution(b, "state.k_conv", "mixer.conv1d.weight#B", k, m.conv_kernel);
  append_convolution(b, "state.q_conv", "mixer.conv1d.weight#C", q, m.conv_kernel);
  // Softplus of the step (exponential and logarithm), exponential of the decay.
  const Gates gates = append_gates(b, dt, 1, 3, "mixer.A_log", "mixer.dt_bias");
  const TensorId q_rows = spread_over_rows(b, "state.q_spread", "q_rows", q);
  const TensorId k_rows = spread_over_rows(b, "state.k_spread", "k_rows", k);
  const MatrixState s = add_matrix_state(b, values, m.d_state);
  append_decay(b, s, gates.decay);
  const TensorId stepped = b.vector("stepped", Axis::x, values);
  b.elementwise(Part::state, ElementOp::multiply, "state.step", v, gates.step, stepped, values.vectors_per_pe(),
                values.dims_per_pe());
  append_update(b, s, k_rows, stepped);
  const TensorId out = append_read(b, s, "state.read_query", "state.query_reduce", q_rows);
  const TensorId skip = b.weight_vector("mixer.D", WeightRole::state_space, Axis::x, Builder::one_each(values));
  b.elementwise(Part::state, ElementOp::skip_connection, "state.skip", v, skip, out, values.vectors_per_pe(),
                values.dims_per_pe());
  append_output_gate(b, "state.output_gate", out, z, true);
  append_value_norm(b, "mixer.norm.weight", out, NormOver::head);
  return project_out(b, "mixer.out_proj.weight", out, b.tensor(hidden).along_y);
}

}  // namespace waferline::kernels
