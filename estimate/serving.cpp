// Follows: Kleinrock, Queueing Systems volume 2, section 4.4 (processor sharing), with a rate that depends on the
// number of users; docs/model/60-serving.md, F68 and F69.
#include "estimate/serving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <queue>

#include "arch/error.hpp"

namespace waferline::estimate {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// A user who decodes. All advance alike, so one count of tokens serves for all: a user leaves when it reaches
/// `leaves_at`.
struct Decoding {
  double leaves_at = 0;
  std::size_t request = 0;
  bool operator>(const Decoding& other) const {
    return leaves_at != other.leaves_at ? leaves_at > other.leaves_at : request > other.request;
  }
};

class Simulation {
 public:
  Simulation(const ServingSystem& system, std::span<const ServingRequest> requests)
      : system_(system), requests_(requests) {
    run_.requests.resize(requests.size());
  }

  ServingRun run() {
    // At equal times those who leave make room first, and an arrival comes last.
    for (;;) {
      const double leave = next_leave();
      const double arrival = arrived_ < requests_.size() ? requests_[arrived_].arrival.value : never;
      const double next = std::min({leave, prefill_end_, arrival});
      if (next == never) break;
      advance(next);
      if (next == leave) {
        finish_first();
      } else if (next == prefill_end_) {
        end_prefill();
      } else {
        arrive();
      }
      admit();
    }
    return std::move(run_);
  }

 private:
  bool paused() const { return system_.prefill == PrefillPlace::shared && prefill_end_ != never; }
  double token_time() const { return system_.token_time[decoding_.size() - 1].value; }

  double next_leave() const {
    if (decoding_.empty() || paused()) return never;
    return now_ + std::max(0.0, decoding_.top().leaves_at - tokens_) * token_time();
  }

  void advance(double next) {
    const double elapsed = next - now_;
    run_.decoding_users += Seconds{elapsed * static_cast<double>(decoding_.size())};
    if (prefill_end_ != never) run_.prefill_busy += Seconds{elapsed};
    if (!decoding_.empty() && !paused()) tokens_ += elapsed / token_time();
    now_ = next;
  }

  void arrive() {
    if (needs(arrived_) > system_.kv_capacity_tokens) {
      run_.requests[arrived_].refused = true;
    } else {
      waiting_.push_back(arrived_);
    }
    ++arrived_;
  }

  void admit() {
    while (!waiting_.empty() && users_ < system_.token_time.size() &&
           kv_tokens_ + needs(waiting_.front()) <= system_.kv_capacity_tokens) {
      const std::size_t request = waiting_.front();
      waiting_.pop_front();
      ++users_;
      kv_tokens_ += needs(request);
      run_.requests[request].admitted = Seconds{now_};
      prompts_.push_back(request);
    }
    if (prefill_end_ == never && !prompts_.empty()) {
      const auto tokens = static_cast<double>(requests_[prompts_.front()].prompt_tokens);
      prefill_end_ = now_ + system_.prefill_fixed.value + tokens * system_.prefill_per_token.value;
    }
  }

  void end_prefill() {
    const std::size_t request = prompts_.front();
    prompts_.pop_front();
    prefill_end_ = never;
    run_.requests[request].first_token = Seconds{now_};
    const std::int64_t more = requests_[request].output_tokens - 1;
    if (more == 0) {
      leave(request);
    } else {
      if (decoding_.empty()) tokens_ = 0;  // keeps the count small, and with it its rounding
      decoding_.push({tokens_ + static_cast<double>(more), request});
    }
  }

  void finish_first() {
    const Decoding first = decoding_.top();
    decoding_.pop();
    tokens_ = first.leaves_at;
    leave(first.request);
  }

  void leave(std::size_t request) {
    run_.requests[request].finished = Seconds{now_};
    run_.end = Seconds{now_};
    kv_tokens_ -= needs(request);
    --users_;
  }

  std::int64_t needs(std::size_t request) const {
    return requests_[request].prompt_tokens + requests_[request].output_tokens;
  }

  const ServingSystem& system_;
  std::span<const ServingRequest> requests_;
  ServingRun run_;
  double now_ = 0;
  double tokens_ = 0;           // that a user who had decoded all along would have by now
  double prefill_end_ = never;  // of the prompt at the front of `prompts_`
  std::size_t arrived_ = 0;
  std::size_t users_ = 0;  // admitted and not finished
  std::int64_t kv_tokens_ = 0;
  std::deque<std::size_t> waiting_;  // for admission
  std::deque<std::size_t> prompts_;  // admitted, before their first token
  std::priority_queue<Decoding, std::vector<Decoding>, std::greater<>> decoding_;
};

void require_system(const ServingSystem& system) {
  const bool positive = std::all_of(system.token_time.begin(), system.token_time.end(),
                                    [](Seconds time) { return time.value > 0 && time.value < never; });
  if (system.token_time.empty() || !positive) {
    throw ConfigError("token_time: permitted are positive times, for one user or more");
  }
  if (!(system.prefill_fixed.value >= 0) || !(system.prefill_per_token.value >= 0)) {
    throw ConfigError(fmt::format("prefill: is {} s and {} s a token, permitted are 0 or more",
                                  system.prefill_fixed.value, system.prefill_per_token.value));
  }
  if (system.kv_capacity_tokens < 1) {
    throw ConfigError(fmt::format("kv_capacity_tokens: is {}, permitted is 1 or more", system.kv_capacity_tokens));
  }
}

void require_requests(std::span<const ServingRequest> requests) {
  constexpr std::int64_t most_tokens = 1'000'000'000;  // two of them add up in 64 bit
  double before = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const ServingRequest& one = requests[i];
    if (!(one.arrival.value >= before && one.arrival.value < never)) {
      throw ConfigError(
          fmt::format("requests[{}].arrival: is {} s, permitted is {} s or later (arrivals in order of time)", i,
                      one.arrival.value, before));
    }
    before = one.arrival.value;
    for (const std::int64_t tokens : {one.prompt_tokens, one.output_tokens}) {
      if (tokens < 1 || tokens > most_tokens) {
        throw ConfigError(fmt::format("requests[{}]: has {} tokens, permitted are 1 to {}", i, tokens, most_tokens));
      }
    }
  }
}

}  // namespace

std::vector<Seconds> pipeline_token_times(Seconds pass, Seconds slowest_stage, std::int64_t users) {
  if (!(slowest_stage.value > 0) || !(pass >= slowest_stage) || users < 1) {
    throw ConfigError(
        fmt::format("pipeline: pass {} s, slowest stage {} s, {} users; permitted are a stage of more than 0, a "
                    "pass no faster than it and 1 user or more",
                    pass.value, slowest_stage.value, users));
  }
  std::vector<Seconds> times;
  for (std::int64_t n = 1; n <= users; ++n) times.push_back(std::max(pass, slowest_stage * static_cast<double>(n)));
  return times;
}

ServingRun run_serving(const ServingSystem& system, std::span<const ServingRequest> requests) {
  require_system(system);
  require_requests(requests);
  return Simulation(system, requests).run();
}

}  // namespace waferline::estimate
