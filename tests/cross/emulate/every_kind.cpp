// Which question: does a layer with any mixer, block and option that a configuration can ask for count what the closed
// form says? Left out, and refused by name: attention to positions that an indexer chose by value, experts without
// weights.

#include <algorithm>

#include "arch/error.hpp"
#include "tests/cross/emulate/random_layer.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_layers.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::emulate;
using namespace waferline::tests;

TEST_CASE("600 random layers of every kind and option: every step counts what the closed form says") {
  RandomLayers layers(20240608);
  for (int round = 0; round < 600; ++round) {
    LayerCase chosen;
    chosen.layer = layers.layer();
    chosen.mesh = {layers.number(1, 16), layers.number(1, 16)};
    chosen.pass = {layers.number(1, 3), layers.number(1, 90), 1};
    chosen.options = random_options(layers);
    chosen.options.activation = chosen.options.kv = chosen.options.accumulate;
    chosen.hidden_size = layers.number(1, 70);
    models::Mixer& mixer = chosen.layer.mixers[0];
    if (mixer.index_heads > 0) mixer.index_topk = std::max(mixer.index_topk, chosen.pass.context_tokens);
    chosen.layer.ffns[0].zero_experts = 0;
    store_as(chosen, chosen.options.accumulate);
    LayerRun run(chosen, static_cast<std::uint64_t>(round), {});
    run.run();
    INFO("case " << round << ": " << shown(chosen));
    check_counters(run);
  }
}

TEST_CASE("a token that chooses an expert without weights is refused by name") {
  std::mt19937 random(5);
  LayerCase chosen = random_experts(random, 4, 4);
  chosen.layer.ffns[0].routed_experts = 2;
  chosen.layer.ffns[0].zero_experts = 6;
  chosen.layer.ffns[0].active_experts = 2;
  chosen.options.expert_bands = 1;
  LayerRun run(chosen, 1, {});
  CHECK_THROWS_WITH(run.run(), Catch::Contains("which has no weights (there are 2)"));
}
