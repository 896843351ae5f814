// The grids that WaferLLM's own tuner chose for decode on WSE-2, against the best square that the model finds.
#include <algorithm>

#include "mapping/part_costs.hpp"
#include "models/library.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;

namespace {

/// Latency of a layer on the tuner's grid over that on the best square from 200 to 750.
double over_best(const char* model_name, std::int64_t tuned, std::int64_t context, std::int64_t& best_side) {
  const models::Model model = models::load_model(model_name);
  const mapping::LayerKinds kinds = mapping::group_layers(model);
  const Wafer wafer = load_wafer("wse2");
  const SoftwareProfile software = load_software("waferllm");
  mapping::PartCosts costs(model, kinds, wafer, software, {1, context, 1});
  const auto cycles = [&](std::int64_t side) { return costs.layer(0, {{side, side}, 1, 1}).cycles.value; };
  best_side = 200;
  for (std::int64_t side = 200; side <= 750; ++side) {
    if (cycles(side) < cycles(best_side)) best_side = side;
  }
  return cycles(tuned) / cycles(best_side);
}

}  // namespace

TEST_CASE("The grids of WaferLLM's tuner lie within 5 % of the latency of the best square") {
  for (const std::int64_t context : {2048, 4096}) {
    std::int64_t best = 0;
    const double eight = over_best("llama-3.1-8b", 360, context, best);
    INFO("8B at " << context << ": best side " << best << ", 360 x 360 takes " << eight << " times as long");
    CHECK(eight <= 1.05);
    const double thirteen = over_best("llama-2-13b", 375, context, best);
    INFO("13B at " << context << ": best side " << best << ", 375 x 375 takes " << thirteen << " times as long");
    CHECK(thirteen <= 1.05);
  }
}
