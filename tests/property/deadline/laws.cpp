// Laws of docs/model/60-serving.md on random cases with a fixed seed.
#include <cmath>
#include <random>

#include "estimate/deadline.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::estimate;

namespace {

constexpr int cases = 200;

struct Random {
  std::mt19937_64 engine{20260813};
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine);
  }

  DeadlineRequest request(bool with_cap) {
    DeadlineRequest made;
    made.deadline = Seconds{real(0.1, 100)};
    made.overhead = made.deadline * real(0, 0.5);
    made.tool_time = made.deadline * real(0, 0.4);
    made.check_time = made.deadline * real(0, 0.2);
    made.answer_tokens = integer(0, 5000);
    if (with_cap) made.completion_cap = made.answer_tokens + integer(0, 50'000);
    return made;
  }
  TokensPerSecond rate() { return TokensPerSecond{std::exp(real(0, 9))}; }
};

}  // namespace

TEST_CASE("a budget ends at the deadline, or at the cap before it, or is nothing") {
  Random random;
  for (int i = 0; i < cases; ++i) {
    const DeadlineRequest request = random.request(i % 2 == 0);
    const TokensPerSecond rate = random.rate();
    const double budget = reasoning_budget(request, rate);
    const Seconds done = completion_time(request, rate, budget);
    CAPTURE(i, rate.value, budget);
    REQUIRE(budget >= 0);
    if (budget == 0) continue;
    const bool at_cap =
        request.completion_cap && budget == static_cast<double>(*request.completion_cap - request.answer_tokens);
    if (at_cap) {
      REQUIRE(done.value <= request.deadline.value * (1 + 1e-12));
    } else {
      REQUIRE(done.value == Approx(request.deadline.value));
    }
  }
}

TEST_CASE("a faster system and a later deadline never have a smaller budget") {
  Random random;
  for (int i = 0; i < cases; ++i) {
    const DeadlineRequest request = random.request(i % 2 == 0);
    const TokensPerSecond rate = random.rate();
    DeadlineRequest later = request;
    later.deadline = later.deadline * 1.5;
    CAPTURE(i);
    REQUIRE(reasoning_budget(request, rate * 2) >= reasoning_budget(request, rate));
    REQUIRE(reasoning_budget(later, rate) >= reasoning_budget(request, rate));
  }
}

TEST_CASE("the speed-up for a multiple of the budget gives that multiple, and its rate is the threshold") {
  Random random;
  int checked = 0;
  for (int i = 0; i < cases; ++i) {
    const DeadlineRequest request = random.request(i % 4 == 0);
    const TokensPerSecond rate = random.rate();
    const double times = random.real(1, 10);
    const double budget = reasoning_budget(request, rate);
    const auto speedup = speedup_for_times(request, budget, times);
    if (!speedup ||
        (request.completion_cap && budget >= static_cast<double>(*request.completion_cap - request.answer_tokens)))
      continue;
    CAPTURE(i, times, budget);
    REQUIRE(reasoning_budget(request, rate * *speedup) == Approx(times * budget).epsilon(1e-9));
    REQUIRE(rate_for_budget(request, times * budget)->value == Approx(rate.value * *speedup).epsilon(1e-9));
    ++checked;
  }
  CHECK(checked > cases / 4);
}

TEST_CASE("at its threshold rate a loop ends at the deadline") {
  Random random;
  int checked = 0;
  for (int i = 0; i < cases; ++i) {
    const AgentLoop loop{random.integer(1, 50), Seconds{random.real(0, 2)}, random.integer(1, 5000),
                         Seconds{random.real(0, 2)}};
    const Seconds deadline{random.real(1, 200)};
    const auto rate = rate_for_loop(loop, deadline);
    const double fixed = static_cast<double>(loop.steps) * (loop.step_overhead + loop.step_tool_time).value;
    CAPTURE(i, fixed, deadline.value);
    REQUIRE(rate.has_value() == (fixed < deadline.value));
    if (!rate) continue;
    REQUIRE(loop_time(loop, *rate).value == Approx(deadline.value));
    ++checked;
  }
  CHECK(checked > cases / 4);
}
