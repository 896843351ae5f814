#pragma once
// Non-negative least squares, as every calibration here needs it: on relative error, with terms known beforehand and
// lower bounds that physics sets.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace waferline {

/// One measured value and the terms whose weighted sum should predict it:
/// predicted = known + sum over j of coefficient[j] * terms[j]. All in the unit of `measured`, coefficients without
/// unit or in the unit that makes them so.
struct FitRow {
  std::string id;
  std::vector<double> terms;
  double known = 0;
  double measured = 0;
};

/// What a fit gives.
struct LinearFit {
  std::vector<double> coefficients;
  std::vector<double> errors_pct;  // (predicted - measured) / measured of each row fitted on
  double mean_abs_error_pct = 0;
  double worst_abs_error_pct = 0;
  std::size_t worst_row = 0;
};

/// Minimises sum over rows of ((predicted - measured) / measured)^2 with coefficient[j] >= lowest[j] (0 if `lowest` is
/// empty). A term that is zero in every row keeps its lowest coefficient.
/// Errors: std::invalid_argument if there are no rows, if rows differ in their number of terms, if a number is not
/// finite or if a measured value is not positive.
/// Source: C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, 1974, chapter 23.
LinearFit fit_relative(std::span<const FitRow> rows, std::span<const double> lowest = {});

/// Prediction of one row with given coefficients. Precondition: as many coefficients as terms.
double predict(const FitRow& row, std::span<const double> coefficients);

/// Minimises |A x - b| with x >= 0; A has rows x cols numbers, row by row.
/// Errors: std::invalid_argument if the sizes do not fit or a number is not finite.
std::vector<double> nonnegative_least_squares(std::span<const double> matrix, std::size_t rows, std::size_t cols,
                                              std::span<const double> target);

}  // namespace waferline
