// Follows: the multivariate hypergeometric distribution; a token's experts are drawn without replacement.
#include "kernels/expert_choice.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace waferline::kernels {
namespace {

double log_choose(std::int64_t n, std::int64_t k) {
  return std::lgamma(static_cast<double>(n) + 1) - std::lgamma(static_cast<double>(k) + 1) -
         std::lgamma(static_cast<double>(n - k) + 1);
}

/// Probability that no band has more than `most` of the chosen experts. Bands are added one by one: given how many were
/// chosen in the first ones, the next band's share is hypergeometric in what is left.
double probability_at_most(std::int64_t experts, std::int64_t active, std::int64_t bands, std::int64_t most) {
  const std::int64_t each = experts / bands;
  std::vector<double> chosen(static_cast<std::size_t>(active) + 1, 0.0);
  chosen[0] = 1;
  for (std::int64_t band = 0; band < bands; ++band) {
    const std::int64_t rest = experts - band * each;
    std::vector<double> next(chosen.size(), 0.0);
    for (std::int64_t done = 0; done <= active; ++done) {
      const double before = chosen[static_cast<std::size_t>(done)];
      if (before == 0) continue;
      const std::int64_t left = active - done;
      for (std::int64_t here = 0; here <= std::min({most, left, each}); ++here) {
        if (left - here > rest - each) continue;
        const double log_share = log_choose(each, here) + log_choose(rest - each, left - here) - log_choose(rest, left);
        next[static_cast<std::size_t>(done + here)] += before * std::exp(log_share);
      }
    }
    chosen = next;
  }
  return chosen[static_cast<std::size_t>(active)];
}

}  // namespace

double expected_distinct_experts(std::int64_t experts, std::int64_t active, std::int64_t tokens) {
  const double missed = 1 - static_cast<double>(active) / static_cast<double>(experts);
  return static_cast<double>(experts) * (1 - std::pow(missed, static_cast<double>(tokens)));
}

double expected_busiest_band(std::int64_t experts, std::int64_t active, std::int64_t bands) {
  double expected = 0;
  for (std::int64_t most = 0; most < active; ++most) expected += 1 - probability_at_most(experts, active, bands, most);
  return expected;
}

}  // namespace waferline::kernels
