// Follows: gated delta rule (arXiv 2412.06464, equation 10), lightning attention (arXiv 2401.04658, equation 4),
// Mamba-2 (arXiv 2405.21060, section 3), selective state spaces (arXiv 2312.00752, algorithm 2) with Jamba's norms.
#include <cmath>

#include "kernels/emulate/seeded/reference_weights.hpp"

namespace waferline::kernels::emulate {
namespace {

using models::Mixer;
using reference::Matrix;
using Vector = std::vector<double>;

double softplus(double x) {
  return std::log1p(std::exp(-std::abs(x))) + std::max(x, 0.0);
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

Vector times(const ReferenceWeights& w, const char* name, const Vector& x) {
  return w.times(name, x);
}

/// Causal convolution of the newest input with those before it, then silu. `occurrence` counts the convolutions.
Vector convolved(const ReferenceWeights& w, const char* filter, int occurrence, std::int64_t copy, const Vector& x) {
  const Vector taps = w.vector(filter);
  const Matrix earlier = w.state("conv_state", copy, occurrence);
  const Vector bias = w.vector_after(filter, 0, "conv1d.bias");
  const std::int64_t kernel = earlier.cols + 1;
  Vector out;
  for (std::int64_t channel = 0; channel < earlier.rows; ++channel) {
    double sum = bias.empty() ? 0 : bias[at(channel)];
    for (std::int64_t tap = 0; tap + 1 < kernel; ++tap)
      sum += taps[at(channel * kernel + tap)] * earlier.values[at(channel * earlier.cols + tap)];
    sum += taps[at(channel * kernel + kernel - 1)] * x[at(channel)];
    out.push_back(sum * sigmoid(sum));
  }
  return out;
}

/// One head's state, (value dimensions, key dimensions), out of the mixer's.
struct HeadState {
  Matrix& state;
  std::int64_t first;
  std::int64_t dims;

  double& element(std::int64_t value, std::int64_t key) { return state.values[at((first + value) * state.cols + key)]; }
  void scale(double by) {
    for (std::int64_t v = 0; v < dims; ++v) {
      for (std::int64_t k = 0; k < state.cols; ++k) element(v, k) *= by;
    }
  }
  double read(std::int64_t value, std::span<const double> key) {
    double sum = 0;
    for (std::int64_t k = 0; k < state.cols; ++k) sum += element(value, k) * key[at(k)];
    return sum;
  }
  void write(std::int64_t value, std::span<const double> key, double amount) {
    for (std::int64_t k = 0; k < state.cols; ++k) element(value, k) += key[at(k)] * amount;
  }
};

std::span<const double> piece(const Vector& x, std::int64_t index, std::int64_t size) {
  return std::span(x).subspan(at(index * size), at(size));
}

Vector unit(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  Vector out(x.begin(), x.end());
  for (double& value : out) value /= std::sqrt(sum + 1e-6);
  return out;
}

void gate_with_silu(Vector& out, const Vector& z) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] *= z[i] * sigmoid(z[i]);
}

}  // namespace

Vector gated_delta_net(const ReferenceWeights& w, const Mixer& m, std::int64_t copy, const Vector& hidden) {
  const std::int64_t group = m.linear_value_heads / m.linear_key_heads;
  const std::int64_t key_dim = m.linear_key_head_dim;
  const std::int64_t dims = m.linear_value_head_dim;
  Vector q = convolved(w, "linear_attn.conv1d.weight#q", 0, copy, times(w, "linear_attn.in_proj_qkv.weight#q", hidden));
  Vector k = convolved(w, "linear_attn.conv1d.weight#k", 1, copy, times(w, "linear_attn.in_proj_qkv.weight#k", hidden));
  const Vector v =
      convolved(w, "linear_attn.conv1d.weight#v", 2, copy, times(w, "linear_attn.in_proj_qkv.weight#v", hidden));
  reference::for_each_piece(q, key_dim, unit);
  reference::for_each_piece(k, key_dim, unit);
  const Vector gates = times(w, "linear_attn.in_proj_ba.weight", hidden);
  const Vector a = w.vector("linear_attn.A_log");
  const Vector bias = w.vector("linear_attn.dt_bias");
  Matrix state = w.state("state", copy);
  Vector out;
  for (std::int64_t head = 0; head < m.linear_value_heads; ++head) {
    const std::int64_t key_head = head / group;
    const double step = sigmoid(gates[at(key_head * 2 * group + head % group)]);
    const double rate = gates[at(key_head * 2 * group + group + head % group)] + bias[at(head)];
    HeadState own{state, head * dims, dims};
    own.scale(std::exp(a[at(head)] * softplus(rate)));
    for (std::int64_t d = 0; d < dims; ++d) {
      const auto key = piece(k, key_head, key_dim);
      own.write(d, key, step * (v[at(head * dims + d)] - own.read(d, key)));
      out.push_back(own.read(d, piece(q, key_head, key_dim)));
    }
  }
  reference::for_each_piece(out, dims, [&](std::span<const double> x) {
    return reference::rms_norm(x, w.vector("linear_attn.norm.weight"), w.epsilon());
  });
  gate_with_silu(out, times(w, "linear_attn.in_proj_z.weight", hidden));
  return times(w, "linear_attn.out_proj.weight", out);
}

Vector lightning(const ReferenceWeights& w, const Mixer& m, std::int64_t copy, const Vector& hidden) {
  const auto projected = [&](const char* name) {
    Vector x = times(w, name, hidden);
    for (double& value : x) value *= sigmoid(value);
    return x;
  };
  const Vector q = projected("self_attn.qkv_proj.weight#q");
  const Vector k = projected("self_attn.qkv_proj.weight#k");
  const Vector v = projected("self_attn.qkv_proj.weight#v");
  const Constants constants = constants_of(w.layer(), 0);
  Matrix state = w.state("state", copy);
  Vector out;
  for (std::int64_t head = 0; head < m.heads; ++head) {
    HeadState own{state, head * m.head_dim, m.head_dim};
    own.scale(static_cast<double>(constants.head_decays[at(head)]));
    for (std::int64_t d = 0; d < m.head_dim; ++d) {
      own.write(d, piece(k, head, m.head_dim), v[at(head * m.head_dim + d)]);
      out.push_back(own.read(d, piece(q, head, m.head_dim)));
    }
  }
  out = reference::rms_norm(out, w.vector("self_attn.norm.weight"), w.epsilon());
  const Vector gate = times(w, "self_attn.output_gate.weight", hidden);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] *= sigmoid(gate[i]);
  return times(w, "self_attn.out_proj.weight", out);
}

Vector mamba1(const ReferenceWeights& w, const Mixer& m, std::int64_t copy, const Vector& hidden) {
  const Vector v = convolved(w, "mamba.conv1d.weight", 0, copy, times(w, "mamba.in_proj.weight#x", hidden));
  const auto selected = [&](const char* projection, const char* norm) {
    return reference::rms_norm(times(w, projection, v), w.vector(norm), w.epsilon());
  };
  const Vector low = selected("mamba.x_proj.weight#dt", "mamba.dt_layernorm.weight");
  const Vector input = selected("mamba.x_proj.weight#B", "mamba.b_layernorm.weight");
  const Vector output = selected("mamba.x_proj.weight#C", "mamba.c_layernorm.weight");
  Vector step = times(w, "mamba.dt_proj.weight", low);
  reference::add(step, w.vector("mamba.dt_proj.bias"));
  const Vector a = w.vector("mamba.A_log");
  const Vector skip = w.vector("mamba.D");
  Matrix state = w.state("state", copy);
  Vector out;
  for (std::int64_t channel = 0; channel < m.d_inner; ++channel) {
    const double by = softplus(step[at(channel)]);
    double sum = 0;
    for (std::int64_t s = 0; s < m.d_state; ++s) {
      double& element = state.values[at(channel * m.d_state + s)];
      element = element * std::exp(by * a[at(channel * m.d_state + s)]) + by * input[at(s)] * v[at(channel)];
      sum += element * output[at(s)];
    }
    out.push_back(sum + skip[at(channel)] * v[at(channel)]);
  }
  gate_with_silu(out, times(w, "mamba.in_proj.weight#z", hidden));
  return times(w, "mamba.out_proj.weight", out);
}

Vector mamba2(const ReferenceWeights& w, const Mixer& m, std::int64_t copy, const Vector& hidden) {
  const std::int64_t group = m.heads / m.n_groups;
  const Vector v = convolved(w, "mixer.conv1d.weight#x", 0, copy, times(w, "mixer.in_proj.weight#x", hidden));
  const Vector k = convolved(w, "mixer.conv1d.weight#B", 1, copy, times(w, "mixer.in_proj.weight#B", hidden));
  const Vector q = convolved(w, "mixer.conv1d.weight#C", 2, copy, times(w, "mixer.in_proj.weight#C", hidden));
  Vector dt = times(w, "mixer.in_proj.weight#dt", hidden);
  reference::add(dt, w.vector("mixer.dt_bias"));
  const Vector a = w.vector("mixer.A_log");
  const Vector skip = w.vector("mixer.D");
  Matrix state = w.state("state", copy);
  Vector out;
  for (std::int64_t head = 0; head < m.heads; ++head) {
    const double step = softplus(dt[at(head)]);
    HeadState own{state, head * m.head_dim, m.head_dim};
    own.scale(std::exp(a[at(head)] * step));
    for (std::int64_t d = 0; d < m.head_dim; ++d) {
      const double value = v[at(head * m.head_dim + d)];
      own.write(d, piece(k, head / group, m.d_state), step * value);
      out.push_back(own.read(d, piece(q, head / group, m.d_state)) + skip[at(head)] * value);
    }
  }
  gate_with_silu(out, times(w, "mixer.in_proj.weight#z", hidden));
  const Vector weight = w.vector("mixer.norm.weight");
  Vector normed;
  for (std::int64_t g = 0; g < m.n_groups; ++g) {
    const std::int64_t size = group * m.head_dim;
    const Vector one = reference::rms_norm(piece(out, g, size), piece(weight, g, size), w.epsilon());
    normed.insert(normed.end(), one.begin(), one.end());
  }
  return times(w, "mixer.out_proj.weight", normed);
}

}  // namespace waferline::kernels::emulate
