// Queueing theory against the event-driven run. Each mean comes from many seeds, and the spread between seeds gives its
// standard error: a run whose error is not well below the permitted 1 % proves nothing and fails too.

#include <algorithm>
#include <cmath>

#include "estimate/serving_summary.hpp"
#include "tests/support/catch.hpp"

namespace waferline::estimate {
namespace {

struct Measured {
  double mean = 0;
  double standard_error = 0;
};

/// Mean over seeds of the mean that `of_request` gives.
template <class OfRequest>
Measured measure(const ServingSystem& system, PoissonArrivals arrivals, int seeds, OfRequest of_request) {
  double sum = 0;
  double squares = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    arrivals.seed = static_cast<std::uint64_t>(seed);
    const std::vector<ServingRequest> requests = poisson_requests(arrivals);
    const ServingRun run = run_serving(system, requests);
    double total = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) total += of_request(requests[i], run.requests[i]);
    const double mean = total / static_cast<double>(requests.size());
    sum += mean;
    squares += mean * mean;
  }
  const double mean = sum / seeds;
  return {mean, std::sqrt(std::max(0.0, squares / seeds - mean * mean) / (seeds - 1))};
}

void require_one_percent(const Measured& measured, double closed_form) {
  INFO("closed form " << closed_form << ", measured " << measured.mean << ", off by "
                      << 100 * (measured.mean / closed_form - 1) << " %, standard error "
                      << 100 * measured.standard_error / closed_form << " %");
  CHECK(std::abs(measured.mean / closed_form - 1) < 0.01);
  CHECK(measured.standard_error / closed_form < 0.005);
}

constexpr std::int64_t no_limit = 1'000'000'000'000;

/// Requests for each seed: the spread grows as 1 / (1 - utilisation).
std::int64_t requests_at(double utilisation) {
  return utilisation > 0.8 ? 2'000'000 : 200'000;
}

double waited(const ServingRequest& request, const ServedRequest& served) {
  return (served.admitted - request.arrival).value;
}
double sojourn(const ServingRequest& request, const ServedRequest& served) {
  return (served.finished - request.arrival).value;
}

}  // namespace

TEST_CASE("Prompts of equal length wait as long as M/D/1 says") {
  ServingSystem system{{Seconds{1}}, Seconds{1}, Seconds{0}, no_limit, PrefillPlace::shared};
  for (const double utilisation : {0.3, 0.6, 0.9}) {
    PoissonArrivals arrivals{utilisation, requests_at(utilisation), 1, 1, false, 1};
    require_one_percent(measure(system, arrivals, 16, waited), utilisation / (2 * (1 - utilisation)));
  }
}

TEST_CASE("One user at a time with answers of random length waits as long as M/M/1 says") {
  constexpr std::int64_t tokens = 10'000;  // mean; a geometric number of tokens is then exponential within 1e-4
  const double token = 1.0 / (tokens - 1);
  ServingSystem system{{Seconds{token}}, Seconds{0}, Seconds{0}, no_limit, PrefillPlace::shared};
  for (const double utilisation : {0.3, 0.6, 0.9}) {
    PoissonArrivals arrivals{utilisation, requests_at(utilisation), 1, tokens, true, 1};
    require_one_percent(measure(system, arrivals, 16, waited), utilisation / (1 - utilisation));
  }
}

TEST_CASE("Users who share a full pipeline stay as long as processor sharing says, whatever the lengths") {
  constexpr std::int64_t tokens = 10'000;
  const double slot = 1.0 / (tokens - 1);
  ServingSystem system{pipeline_token_times(Seconds{slot}, Seconds{slot}, 20'000), Seconds{0}, Seconds{0}, no_limit,
                       PrefillPlace::shared};
  for (const bool random_length : {false, true}) {
    for (const double utilisation : {0.3, 0.6, 0.9}) {
      PoissonArrivals arrivals{utilisation, requests_at(utilisation), 1, tokens, random_length, 1};
      require_one_percent(measure(system, arrivals, 16, sojourn), 1 / (1 - utilisation));
    }
  }
}

TEST_CASE("Each single wait follows Lindley's recursion") {
  constexpr std::int64_t tokens = 100;
  ServingSystem system{{Seconds{0.01}}, Seconds{0.25}, Seconds{0}, no_limit, PrefillPlace::shared};
  const std::vector<ServingRequest> requests = poisson_requests({0.7, 100'000, 1, tokens, true, 7});
  const ServingRun run = run_serving(system, requests);
  double free_at = 0;
  double worst = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const double start = std::max(free_at, requests[i].arrival.value);
    worst = std::max(worst, std::abs(run.requests[i].admitted.value - start));
    free_at = start + 0.25 + 0.01 * static_cast<double>(requests[i].output_tokens - 1);
  }
  CHECK(worst < 1e-6);
}

}  // namespace waferline::estimate
