// Which question: with weights and caches in narrow types, is every step still counted as in closed form, and every sum
// still within its bound?

#include <algorithm>
#include <cmath>

#include "kernels/emulate/seeded/layer_reference.hpp"
#include "kernels/emulate/seeded/reference_weights.hpp"
#include "tests/cross/emulate/random_layer.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::emulate;
using namespace waferline::tests;
using models::MixerKind;

namespace {

constexpr std::array kStored{DType::fp32, DType::fp16, DType::bf16, DType::int8, DType::int4, DType::fp8_e4m3};
constexpr std::array kMixers{MixerKind::full_attention, MixerKind::mla,    MixerKind::gated_delta_net,
                             MixerKind::lightning,      MixerKind::mamba1, MixerKind::mamba2,
                             MixerKind::full_attention};

LayerCase stored_case(std::mt19937& random, DType stored, int round, std::int64_t most_pes) {
  LayerCase chosen =
      random_layer_with(random, kMixers[static_cast<std::size_t>(round) % kMixers.size()], most_pes, most_pes);
  store_as(chosen, stored);
  chosen.options.kv = round % 3 == 0 ? DType::fp8_e4m3 : chosen.options.kv;
  return chosen;
}

}  // namespace

TEST_CASE("200 random layers of all kinds for each storage type on 1 x 1 to 16 x 16: counted as in closed form") {
  for (const DType stored : kStored) {
    std::mt19937 random(71);
    std::int64_t widened = 0;
    for (int round = 0; round < 200; ++round) {
      LayerCase chosen = stored_case(random, stored, round, 16);
      chosen.options.weights_once_per_batch = round % 2 == 1;
      LayerRun run(chosen, static_cast<std::uint64_t>(round), {});
      run.run();
      INFO("weights in " << name(stored) << ", case " << round << ": " << shown(chosen));
      check_counters(run);
      for (const StepCounters& counters : run.machine().counters()) widened += counters.dequantised;
    }
    INFO(name(stored));
    CHECK(widened > 0);
  }
}

TEST_CASE("large rectangles in narrow types: counted as in closed form") {
  std::mt19937 random(72);
  int round = 0;
  for (const Extent mesh : {Extent{64, 96}, Extent{127, 33}, Extent{150, 150}}) {
    for (const DType stored : {DType::int8, DType::int4, DType::fp8_e4m3}) {
      LayerCase chosen = stored_case(random, stored, round++, 1);
      chosen.mesh = mesh;
      chosen.hidden_size = 700;
      chosen.pass.context_tokens = 300;
      LayerRun run(chosen, 5, {});
      run.run();
      INFO("weights in " << name(stored) << ": " << shown(chosen));
      check_counters(run);
    }
  }
}

TEST_CASE("layers whose weights are stored in narrow types are what their stored numbers give, 200 for each type") {
  for (const DType stored : {DType::fp16, DType::bf16, DType::int8, DType::int4, DType::fp8_e4m3}) {
    std::mt19937 random(73);
    double worst = 0;
    for (int round = 0; round < 200; ++round) {
      LayerCase chosen = stored_case(random, stored, 2 * round, 16);
      chosen.options.accumulate = chosen.options.activation = chosen.options.kv = DType::fp32;
      store_as(chosen, stored);
      LayerRun run(chosen, static_cast<std::uint64_t>(round), {});
      std::string why_not;
      const auto exact = reference_layer(run, why_not);
      REQUIRE(exact.has_value());
      run.run();
      double largest = 1e-30;
      double error = 0;
      for (std::size_t i = 0; i < exact->size(); ++i) {
        largest = std::max(largest, std::abs((*exact)[i]));
        error = std::max(error, std::abs(static_cast<double>(run.output()[i]) - (*exact)[i]));
      }
      INFO("weights in " << name(stored) << ", case " << round << ": " << shown(chosen));
      CHECK(error <= 4e-5 * largest);
      worst = std::max(worst, error / largest);
    }
    CHECK(worst > 1e-7);
  }
}

TEST_CASE("tokens of a batch are each what they are alone, in layers of every kind") {
  std::mt19937 random(74);
  for (int round = 0; round < 60; ++round) {
    LayerCase chosen = stored_case(random, kStored[static_cast<std::size_t>(round) % kStored.size()], round, 12);
    chosen.collectives.algorithm = Algorithm::chain;  // one order of sums, however long the payload
    chosen.pass.batch = 4;
    LayerRun together(chosen, static_cast<std::uint64_t>(round), {});
    chosen.pass.batch = 1;
    std::vector<std::vector<float>> alone;
    for (std::int64_t token = 0; token < 4; ++token) {
      LayerRun one(chosen, static_cast<std::uint64_t>(round), {});
      one.take_token(together, token);
      one.run();
      alone.push_back(one.output());
    }
    together.run();
    INFO("case " << round << ": " << shown(chosen));
    for (std::size_t token = 0; token < alone.size(); ++token) {
      const auto begin = together.output().begin() + static_cast<std::ptrdiff_t>(token) * chosen.hidden_size;
      CHECK(std::vector<float>(begin, begin + chosen.hidden_size) == alone[token]);
    }
  }
}
