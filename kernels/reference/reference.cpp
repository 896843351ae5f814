// Follows: N. Higham, Accuracy and Stability of Numerical Algorithms, 2002, lemma 3.1 (gamma_n); RMSNorm (arXiv
// 1910.07467, equation 4); rotary embedding (arXiv 2104.09864, equation 34); SwiGLU (arXiv 2002.05202, equation 6).
#include "kernels/reference/reference.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace waferline::kernels::reference {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> view(const Matrix& matrix) {
  return {matrix.values.data(), matrix.rows, matrix.cols};
}

Eigen::Map<const Eigen::VectorXd> view(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

std::vector<double> to_vector(const Eigen::VectorXd& x) {
  return {x.data(), x.data() + x.size()};
}

}  // namespace

Product multiply(const Matrix& weights, std::span<const double> x) {
  return {to_vector(view(weights) * view(x)), to_vector(view(weights).cwiseAbs() * view(x).cwiseAbs())};
}

std::vector<double> rms_norm(std::span<const double> x, std::span<const double> weight, double epsilon) {
  const double scale = 1 / std::sqrt(view(x).squaredNorm() / static_cast<double>(x.size()) + epsilon);
  return to_vector((view(x) * scale).cwiseProduct(view(weight)));
}

std::vector<double> layer_norm(std::span<const double> x, std::span<const double> weight, std::span<const double> bias,
                               double epsilon) {
  const Eigen::VectorXd centered = view(x).array() - view(x).mean();
  const double scale = 1 / std::sqrt(centered.squaredNorm() / static_cast<double>(x.size()) + epsilon);
  Eigen::VectorXd out = (centered * scale).cwiseProduct(view(weight));
  if (!bias.empty()) out += view(bias);
  return to_vector(out);
}

std::vector<double> softmax(std::span<const double> x) {
  const Eigen::VectorXd powers = (view(x).array() - view(x).maxCoeff()).exp();
  return to_vector(powers / powers.sum());
}

std::vector<double> attend(std::span<const double> query, const Matrix& keys, const Matrix& values, double scale) {
  const std::vector<double> weights = softmax(to_vector(view(keys) * view(query) * scale));
  return to_vector(view(values).transpose() * view(weights));
}

std::vector<double> attend_with_sink(std::span<const double> query, const Matrix& keys, const Matrix& values,
                                     double scale, double sink) {
  std::vector<double> scores = to_vector(view(keys) * view(query) * scale);
  scores.push_back(sink);
  std::vector<double> weights = softmax(scores);
  weights.pop_back();
  return to_vector(view(values).transpose() * view(weights));
}

std::vector<double> rotate(std::span<const double> x, std::span<const double> angles) {
  std::vector<double> out(x.begin(), x.end());
  for (std::size_t pair = 0; pair < angles.size(); ++pair) {
    out[2 * pair] = x[2 * pair] * std::cos(angles[pair]) - x[2 * pair + 1] * std::sin(angles[pair]);
    out[2 * pair + 1] = x[2 * pair + 1] * std::cos(angles[pair]) + x[2 * pair] * std::sin(angles[pair]);
  }
  return out;
}

std::vector<double> silu_multiply(std::span<const double> gate, std::span<const double> up) {
  std::vector<double> out;
  for (std::size_t i = 0; i < gate.size(); ++i) out.push_back(gate[i] / (1 + std::exp(-gate[i])) * up[i]);
  return out;
}

std::vector<double> gelu(std::span<const double> x) {
  const double factor = std::sqrt(2 / std::numbers::pi);
  std::vector<double> out;
  for (const double v : x) out.push_back(v / 2 * (1 + std::tanh(factor * (v + 0.044715 * v * v * v))));
  return out;
}

void add(std::vector<double>& x, std::span<const double> y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
}

void for_each_piece(std::vector<double>& x, std::int64_t size,
                    const std::function<std::vector<double>(std::span<const double>)>& function) {
  for (auto begin = x.begin(); begin != x.end(); begin += size) {
    const std::vector<double> made = function(std::span(&*begin, static_cast<std::size_t>(size)));
    std::copy(made.begin(), made.end(), begin);
  }
}

namespace {

Matrix to_matrix(const RowMajor& m) {
  return {m.rows(), m.cols(), {m.data(), m.data() + m.size()}};
}

}  // namespace

Matrix product(const Matrix& a, const Matrix& b) {
  return to_matrix(view(a) * view(b));
}

Matrix transposed(const Matrix& a) {
  return to_matrix(view(a).transpose());
}

Matrix joined(const Matrix& a, const Matrix& b) {
  RowMajor both(a.rows, a.cols + b.cols);
  both << view(a), view(b);
  return to_matrix(both);
}

std::vector<std::int64_t> top_k(std::span<const double> values, std::int64_t k) {
  std::vector<std::int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return values[static_cast<std::size_t>(a)] > values[static_cast<std::size_t>(b)];
  });
  order.resize(static_cast<std::size_t>(std::min<std::int64_t>(k, static_cast<std::int64_t>(order.size()))));
  return order;
}

double sum_bound(std::int64_t n, double unit_roundoff) {
  const double nu = static_cast<double>(n) * unit_roundoff;
  return nu / (1 - nu);
}

}  // namespace waferline::kernels::reference
