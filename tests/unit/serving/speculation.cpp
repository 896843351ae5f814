#include "estimate/speculation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "arch/error.hpp"
#include "tests/support/catch.hpp"

namespace waferline::estimate {
namespace {

// DeepSeek-R1 on 8 B200, 111 tokens/s without speculation: drafted tokens, mean tokens a pass, tokens/s.
constexpr Seconds pass_without{1.0 / 111};
const std::array<SpeculationRow, 5> deepseek_r1{{{1, 1.92, TokensPerSecond{198}},
                                                 {2, 2.58, TokensPerSecond{250}},
                                                 {3, 2.82, TokensPerSecond{253}},
                                                 {4, 2.99, TokensPerSecond{245}},
                                                 {5, 3.01, TokensPerSecond{239}}}};
constexpr std::array<double, 6> tokens_per_pass{1, 1.92, 2.58, 2.82, 2.99, 3.01};

double worst(const std::vector<double>& errors) {
  double most = 0;
  for (const double error : errors) most = std::max(most, std::abs(error));
  return most;
}

}  // namespace

TEST_CASE("One constant on five points gives every measured speed of DeepSeek-R1 within 3 percent") {
  const SpeculationFit fit = fit_speculation(pass_without, deepseek_r1);
  CAPTURE(fit.extra.value, fit.error, fit.held_out);
  CHECK(fit.extra.value == Approx(0.72e-3).margin(0.03e-3));
  CHECK(worst(fit.error) < 0.03);
  CHECK(worst(fit.held_out) < 0.05);
}

TEST_CASE("Three drafted tokens are best for DeepSeek-R1, whichever row is left out of the fit") {
  const SpeculationFit fit = fit_speculation(pass_without, deepseek_r1);
  CHECK(study_speculation(linear_costs(pass_without, fit.extra, 5), tokens_per_pass).best == 3);
  for (const Seconds extra : fit.held_out_fit) {
    CAPTURE(extra.value);
    CHECK(study_speculation(linear_costs(pass_without, extra, 5), tokens_per_pass).best == 3);
  }
}

TEST_CASE("Equal acceptance at every position gives the geometric sum") {
  for (const double a : {0.0, 0.3, 0.8, 1.0}) {
    const std::array<double, 4> acceptance{a, a, a, a};
    CHECK(expected_tokens(acceptance) == Approx(1 + a + a * a + a * a * a + a * a * a * a));
  }
  CHECK(expected_tokens({}) == 1);
}

TEST_CASE("A refused first token makes later acceptance worthless") {
  CHECK(expected_tokens(std::array{0.0, 1.0, 1.0}) == 1);
}

TEST_CASE("Drafting is never best when nothing is accepted, and always when drafts are free and sure") {
  const std::array<double, 4> never{1, 1, 1, 1};
  const std::array<double, 4> always{1, 2, 3, 4};
  CHECK(study_speculation(linear_costs(Seconds{1}, Seconds{0.01}, 3), never).best == 0);
  CHECK(study_speculation(linear_costs(Seconds{1}, Seconds{0}, 3), never).best == 0);
  CHECK(study_speculation(linear_costs(Seconds{1}, Seconds{0}, 3), always).best == 3);
}

TEST_CASE("Time to draft counts once for each drafted token") {
  SpeculationCosts costs = linear_costs(Seconds{2}, Seconds{0}, 2);
  costs.drafted_token = Seconds{0.5};
  const SpeculationStudy study = study_speculation(costs, std::array{1.0, 1.5, 1.75});
  CHECK(study.choices[2].round.value == Approx(3));
  CHECK(study.choices[2].rate.value == Approx(1.75 / 3));
}

TEST_CASE("More tokens a pass than rows, and probabilities above one, are refused") {
  CHECK_THROWS_AS(study_speculation(linear_costs(Seconds{1}, Seconds{0}, 1), std::array{1.0, 2.1}), ConfigError);
  CHECK_THROWS_AS(study_speculation(linear_costs(Seconds{1}, Seconds{0}, 2), std::array{1.0, 1.5}), ConfigError);
  CHECK_THROWS_AS(expected_tokens(std::array{1.1}), ConfigError);
  CHECK_THROWS_AS(fit_speculation(pass_without, std::span(deepseek_r1).first(1)), ConfigError);
}

}  // namespace waferline::estimate
