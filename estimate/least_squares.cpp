// Follows: C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, 1974, algorithm NNLS (23.10).
#include "estimate/least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace waferline {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

/// Columns of unit length make one tolerance right for all; the solution is scaled back at the end.
class ActiveSet {
 public:
  ActiveSet(Matrix matrix, const Vector& target) : matrix_(std::move(matrix)), target_(target) {
    scale_ = matrix_.colwise().norm();
    for (Eigen::Index j = 0; j < matrix_.cols(); ++j) {
      if (scale_[j] > 0) matrix_.col(j) /= scale_[j];
    }
    solution_ = Vector::Zero(matrix_.cols());
    free_.assign(static_cast<std::size_t>(matrix_.cols()), false);
  }

  Vector solve() {
    // Lawson and Hanson prove that the loop ends; the bound catches cycling by rounding.
    const int limit = 30 * static_cast<int>(matrix_.cols()) + 30;
    for (int pass = 0; pass < limit; ++pass) {
      const Eigen::Index entering = steepest();
      if (entering < 0) break;
      free_[static_cast<std::size_t>(entering)] = true;
      if (!descend(entering)) refused_ = entering;
    }
    for (Eigen::Index j = 0; j < solution_.size(); ++j) {
      if (scale_[j] > 0) solution_[j] /= scale_[j];
    }
    return solution_;
  }

 private:
  bool is_free(Eigen::Index j) const { return free_[static_cast<std::size_t>(j)]; }

  /// The bound column along which the residual falls fastest, or -1 if none does.
  Eigen::Index steepest() const {
    const Vector gradient = matrix_.transpose() * (target_ - matrix_ * solution_);
    const double tolerance = 1e-11 * std::max(1.0, target_.norm());
    Eigen::Index best = -1;
    for (Eigen::Index j = 0; j < gradient.size(); ++j) {
      if (is_free(j) || scale_[j] <= 0 || j == refused_ || gradient[j] <= tolerance) continue;
      if (best < 0 || gradient[j] > gradient[best]) best = j;
    }
    return best;
  }

  /// Unconstrained solution over the free columns, zero elsewhere.
  Vector solve_free() const {
    std::vector<Eigen::Index> columns;
    for (Eigen::Index j = 0; j < matrix_.cols(); ++j) {
      if (is_free(j)) columns.push_back(j);
    }
    const Matrix part = matrix_(Eigen::all, columns);
    const Vector found = part.colPivHouseholderQr().solve(target_);
    Vector full = Vector::Zero(matrix_.cols());
    for (std::size_t k = 0; k < columns.size(); ++k) full[columns[k]] = found[static_cast<Eigen::Index>(k)];
    return full;
  }

  /// Moves towards the solution over the free columns and binds those that reach zero. False if the entering column
  /// itself must go back at once, which only rounding brings about.
  bool descend(Eigen::Index entering) {
    refused_ = -1;
    while (true) {
      const Vector wanted = solve_free();
      if (wanted[entering] <= 0 && solution_[entering] <= 0) {
        free_[static_cast<std::size_t>(entering)] = false;
        return false;
      }
      double step = 1;
      for (Eigen::Index j = 0; j < wanted.size(); ++j) {
        if (is_free(j) && wanted[j] <= 0) step = std::min(step, solution_[j] / (solution_[j] - wanted[j]));
      }
      solution_ += step * (wanted - solution_);
      if (step >= 1) return true;
      for (Eigen::Index j = 0; j < wanted.size(); ++j) {
        if (is_free(j) && wanted[j] <= 0 && solution_[j] <= 1e-15) {
          solution_[j] = 0;
          free_[static_cast<std::size_t>(j)] = false;
        }
      }
    }
  }

  Matrix matrix_;
  Vector target_;
  Eigen::RowVectorXd scale_;
  Vector solution_;
  std::vector<bool> free_;
  Eigen::Index refused_ = -1;
};

void check_finite(std::span<const double> numbers) {
  for (const double number : numbers) {
    if (!std::isfinite(number)) throw std::invalid_argument("least squares: a number is not finite");
  }
}

void check_rows(std::span<const FitRow> rows, std::span<const double> lowest) {
  if (rows.empty()) throw std::invalid_argument("least squares: no rows");
  const std::size_t terms = rows.front().terms.size();
  if (!lowest.empty() && lowest.size() != terms) throw std::invalid_argument("least squares: one bound for each term");
  check_finite(lowest);
  for (const FitRow& row : rows) {
    if (row.terms.size() != terms) throw std::invalid_argument("least squares: row " + row.id + " has other terms");
    check_finite(row.terms);
    if (!std::isfinite(row.known) || !std::isfinite(row.measured) || row.measured <= 0)
      throw std::invalid_argument("least squares: row " + row.id + " has no positive measured value");
  }
}

}  // namespace

std::vector<double> nonnegative_least_squares(std::span<const double> matrix, std::size_t rows, std::size_t cols,
                                              std::span<const double> target) {
  if (rows == 0 || cols == 0 || matrix.size() != rows * cols || target.size() != rows)
    throw std::invalid_argument("least squares: the sizes do not fit");
  check_finite(matrix);
  check_finite(target);
  const auto m = static_cast<Eigen::Index>(rows);
  const auto n = static_cast<Eigen::Index>(cols);
  ActiveSet active(Eigen::Map<const Matrix>(matrix.data(), m, n), Eigen::Map<const Vector>(target.data(), m));
  const Vector solution = active.solve();
  return {solution.data(), solution.data() + solution.size()};
}

double predict(const FitRow& row, std::span<const double> coefficients) {
  assert(row.terms.size() == coefficients.size() && "one coefficient for each term");
  double sum = row.known;
  for (std::size_t j = 0; j < coefficients.size(); ++j) sum += coefficients[j] * row.terms[j];
  return sum;
}

LinearFit fit_relative(std::span<const FitRow> rows, std::span<const double> lowest) {
  check_rows(rows, lowest);
  const std::size_t terms = rows.front().terms.size();
  LinearFit fit;
  fit.coefficients.assign(terms, 0);
  if (!lowest.empty()) fit.coefficients.assign(lowest.begin(), lowest.end());

  // Shifting by the bounds leaves a problem whose only bounds are zeros.
  std::vector<double> matrix;
  std::vector<double> target;
  for (const FitRow& row : rows) {
    target.push_back((row.measured - predict(row, fit.coefficients)) / row.measured);
    for (const double term : row.terms) matrix.push_back(term / row.measured);
  }
  const std::vector<double> above = nonnegative_least_squares(matrix, rows.size(), terms, target);
  for (std::size_t j = 0; j < terms; ++j) fit.coefficients[j] += above[j];

  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double error = (predict(rows[i], fit.coefficients) / rows[i].measured - 1) * 100;
    fit.errors_pct.push_back(error);
    fit.mean_abs_error_pct += std::abs(error) / static_cast<double>(rows.size());
    if (std::abs(error) > fit.worst_abs_error_pct) {
      fit.worst_abs_error_pct = std::abs(error);
      fit.worst_row = i;
    }
  }
  return fit;
}

}  // namespace waferline
