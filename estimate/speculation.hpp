#pragma once
// Speculative decoding: what drafted tokens cost, what they yield, and how many to draft.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arch/units.hpp"

namespace waferline::estimate {

/// Mean tokens that a verification pass yields when `acceptance.size()` tokens are drafted: the one that the model
/// itself gives, and drafted ones up to the first that is refused. `acceptance[i]` is the probability that the draft at
/// position i is accepted if all before it were. Model: F65.
/// Errors: ConfigError naming the position of a probability outside 0 to 1.
double expected_tokens(std::span<const double> acceptance);

/// Times of one round: draft one token after the other, then verify them in a single pass.
struct SpeculationCosts {
  Seconds drafted_token;              ///< one token of the draft model, or one use of the multi-token-prediction head
  std::vector<Seconds> verification;  ///< [k]: pass of the model with k + 1 rows; [0] is a pass without speculation
};

/// Costs that grow by the same time with each drafted token. `extra` holds drafting and the further row together.
/// Errors: ConfigError for a pass that is not positive, an `extra` below 0 or fewer drafted tokens than 0.
SpeculationCosts linear_costs(Seconds pass, Seconds extra, std::int64_t most_drafted);

/// One draft length.
struct SpeculationChoice {
  std::int64_t drafted = 0;
  double tokens_per_pass = 1;  ///< expected, the model's own token included
  Seconds round;               ///< drafting and verification
  TokensPerSecond rate;        ///< of one user
};

/// All draft lengths from 0 on, and which is fastest.
struct SpeculationStudy {
  std::vector<SpeculationChoice> choices;
  std::size_t best = 0;  ///< index into `choices`; of equals the shortest
};

/// Compares draft lengths. `tokens_per_pass[k]` are the mean tokens that a pass yields with k drafted; [0] is 1. Model:
/// F66. Errors: ConfigError if it is not as long as `costs.verification`, or an entry is below 1 or above k + 1.
SpeculationStudy study_speculation(const SpeculationCosts& costs, std::span<const double> tokens_per_pass);

/// A measured speed with so many drafted tokens.
struct SpeculationRow {
  std::int64_t drafted = 0;
  double tokens_per_pass = 0;
  TokensPerSecond rate;
};

/// One fitted constant with how well it explains its rows.
struct SpeculationFit {
  Seconds extra;                      ///< drafting one token and verifying its row, together
  std::vector<double> error;          ///< predicted rate over measured, less 1, of each row
  std::vector<double> held_out;       ///< the same with that row left out of the fit
  std::vector<Seconds> held_out_fit;  ///< `extra` without that row
};

/// Fits `extra` of linear_costs to measured rates; the pass without speculation is taken as given, not fitted. One
/// round of row i lasted tokens_per_pass / rate; least squares on its relative error has a closed form. Drafting and
/// verification are collinear in such rows: only their sum is found. Model: F67.
/// Errors: ConfigError for fewer than two rows, or a row without drafted tokens or with a rate that is not positive.
SpeculationFit fit_speculation(Seconds pass, std::span<const SpeculationRow> rows);

}  // namespace waferline::estimate
