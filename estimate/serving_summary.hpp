#pragma once
// What a run of many users amounts to, and how it changes with the load.

#include <cstdint>
#include <span>
#include <vector>

#include "arch/units.hpp"
#include "estimate/serving.hpp"

namespace waferline::estimate {

/// Percentiles by nearest rank: p is the least value that at least p % of the values do not exceed. All 0 of no values.
struct Percentiles {
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double mean = 0;
};
Percentiles percentiles(std::vector<double> values);

/// Times in seconds. Refused requests are in no percentile; requests of one token only in TTFT and end-to-end.
struct ServingSummary {
  std::int64_t served = 0;
  std::int64_t refused = 0;
  Percentiles ttft_s;                 ///< first token less arrival
  Percentiles tpot_s;                 ///< (finished less first token) / (output tokens - 1)
  Percentiles tokens_per_s_per_user;  ///< 1 / TPOT of each request: its p99 is a fast one
  Percentiles end_to_end_s;           ///< finished less arrival
  double output_tokens_per_s = 0;     ///< of all users, over the time from the first arrival to the last token
  double requests_per_s = 0;          ///< served, over the same time
  double prefill_utilisation = 0;     ///< share of it in which a prompt runs
  double decode_utilisation = 0;      ///< tokens decoded over the most that could have been in it
  double mean_decoding_users = 0;
};

/// Model: F90. Errors: std::invalid_argument if `run` is not of these requests.
ServingSummary summarise(const ServingSystem& system, std::span<const ServingRequest> requests, const ServingRun& run);

/// Requests that arrive at random, independently of each other.
struct PoissonArrivals {
  double requests_per_s = 1;
  std::int64_t requests = 1;
  std::int64_t prompt_tokens = 1;
  std::int64_t output_tokens = 1;
  bool geometric_output = false;  ///< output tokens vary, geometrically with that mean
  std::uint64_t seed = 1;
};

/// The same requests for the same seed on any machine up to the rounding of its logarithm.
/// Errors: ConfigError for a rate or a count that is not positive.
std::vector<ServingRequest> poisson_requests(const PoissonArrivals& arrivals);

/// One load of the curve of latency against throughput.
struct LoadPoint {
  double requests_per_s = 0;
  ServingSummary summary;
};

/// The same workload at each rate, each rate from the same seed. Rates run side by side on `threads` threads; the
/// result does not depend on how many. Errors: as poisson_requests and run_serving; ConfigError for fewer threads
/// than 1.
std::vector<LoadPoint> latency_curve(const ServingSystem& system, const PoissonArrivals& arrivals,
                                     std::span<const double> requests_per_s, int threads);

}  // namespace waferline::estimate
