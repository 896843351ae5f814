#include "estimate/least_squares.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "estimate/holdout.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;

namespace {

struct Problem {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<double> matrix;
  std::vector<double> target;
};

double distance2(const Problem& problem, const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t i = 0; i < problem.rows; ++i) {
    double difference = -problem.target[i];
    for (std::size_t j = 0; j < problem.cols; ++j) difference += problem.matrix[i * problem.cols + j] * x[j];
    sum += difference * difference;
  }
  return sum;
}

/// Gauss-Jordan on the normal equations of the chosen columns; nothing if they are singular.
std::vector<double> solve_columns(const Problem& problem, const std::vector<std::size_t>& columns) {
  const std::size_t n = columns.size();
  std::vector<std::vector<long double>> a(n, std::vector<long double>(n + 1, 0));
  for (std::size_t i = 0; i < problem.rows; ++i) {
    const double* row = &problem.matrix[i * problem.cols];
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = 0; q < n; ++q) a[p][q] += static_cast<long double>(row[columns[p]]) * row[columns[q]];
      a[p][n] += static_cast<long double>(row[columns[p]]) * problem.target[i];
    }
  }
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r) pivot = std::abs(a[r][c]) > std::abs(a[pivot][c]) ? r : pivot;
    if (std::abs(a[pivot][c]) < 1e-12L) return {};
    std::swap(a[c], a[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const long double factor = a[r][c] / a[c][c];
      for (std::size_t q = c; q <= n; ++q) a[r][q] -= factor * a[c][q];
    }
  }
  std::vector<double> x;
  for (std::size_t c = 0; c < n; ++c) x.push_back(static_cast<double>(a[c][n] / a[c][c]));
  return x;
}

/// The least distance over all choices of columns that are free to be positive.
double brute_force(const Problem& problem) {
  double best = distance2(problem, std::vector<double>(problem.cols, 0.0));
  for (unsigned mask = 1; mask < (1U << problem.cols); ++mask) {
    std::vector<std::size_t> columns;
    for (std::size_t j = 0; j < problem.cols; ++j) {
      if ((mask >> j) & 1U) columns.push_back(j);
    }
    const std::vector<double> part = solve_columns(problem, columns);
    std::vector<double> x(problem.cols, 0.0);
    bool allowed = !part.empty();
    for (std::size_t k = 0; k < part.size(); ++k) {
      x[columns[k]] = part[k];
      allowed = allowed && part[k] >= 0;
    }
    if (allowed) best = std::min(best, distance2(problem, x));
  }
  return best;
}

Problem random_problem(std::mt19937& random) {
  const auto real = [&] { return std::uniform_real_distribution<double>(-1, 1)(random); };
  Problem problem;
  problem.cols = 1 + random() % 6;
  problem.rows = problem.cols + random() % 20;
  const double scale = std::pow(10.0, static_cast<double>(random() % 7) - 3);
  for (std::size_t i = 0; i < problem.rows * problem.cols; ++i) problem.matrix.push_back(real() * scale);
  for (std::size_t i = 0; i < problem.rows; ++i) problem.target.push_back(real());
  return problem;
}

}  // namespace

TEST_CASE("non-negative least squares is as near as the best of all choices of free columns") {
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    const Problem problem = random_problem(random);
    const std::vector<double> x = nonnegative_least_squares(problem.matrix, problem.rows, problem.cols, problem.target);
    for (const double value : x) CHECK(value >= 0);
    CHECK(distance2(problem, x) == Approx(brute_force(problem)).epsilon(1e-9).margin(1e-12));
  }
}

TEST_CASE("a column that is zero everywhere gets nothing and two equal columns share what one would get") {
  const std::vector<double> matrix = {1, 1, 0, 2, 2, 0, 3, 3, 0};
  const std::vector<double> x = nonnegative_least_squares(matrix, 3, 3, std::vector<double>{2, 4, 6});
  CHECK(x[0] + x[1] == Approx(2));
  CHECK(x[2] == 0);
}

TEST_CASE("a fit on relative error finds the coefficients that made the rows") {
  std::vector<FitRow> rows;
  for (int i = 1; i <= 12; ++i) {
    FitRow row{.id = "r" + std::to_string(i), .terms = {i * 1.0, 100.0 / i, 1.0}, .known = 0.25, .measured = 0};
    row.measured = 0.25 + 3 * row.terms[0] + 0.5 * row.terms[1] + 7;
    rows.push_back(row);
  }
  const LinearFit fit = fit_relative(rows);
  CHECK(fit.coefficients[0] == Approx(3));
  CHECK(fit.coefficients[1] == Approx(0.5));
  CHECK(fit.coefficients[2] == Approx(7));
  CHECK(fit.worst_abs_error_pct < 1e-9);
}

TEST_CASE("relative error weighs a small row as much as a large one") {
  // One coefficient, two rows that disagree: on relative error the answer does not depend on the size of the rows.
  const std::vector<FitRow> rows = {{"small", {1}, 0, 1.1}, {"large", {1000}, 0, 900}};
  const double expected = (1 / 1.1 + 1 / 0.9) / (1 / (1.1 * 1.1) + 1 / (0.9 * 0.9));
  CHECK(fit_relative(rows).coefficients[0] == Approx(expected));
}

TEST_CASE("a lower bound holds and what it takes is made up by the other terms") {
  std::vector<FitRow> rows;
  for (int i = 1; i <= 6; ++i) rows.push_back({"r", {i * 1.0, 1.0}, 0, 0.8 * i + 2});
  const std::vector<double> lowest = {1, 0};
  const LinearFit fit = fit_relative(rows, lowest);
  CHECK(fit.coefficients[0] == 1);
  CHECK(fit.coefficients[1] > 0);
  CHECK(fit.coefficients[1] < 2);
  CHECK(fit.errors_pct.size() == rows.size());
  CHECK(std::abs(fit.errors_pct[fit.worst_row]) == fit.worst_abs_error_pct);
}

TEST_CASE("rows that cannot be fitted are refused") {
  const std::vector<FitRow> uneven = {{"a", {1, 2}, 0, 1}, {"b", {1}, 0, 1}};
  const std::vector<FitRow> negative = {{"a", {1}, 0, -1}};
  const std::vector<FitRow> endless = {{"a", {std::numeric_limits<double>::infinity()}, 0, 1}};
  CHECK_THROWS_AS(fit_relative({}), std::invalid_argument);
  CHECK_THROWS_AS(fit_relative(uneven), std::invalid_argument);
  CHECK_THROWS_AS(fit_relative(negative), std::invalid_argument);
  CHECK_THROWS_AS(fit_relative(endless), std::invalid_argument);
  CHECK_THROWS_AS(nonnegative_least_squares(std::vector<double>{1, 2}, 1, 1, std::vector<double>{1}),
                  std::invalid_argument);
}

TEST_CASE("a holdout keeps groups whole, leaves out the share asked for and repeats itself") {
  std::vector<std::string> groups;
  for (int i = 0; i < 60; ++i) groups.push_back("g" + std::to_string(i % 10));
  std::vector<bool> earlier;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<bool> held = held_out_rows(groups, 0.3, seed);
    CHECK(std::count(held.begin(), held.end(), true) == 18);
    for (std::size_t i = 10; i < groups.size(); ++i) CHECK(held[i] == held[i - 10]);
    CHECK(held == held_out_rows(groups, 0.3, seed));
    CHECK(held != earlier);
    earlier = held;
  }
}

TEST_CASE("a holdout of three groups leaves out one, and of one group is refused") {
  const std::vector<std::string> three = {"a", "b", "c", "a"};
  const std::vector<bool> held = held_out_rows(three, 0.3, 1);
  CHECK(held[0] == held[3]);
  CHECK(held[0] + held[1] + held[2] == 1);
  CHECK_THROWS_AS(held_out_rows(std::vector<std::string>{"a", "a"}, 0.3, 1), std::invalid_argument);
  CHECK_THROWS_AS(held_out_rows(three, 1.0, 1), std::invalid_argument);
}
