// Follows: Leviathan et al. (arXiv 2211.17192), equation 1, with one acceptance for each position;
// docs/model/60-serving.md, F65 to F67.
#include "estimate/speculation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "arch/error.hpp"

namespace waferline::estimate {
namespace {

Seconds measured_round(const SpeculationRow& row) {
  return time_for(row.tokens_per_pass, row.rate);
}

/// Least squares of ((pass + k extra) - round) / round over all rows but one.
Seconds fit_without(Seconds pass, std::span<const SpeculationRow> rows, std::optional<std::size_t> left_out) {
  double numerator = 0;
  double denominator = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == left_out) continue;
    const double round = measured_round(rows[i]).value;
    const double drafted = static_cast<double>(rows[i].drafted) / round;
    numerator += drafted * (round - pass.value) / round;
    denominator += drafted * drafted;
  }
  return Seconds{numerator / denominator};
}

double rate_error(Seconds pass, Seconds extra, const SpeculationRow& row) {
  const Seconds round = pass + extra * static_cast<double>(row.drafted);
  return measured_round(row) / round - 1;
}

void require_rows(Seconds pass, std::span<const SpeculationRow> rows) {
  if (!(pass.value > 0)) throw ConfigError(fmt::format("pass: is {} s, permitted is more than 0", pass.value));
  if (rows.size() < 2) throw ConfigError(fmt::format("rows: there are {}, permitted are 2 or more", rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].drafted < 1 || !(rows[i].tokens_per_pass >= 1) || !(rows[i].rate.value > 0)) {
      throw ConfigError(fmt::format(
          "rows[{}]: {} drafted, {} tokens a pass, {} tokens/s, permitted are 1 or more, 1 or more and more than 0", i,
          rows[i].drafted, rows[i].tokens_per_pass, rows[i].rate.value));
    }
  }
}

}  // namespace

double expected_tokens(std::span<const double> acceptance) {
  double tokens = 1;
  double all_accepted = 1;
  for (std::size_t i = 0; i < acceptance.size(); ++i) {
    if (!(acceptance[i] >= 0 && acceptance[i] <= 1)) {
      throw ConfigError(fmt::format("acceptance[{}]: is {}, permitted is 0 to 1", i, acceptance[i]));
    }
    all_accepted *= acceptance[i];
    tokens += all_accepted;
  }
  return tokens;
}

SpeculationCosts linear_costs(Seconds pass, Seconds extra, std::int64_t most_drafted) {
  if (!(pass.value > 0) || !(extra.value >= 0) || most_drafted < 0) {
    throw ConfigError(
        fmt::format("speculation: pass {} s, extra {} s, {} drafted; permitted are more than 0, 0 or more, 0 "
                    "or more",
                    pass.value, extra.value, most_drafted));
  }
  SpeculationCosts costs;
  for (std::int64_t k = 0; k <= most_drafted; ++k) {
    costs.verification.push_back(pass + extra * static_cast<double>(k));
  }
  return costs;
}

SpeculationStudy study_speculation(const SpeculationCosts& costs, std::span<const double> tokens_per_pass) {
  if (tokens_per_pass.empty() || tokens_per_pass.size() != costs.verification.size()) {
    throw ConfigError(fmt::format("tokens_per_pass: has {} entries, permitted are {}, one for each draft length from 0",
                                  tokens_per_pass.size(), costs.verification.size()));
  }
  SpeculationStudy study;
  for (std::size_t k = 0; k < tokens_per_pass.size(); ++k) {
    const auto drafted = static_cast<double>(k);
    const double tokens = tokens_per_pass[k];
    if (!(tokens >= 1 && tokens <= drafted + 1)) {
      throw ConfigError(fmt::format("tokens_per_pass[{}]: is {}, permitted is 1 to {}", k, tokens, k + 1));
    }
    const Seconds round = costs.verification[k] + costs.drafted_token * drafted;
    study.choices.push_back({static_cast<std::int64_t>(k), tokens, round, TokensPerSecond{tokens / round.value}});
    if (study.choices[k].rate > study.choices[study.best].rate) study.best = k;
  }
  return study;
}

SpeculationFit fit_speculation(Seconds pass, std::span<const SpeculationRow> rows) {
  require_rows(pass, rows);
  SpeculationFit fit;
  fit.extra = fit_without(pass, rows, std::nullopt);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fit.error.push_back(rate_error(pass, fit.extra, rows[i]));
    fit.held_out_fit.push_back(fit_without(pass, rows, i));
    fit.held_out.push_back(rate_error(pass, fit.held_out_fit.back(), rows[i]));
  }
  return fit;
}

}  // namespace waferline::estimate
