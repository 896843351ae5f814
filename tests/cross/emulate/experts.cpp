// Which question: do experts that are dealt out over bands of PEs give what the router and the experts give in double
// precision, and does every step count what the closed form of that choice says?

#include <algorithm>
#include <cmath>

#include "kernels/emulate/seeded/layer_reference.hpp"
#include "tests/cross/emulate/random_layer.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::emulate;
using namespace waferline::tests;

namespace {

constexpr std::array kStored{DType::fp32, DType::fp16, DType::bf16, DType::int8, DType::int4, DType::fp8_e4m3};

std::int64_t bands_of(const LayerRun& run) {
  return static_cast<std::int64_t>(run.machine().expert_loads().size());
}

/// Most experts of one band that one token chose.
std::int64_t most_of_a_token(const LayerRun& run) {
  const Buffer& chosen = run.machine().buffer(run.machine().find("router.chosen"));
  const std::int64_t k = chosen.xs / 2;
  const Split bands{run.spec().layer.ffns[0].routed_experts, bands_of(run)};
  std::int64_t most = 0;
  for (std::int64_t token = 0; token < chosen.copies; ++token) {
    std::vector<std::int64_t> taken(static_cast<std::size_t>(bands.parts));
    for (std::int64_t i = 0; i < k; ++i) {
      const auto expert = static_cast<std::int64_t>(chosen.of(token)[static_cast<std::size_t>(k + i)]);
      most = std::max(most, ++taken[static_cast<std::size_t>(bands.owner(expert))]);
    }
  }
  return most;
}

double relative_error(const std::vector<float>& output, const std::vector<double>& exact) {
  double largest = 1e-30;
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    largest = std::max(largest, std::abs(exact[i]));
    const double error = std::abs(static_cast<double>(output[i]) - exact[i]);
    worst = std::isnan(error) ? 1e30 : std::max(worst, error);
  }
  return worst / largest;
}

}  // namespace

TEST_CASE("200 random layers of experts in bands for each storage type: right numbers, counted as in closed form") {
  for (const DType stored : kStored) {
    std::mt19937 random(301);
    double worst = 0;
    int in_bands = 0;
    int uneven = 0;
    for (int round = 0; round < 200; ++round) {
      LayerCase chosen = random_experts(random, 16, 16);
      chosen.options.accumulate = chosen.options.activation = chosen.options.kv = DType::fp32;
      store_as(chosen, stored);
      LayerRun run(chosen, static_cast<std::uint64_t>(round), {});
      std::string why_not;
      const auto exact = reference_layer(run, why_not);
      REQUIRE(exact.has_value());
      run.run();
      INFO("weights in " << name(stored) << ", case " << round << ": " << shown(chosen));
      check_counters(run);
      const double error = relative_error(run.output(), *exact);
      CHECK(error < 4e-5);
      worst = std::max(worst, error);
      std::int64_t choices = 0;
      for (const ExpertLoad& load : run.machine().expert_loads()) choices += load.choices;
      CHECK(choices == chosen.pass.batch * chosen.layer.ffns[0].active_experts);
      in_bands += bands_of(run) > 1 ? 1 : 0;
      const std::int64_t pes = chosen.layer.ffns[0].latent_size > 0 ? chosen.mesh.rows : chosen.mesh.cols;
      uneven += pes % std::max<std::int64_t>(1, bands_of(run)) != 0 ? 1 : 0;
    }
    CHECK(worst > 1e-7);
    CHECK(in_bands > 100);
    CHECK(uneven > 30);
  }
}

TEST_CASE("experts in bands with sums in fp16 and bf16 count what the closed form of their choice says, 200 cases") {
  std::mt19937 random(302);
  for (int round = 0; round < 200; ++round) {
    const LayerCase chosen = random_experts(random, 16, 16);
    LayerRun run(chosen, static_cast<std::uint64_t>(round), {});
    run.run();
    INFO("case " << round << ": " << shown(chosen));
    check_counters(run);
  }
}

TEST_CASE("buffers for as many experts of a band as a token chooses hold them, and for one less do not") {
  std::mt19937 random(303);
  int tried = 0;
  for (int round = 0; tried < 20; ++round) {
    LayerCase chosen = random_experts(random, 16, 16);
    chosen.collectives.algorithm = Algorithm::chain;  // one order of sums, however long the payload
    LayerRun worst(chosen, static_cast<std::uint64_t>(round), {});
    worst.run();
    const std::int64_t most = most_of_a_token(worst);
    if (bands_of(worst) < 2 || most < 2) continue;
    ++tried;
    INFO("case " << round << ": " << shown(chosen));
    chosen.options.experts_in_busiest_band = most;
    LayerRun exact(chosen, static_cast<std::uint64_t>(round), {});
    exact.run();
    CHECK(exact.output() == worst.output());
    CHECK(exact.machine().resident_bytes() == worst.machine().resident_bytes());
    check_counters(exact);
    --chosen.options.experts_in_busiest_band;
    LayerRun too_few(chosen, static_cast<std::uint64_t>(round), {});
    CHECK_THROWS_WITH(too_few.run(), Catch::Contains("experts of band"));
  }
}

TEST_CASE("large rectangles with 128 experts in 8 bands: counted as in closed form") {
  std::mt19937 random(304);
  for (const Extent mesh : {Extent{64, 96}, Extent{33, 127}, Extent{100, 150}}) {
    LayerCase chosen = random_experts(random, 1, 1);
    chosen.mesh = mesh;
    chosen.hidden_size = 300;
    chosen.layer.ffns[0].routed_experts = 128;
    chosen.layer.ffns[0].active_experts = 8;
    chosen.options.expert_bands = 8;
    LayerRun run(chosen, 5, {});
    run.run();
    INFO(shown(chosen));
    check_counters(run);
    CHECK(bands_of(run) == 8);
  }
}
