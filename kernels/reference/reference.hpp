#pragma once
// The kernels of a decode step in double precision, without a mesh: what the emulated ones are compared with.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace waferline::kernels::reference {

/// Row-major (rows, cols).
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<double> values;
};

/// y = W x, and |W| |x|, to which the error of a sum in any order is proportional.
struct Product {
  std::vector<double> values;
  std::vector<double> magnitudes;
};
Product multiply(const Matrix& weights, std::span<const double> x);

/// x / sqrt(mean(x^2) + epsilon) x weight.
std::vector<double> rms_norm(std::span<const double> x, std::span<const double> weight, double epsilon);

/// (x - mean) / sqrt(variance + epsilon) x weight + bias; an empty bias is none.
std::vector<double> layer_norm(std::span<const double> x, std::span<const double> weight, std::span<const double> bias,
                               double epsilon);

/// exp(x - max) / sum.
std::vector<double> softmax(std::span<const double> x);

/// Attention of one query over `keys` and `values`, both (positions, head_dim); scores are multiplied by `scale`.
std::vector<double> attend(std::span<const double> query, const Matrix& keys, const Matrix& values, double scale);

/// The same with a sink: one more score, not scaled, whose value is zero.
std::vector<double> attend_with_sink(std::span<const double> query, const Matrix& keys, const Matrix& values,
                                     double scale, double sink);

/// Rotates the pairs (2 j, 2 j + 1) of x by angles[j].
std::vector<double> rotate(std::span<const double> x, std::span<const double> angles);

/// silu(gate) x up.
std::vector<double> silu_multiply(std::span<const double> gate, std::span<const double> up);

/// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
std::vector<double> gelu(std::span<const double> x);

/// x += y.
void add(std::vector<double>& x, std::span<const double> y);

/// Replaces every piece of `size` elements by what `function` makes of it.
void for_each_piece(std::vector<double>& x, std::int64_t size,
                    const std::function<std::vector<double>(std::span<const double>)>& function);

/// A B, A^T, and the columns of A followed by those of B.
Matrix product(const Matrix& a, const Matrix& b);
Matrix transposed(const Matrix& a);
Matrix joined(const Matrix& a, const Matrix& b);

/// Indices of the k largest, the largest first; of equal ones the lower index first.
std::vector<std::int64_t> top_k(std::span<const double> values, std::int64_t k);

/// Relative error bound of a sum of n terms, each rounded to a type of unit roundoff u: n u / (1 - n u).
double sum_bound(std::int64_t n, double unit_roundoff);

}  // namespace waferline::kernels::reference
