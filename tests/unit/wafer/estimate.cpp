#include <algorithm>
#include <cmath>

#include "arch/error.hpp"
#include "estimate/pass_time.hpp"
#include "estimate/wafer.hpp"
#include "models/library.hpp"
#include "tests/support/catch.hpp"

using waferline::Hertz;
using waferline::load_software;
using waferline::load_wafer;
using waferline::Seconds;
using waferline::SoftwareProfile;
using waferline::Wafer;
using waferline::estimate::BoundLine;
using waferline::estimate::BreakdownPart;
using waferline::estimate::DecodeEstimate;
using waferline::estimate::DecodeRequest;
using waferline::estimate::estimate_decode;
using waferline::estimate::pipeline_rate;
using waferline::models::load_model;

namespace {

DecodeEstimate estimate(const char* model, const char* software, const DecodeRequest& request) {
  return estimate_decode(load_model(model), load_wafer("wse3"), load_software(software), request);
}

Seconds part(const DecodeEstimate& estimate, const std::string& name) {
  const auto found = std::find_if(estimate.breakdown.begin(), estimate.breakdown.end(),
                                  [&](const BreakdownPart& one) { return one.name == name; });
  REQUIRE(found != estimate.breakdown.end());
  return found->time;
}

DecodeRequest at(std::int64_t context_tokens) {
  DecodeRequest request;
  request.context_tokens = context_tokens;
  return request;
}

}  // namespace

TEST_CASE("A full pipeline of eight stages yields as often as its slowest stage, the head's: 6.65 times, not 8 times") {
  // Seven stages of 1 s and a last one that also does the head: 8 s of layers pass in 1.203 s steps.
  const std::vector<Seconds> stages{Seconds{1}, Seconds{1}, Seconds{1}, Seconds{1},
                                    Seconds{1}, Seconds{1}, Seconds{1}, Seconds{8 / 6.65}};
  CHECK(pipeline_rate(stages) * 8 == Approx(6.65));
}

TEST_CASE("The parts of the breakdown add up to the expected time per token") {
  for (const char* model : {"llama-3.1-8b", "llama-3.1-70b", "gpt-oss-120b"}) {
    for (const double accepted : {1.0, 2.5}) {
      DecodeRequest request = at(4096);
      request.accepted_tokens = accepted;
      const DecodeEstimate result = estimate(model, "service-2026", request);
      Seconds sum;
      for (const BreakdownPart& one : result.breakdown) {
        CHECK(one.time >= Seconds{});
        sum += one.time;
      }
      CHECK(sum.value == result.tpot.expected.value);
      CHECK(result.tokens_per_s.expected * sum.value == Approx(1));
    }
  }
}

TEST_CASE("Accepted tokens divide the pass and leave the fixed time alone") {
  const DecodeEstimate one = estimate("llama-3.1-8b", "service-2026", at(1000));
  DecodeRequest request = at(1000);
  request.accepted_tokens = 2;
  const DecodeEstimate two = estimate("llama-3.1-8b", "service-2026", request);
  CHECK(two.pass.expected.value == Approx(one.pass.expected.value));
  CHECK(part(two, "fixed").value == part(one, "fixed").value);
  CHECK((two.tpot.expected - part(two, "fixed")).value == Approx((one.tpot.expected - part(one, "fixed")).value / 2));
}

TEST_CASE("The estimate lies above every bound, and bytes over all ports are far too fast as an estimate") {
  for (const char* model : {"llama-3.1-8b", "llama-3.1-405b", "qwen3-235b-a22b"}) {
    const DecodeEstimate result = estimate(model, "service-2024", at(1000));
    REQUIRE(result.bounds.size() == 3);
    for (const BoundLine& bound : result.bounds) {
      CHECK(bound.time.value > 0);
      CHECK(bound.estimate_over_bound >= 1);
      CHECK(bound.estimate_over_bound == Approx(result.pass.expected / bound.time));
    }
    CHECK(result.bounds[0].name == "aggregate_bandwidth");
    CHECK(result.bounds[0].estimate_over_bound > 250);
    CHECK(result.bounds[1].time >= result.bounds[0].time);
  }
}

TEST_CASE("Even software without any overhead is not faster than a bound") {
  const DecodeEstimate result = estimate("llama-3.1-8b", "ideal", at(8192));
  for (const BoundLine& bound : result.bounds) CHECK(bound.estimate_over_bound >= 1);
}

TEST_CASE("The band holds the expected time and the swing of every single input") {
  const DecodeEstimate result = estimate("llama-3.1-70b", "service-2024", at(1000));
  CHECK(result.tpot.low < result.tpot.expected);
  CHECK(result.tpot.expected < result.tpot.high);
  REQUIRE(result.sensitivity.size() > 3);
  double last = 1e300;
  for (const auto& line : result.sensitivity) {
    CHECK(line.tokens_per_s_low >= result.tokens_per_s.low);
    CHECK(line.tokens_per_s_high <= result.tokens_per_s.high);
    const double effect = line.tokens_per_s_high / line.tokens_per_s_low;
    CHECK(effect <= last);
    last = effect;
  }
}

TEST_CASE("A wafer-to-wafer hop is counted for each wafer, the way back included, and none on one wafer") {
  const DecodeEstimate one = estimate("llama-3.1-8b", "service-2024", at(1000));
  CHECK(one.wafer_hops == 0);
  CHECK(part(one, "wafer_to_wafer").value == 0);
  const DecodeEstimate four = estimate("llama-3.1-70b", "service-2024", at(1000));
  CHECK(four.wafer_hops == 4);
  CHECK(part(four, "wafer_to_wafer").value >= 4 * 3e-6);
}

TEST_CASE("The slowest stage is one of the stages and sets the rate of a full pipeline") {
  const DecodeEstimate result = estimate("llama-3.1-70b", "service-2024", at(1000));
  CHECK(result.stages.size() == result.placement.regions.size());
  double slowest = 0;
  for (const auto& stage : result.stages) slowest = std::max(slowest, stage.time.value);
  CHECK(result.slowest_stage.value == slowest);
  CHECK(result.pipelined_tokens_per_s == Approx(1 / slowest));
  CHECK(result.pipelined_tokens_per_s < static_cast<double>(result.stages.size()) * result.tokens_per_s.expected);
}

TEST_CASE("Every assumption names its kind and source") {
  const DecodeEstimate result = estimate("llama-3.1-8b", "waferllm", at(2048));
  CHECK(result.assumptions.size() > 20);
  for (const auto& one : result.assumptions) {
    CHECK_FALSE(one.key.empty());
    CHECK_FALSE(one.value.empty());
    CHECK_FALSE(one.kind.empty());
    CHECK_FALSE(one.source.empty());
  }
}

TEST_CASE("Another hardware file changes everything that is derived from it") {
  const waferline::models::Model model = load_model("llama-3.1-8b");
  const SoftwareProfile software = load_software("service-2024");
  const DecodeEstimate before = estimate_decode(model, load_wafer("wse3"), software, at(1000));
  Wafer other = load_wafer("wse3");
  other.fabric.hop.value = other.fabric.hop.value * 3;
  CHECK(part(estimate_decode(model, other, software, at(1000)), "hops") > part(before, "hops") * 1.5);
  other = load_wafer("wse3");
  other.pe.fp16_macs_per_cycle.value = 1;
  CHECK(part(estimate_decode(model, other, software, at(1000)), "multiply") > part(before, "multiply"));
  other = load_wafer("wse3");
  other.pe.sram_read.value = other.pe.sram_read.value / 4;
  const DecodeEstimate narrow = estimate_decode(model, other, software, at(1000));
  CHECK(narrow.bounds[0].time.value == Approx(before.bounds[0].time.value * 4));
  other = load_wafer("wse3");
  other.pe.sram.value = waferline::Bytes{16384};
  CHECK(estimate_decode(model, other, software, at(1000)).placement.wafers > before.placement.wafers);
}

TEST_CASE("What does not fit throws with what would help") {
  DecodeRequest request = at(1000);
  request.wafers = 1;
  CHECK_THROWS_AS(estimate("llama-3.1-70b", "service-2024", request), waferline::DoesNotFit);
  request.accepted_tokens = 0.5;
  CHECK_THROWS_AS(estimate("llama-3.1-8b", "service-2024", request), waferline::ConfigError);
  request.accepted_tokens = std::nan("");
  CHECK_THROWS_AS(estimate("llama-3.1-8b", "service-2024", request), waferline::ConfigError);
}

TEST_CASE("Eight-bit weights need fewer wafers") {
  DecodeRequest request = at(1000);
  request.weight_bits = 8;
  CHECK(estimate("llama-3.1-70b", "service-2024", request).placement.wafers < 4);
}
