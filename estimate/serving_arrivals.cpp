// Follows: inversion of the exponential and the geometric distribution; docs/model/60-serving.md, F90.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "arch/error.hpp"
#include "estimate/serving_summary.hpp"

namespace waferline::estimate {
namespace {

/// In (0, 1], from the upper 53 bits: the standard's own distributions differ between libraries.
double uniform(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 11U) + 1) * 0x1p-53;
}

}  // namespace

std::vector<ServingRequest> poisson_requests(const PoissonArrivals& arrivals) {
  if (!(arrivals.requests_per_s > 0) || !std::isfinite(arrivals.requests_per_s) || arrivals.requests < 1 ||
      arrivals.prompt_tokens < 1 || arrivals.output_tokens < 1) {
    throw ConfigError(
        fmt::format("arrivals: {} requests/s, {} requests, {} prompt and {} output tokens; permitted are positive "
                    "numbers",
                    arrivals.requests_per_s, arrivals.requests, arrivals.prompt_tokens, arrivals.output_tokens));
  }
  std::mt19937_64 random(arrivals.seed);
  const double stop = 1 / static_cast<double>(arrivals.output_tokens);  // chance that a token is the last
  std::vector<ServingRequest> requests(static_cast<std::size_t>(arrivals.requests));
  double now = 0;
  for (ServingRequest& request : requests) {
    now -= std::log(uniform(random)) / arrivals.requests_per_s;
    request = {Seconds{now}, arrivals.prompt_tokens, arrivals.output_tokens};
    if (arrivals.geometric_output && arrivals.output_tokens > 1) {
      request.output_tokens = std::max<std::int64_t>(
          1, static_cast<std::int64_t>(std::ceil(std::log(uniform(random)) / std::log1p(-stop))));
    }
  }
  return requests;
}

std::vector<LoadPoint> latency_curve(const ServingSystem& system, const PoissonArrivals& arrivals,
                                     std::span<const double> requests_per_s, int threads) {
  if (threads < 1) throw ConfigError(fmt::format("threads: is {}, permitted is 1 or more", threads));
  for (const double rate : requests_per_s) {
    if (!(rate > 0) || !std::isfinite(rate)) {
      throw ConfigError(fmt::format("requests_per_s: is {}, permitted is more than 0", rate));
    }
  }
  run_serving(system, {});  // a problem of the system or the workload must not be thrown inside a parallel region
  PoissonArrivals one = arrivals;
  one.requests = 1;
  poisson_requests(one);
  if (arrivals.requests < 1) throw ConfigError("requests: permitted is 1 or more");
  std::vector<LoadPoint> curve(requests_per_s.size());
  const auto points = static_cast<std::int64_t>(curve.size());
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (std::int64_t i = 0; i < points; ++i) {
    PoissonArrivals load = arrivals;
    load.requests_per_s = requests_per_s[static_cast<std::size_t>(i)];
    const std::vector<ServingRequest> requests = poisson_requests(load);
    curve[static_cast<std::size_t>(i)] = {load.requests_per_s,
                                          summarise(system, requests, run_serving(system, requests))};
  }
  return curve;
}

}  // namespace waferline::estimate
