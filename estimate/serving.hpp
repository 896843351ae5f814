#pragma once
// Many users on one system: queueing, admission by KV capacity, prefill, and decoding side by side.

#include <cstdint>
#include <span>
#include <vector>

#include "arch/units.hpp"

namespace waferline::estimate {

/// One request of a workload.
struct ServingRequest {
  Seconds arrival;
  std::int64_t prompt_tokens = 1;  ///< 1 or more
  std::int64_t output_tokens = 1;  ///< 1 or more; the first comes out of the prefill
};

enum class PrefillPlace : std::uint8_t {
  shared,    ///< on the decoding system, which stops while any prompt runs
  separate,  ///< elsewhere; decoding goes on (disaggregated)
};

/// A system as its users see it. Every time comes from an estimate of the model there.
struct ServingSystem {
  std::vector<Seconds> token_time;      ///< [n - 1]: between tokens of each user while n decode; as long as users fit
  Seconds prefill_fixed;                ///< of one prompt, whatever its length
  Seconds prefill_per_token;            ///< of each prompt token
  std::int64_t kv_capacity_tokens = 0;  ///< prompt and output tokens of all admitted users together
  PrefillPlace prefill = PrefillPlace::shared;
};

/// What happened to one request. Times count from the same zero as the arrivals.
struct ServedRequest {
  bool refused = false;  ///< its tokens exceed the whole KV capacity; the times are then not set
  Seconds admitted;
  Seconds first_token;
  Seconds finished;
};

struct ServingRun {
  std::vector<ServedRequest> requests;  ///< in the order of the arrivals
  Seconds end;                          ///< when the last request is finished
  Seconds prefill_busy;                 ///< time with a prompt running
  Seconds decoding_users;               ///< integral of the number of decoding users over time
};

/// Time between tokens of each of n users in a pipeline, n = 1 ... users: a token needs one pass, and the slowest stage
/// takes one token at a time, so max(pass, n slowest_stage). Model: F68.
/// Errors: ConfigError for times that are not positive, a stage slower than the pass or fewer users than 1.
std::vector<Seconds> pipeline_token_times(Seconds pass, Seconds slowest_stage, std::int64_t users);

/// Runs a workload to its end, event by event. First come, first served: a request waits until its prompt and output
/// tokens and one more user fit, then for the prefill, which takes one prompt at a time; then it decodes with all
/// others, each as fast as the others (continuous batching: it joins and leaves between tokens). Cost: two heap
/// operations a request, whatever its tokens. Model: F69. Errors: ConfigError naming the request if arrivals go back in
/// time or a count is below 1, or for a system without users, with times that are not positive or without KV capacity.
ServingRun run_serving(const ServingSystem& system, std::span<const ServingRequest> requests);

}  // namespace waferline::estimate
