#include <algorithm>
#include <chrono>
#include <random>

#include "arch/error.hpp"
#include "estimate/serving_summary.hpp"
#include "tests/support/catch.hpp"

namespace waferline::estimate {
namespace {

ServingSystem small_system(PrefillPlace place = PrefillPlace::shared) {
  return {pipeline_token_times(Seconds{0.01}, Seconds{0.004}, 8), Seconds{0.02}, Seconds{1e-4}, 5'000, place};
}

std::vector<ServingRequest> random_requests(std::mt19937& random, std::size_t count) {
  std::vector<ServingRequest> requests(count);
  double now = 0;
  for (ServingRequest& one : requests) {
    now += 1e-3 * static_cast<double>(random() % 400);
    one = {Seconds{now}, 1 + static_cast<std::int64_t>(random() % 2'500),
           1 + static_cast<std::int64_t>(random() % 3'000)};
  }
  return requests;
}

}  // namespace

TEST_CASE("A request alone takes its prefill, then one pass for each further token") {
  const std::vector<ServingRequest> requests{{Seconds{3}, 1'000, 101}};
  const ServingRun run = run_serving(small_system(), requests);
  CHECK(run.requests[0].admitted.value == Approx(3));
  CHECK(run.requests[0].first_token.value == Approx(3 + 0.02 + 0.1));
  CHECK(run.requests[0].finished.value == Approx(3 + 0.12 + 100 * 0.01));
}

TEST_CASE("Decoding stops while a prompt runs on the same system, and goes on if it runs elsewhere") {
  const std::vector<ServingRequest> requests{{Seconds{0}, 1'000, 101}, {Seconds{0.5}, 1'000, 2}};
  CHECK(run_serving(small_system(), requests).requests[0].finished.value == Approx(0.12 + 1.0 + 0.12));
  CHECK(run_serving(small_system(PrefillPlace::separate), requests).requests[0].finished.value == Approx(0.12 + 1.0));
}

TEST_CASE("A pipeline gives every user the full rate until its slowest stage is always busy") {
  const std::vector<Seconds> times = pipeline_token_times(Seconds{0.01}, Seconds{0.004}, 4);
  CHECK(times == std::vector<Seconds>{Seconds{0.01}, Seconds{0.01}, Seconds{0.012}, Seconds{0.016}});
}

TEST_CASE("KV that fits exactly is admitted at once, one token more waits, more than all of it is refused") {
  ServingSystem system = small_system();
  const auto second = [&](std::int64_t tokens) {
    const std::vector<ServingRequest> requests{{Seconds{0}, 2'000, 1'000}, {Seconds{0.5}, tokens, 1}};
    return run_serving(system, requests).requests[1];
  };
  CHECK(second(1'999).admitted.value == Approx(0.5));
  CHECK(second(2'000).admitted.value > 1);
  CHECK_FALSE(second(4'999).refused);
  CHECK(second(5'000).refused);
}

TEST_CASE("Every request in is one out, and times are in order, for 200 random workloads") {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const ServingSystem system = small_system(round % 2 == 0 ? PrefillPlace::shared : PrefillPlace::separate);
    const std::vector<ServingRequest> requests = random_requests(random, 60);
    const ServingRun run = run_serving(system, requests);
    const ServingSummary summary = summarise(system, requests, run);
    REQUIRE(summary.served + summary.refused == 60);
    double decoding = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const ServedRequest& one = run.requests[i];
      REQUIRE(one.refused == (requests[i].prompt_tokens + requests[i].output_tokens > 5'000));
      if (one.refused) continue;
      REQUIRE(one.admitted >= requests[i].arrival);
      REQUIRE(one.first_token >= one.admitted);
      REQUIRE((one.finished - one.first_token).value >=
              0.01 * static_cast<double>(requests[i].output_tokens - 1) - 1e-6);
      decoding += (one.finished - one.first_token).value;
    }
    REQUIRE(run.decoding_users.value == Approx(decoding));  // Little's law, exact over a whole run
    REQUIRE(summary.decode_utilisation <= 1 + 1e-9);
    REQUIRE(summary.prefill_utilisation <= 1 + 1e-9);
  }
}

TEST_CASE("More KV capacity never refuses more, and a system twice as fast never ends later") {
  std::mt19937 random(6);
  for (int round = 0; round < 200; ++round) {
    ServingSystem system = small_system();
    const std::vector<ServingRequest> requests = random_requests(random, 40);
    const ServingRun run = run_serving(system, requests);
    const std::int64_t refused = summarise(system, requests, run).refused;
    ServingSystem larger = system;
    larger.kv_capacity_tokens += static_cast<std::int64_t>(random() % 2'000);
    REQUIRE(summarise(larger, requests, run_serving(larger, requests)).refused <= refused);
    for (Seconds& time : system.token_time) time = time / 2;
    system.prefill_fixed = system.prefill_fixed / 2;
    system.prefill_per_token = system.prefill_per_token / 2;
    REQUIRE(run_serving(system, requests).end.value <= run.end.value + 1e-9);
  }
}

TEST_CASE("A curve of loads is the same for any number of threads, and waits grow along it") {
  const std::vector<double> loads{0.05, 0.2, 0.5, 1, 2};
  const PoissonArrivals arrivals{1, 2'000, 500, 100, true, 3};
  const std::vector<LoadPoint> one = latency_curve(small_system(), arrivals, loads, 1);
  for (const int threads : {2, 3, 8}) {
    const std::vector<LoadPoint> many = latency_curve(small_system(), arrivals, loads, threads);
    for (std::size_t i = 0; i < loads.size(); ++i) {
      CHECK(many[i].summary.ttft_s.p99 == one[i].summary.ttft_s.p99);
      CHECK(many[i].summary.tpot_s.mean == one[i].summary.tpot_s.mean);
      CHECK(many[i].summary.output_tokens_per_s == one[i].summary.output_tokens_per_s);
    }
  }
  for (std::size_t i = 1; i < loads.size(); ++i) CHECK(one[i].summary.ttft_s.mean > one[i - 1].summary.ttft_s.mean);
}

TEST_CASE("A percentile is the least value that so many do not exceed") {
  CHECK(percentiles({4, 1, 3, 2}).p50 == 2);
  CHECK(percentiles({4, 1, 3, 2}).p90 == 4);
  CHECK(percentiles({7}).p99 == 7);
  std::vector<double> hundred;
  for (int i = 100; i > 0; --i) hundred.push_back(i);
  CHECK(percentiles(hundred).p50 == 50);
  CHECK(percentiles(hundred).p90 == 90);
  CHECK(percentiles(hundred).p99 == 99);
}

TEST_CASE("A million requests are done in ten seconds") {
  const auto start = std::chrono::steady_clock::now();
  const PoissonArrivals arrivals{10, 1'000'000, 500, 20, true, 3};
  const std::vector<ServingRequest> requests = poisson_requests(arrivals);
  ServingSystem system = small_system();
  system.prefill_fixed = Seconds{1e-3};
  system.prefill_per_token = Seconds{1e-5};
  const ServingSummary summary = summarise(system, requests, run_serving(system, requests));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  WARN("a million requests in " << took.count() << " s");
  CHECK(summary.served == 1'000'000);
  CHECK(took.count() < 10);
}

TEST_CASE("Arrivals that go back in time, requests without tokens and systems without users are refused") {
  CHECK_THROWS_AS(run_serving(small_system(), std::vector<ServingRequest>{{Seconds{2}, 1, 1}, {Seconds{1}, 1, 1}}),
                  ConfigError);
  CHECK_THROWS_AS(run_serving(small_system(), std::vector<ServingRequest>{{Seconds{2}, 1, 0}}), ConfigError);
  CHECK_THROWS_AS(run_serving(ServingSystem{}, {}), ConfigError);
  CHECK_THROWS_AS(pipeline_token_times(Seconds{1}, Seconds{2}, 1), ConfigError);
  CHECK_THROWS_AS(latency_curve(small_system(), {}, std::vector<double>{1}, 0), ConfigError);
}

}  // namespace waferline::estimate
