// Follows: docs/model/20-wafer.md, F29 and F30.
#include <algorithm>
#include <memory>

#include "estimate/pass_time.hpp"
#include "kernels/layer_schedule.hpp"
#include "kernels/rates.hpp"
#include "mapping/grid.hpp"
#include "models/library.hpp"
#include "traces/waferllm_rows.hpp"

namespace waferline::traces {
namespace {

using mapping::PlacedRegion;
using mapping::RegionUse;

/// Everything that the engine's rows share.
struct Engine {
  Wafer wafer = load_wafer("wse3");
  models::Model model = models::load_model("qwen3-1.7b");
  mapping::LayerKinds kinds = mapping::group_layers(model);
  mapping::Placement placement;

  Engine();
  estimate::PassTime time(std::int64_t context_tokens, const SoftwareProfile& software) const {
    return estimate::time_pass({model, kinds, placement, {1, context_tokens, 1}}, wafer, software);
  }
  double token_us(std::int64_t context_tokens, const SoftwareProfile& software) const {
    return (time(context_tokens, software).total() + software.fixed_per_token.value).value * 1e6;
  }
};

Engine::Engine() {
  constexpr std::int64_t kSide = 256;
  wafer.clock.value = Hertz{kWaferEngineClockHz};
  const mapping::Grid grid{2, 4, {2 * kSide, 4 * kSide}};
  placement.wafers = 1;
  placement.head_regions = 1;
  placement.embedding_on_wafer = true;
  const auto add = [&](RegionUse use, std::int64_t stage, std::int64_t first_layer, std::int64_t layers) {
    mapping::PlacedRegion placed;
    placed.region = mapping::region_at(grid, stage);
    placed.use = use;
    placed.first_layer = first_layer;
    placed.layer_count = layers;
    placement.regions.push_back(placed);
  };
  add(RegionUse::embedding, 0, 0, 0);
  std::int64_t first = 0;
  std::int64_t stage = 0;
  for (const std::int64_t layers : {2, 4, 4, 4, 4, 4, 4, 2}) {
    add(RegionUse::layers, stage++, first, layers);
    first += layers;
  }
  add(RegionUse::head, grid.count() - 1, 0, 0);
  std::vector<mapping::PlacedRegion>& regions = placement.regions;
  for (std::size_t i = 0; i + 1 < regions.size(); ++i) {
    regions[i].hops_to_next = mapping::hops_between(regions[i], regions[i + 1]);
  }
  regions.back().hops_to_next = mapping::hops_back(regions.back().region, regions.front().region);
}

/// Time per cached token over whole rows of PEs, so that no step of the distribution shows.
double slope_us(const Engine& engine, const SoftwareProfile& software) {
  constexpr std::int64_t kNear = 256;
  constexpr std::int64_t kFar = 16 * 256;
  return (engine.token_us(kFar, software) - engine.token_us(kNear, software)) / static_cast<double>(kFar - kNear);
}

double predict(const Engine& engine, const WaferEngineRow& row, const SoftwareProfile& software) {
  switch (row.what) {
    case WaferEngineRow::What::base:
      return engine.token_us(256, software) - 256 * slope_us(engine, software);
    case WaferEngineRow::What::slope:
      return slope_us(engine, software);
    case WaferEngineRow::What::stage: {
      const std::vector<Seconds> stages = engine.time(row.context_tokens, software).stages;
      return std::max_element(stages.begin(), stages.end())->value * 1e6;
    }
    case WaferEngineRow::What::token:
      break;
  }
  return engine.token_us(row.context_tokens, software);
}

}  // namespace

estimate::WaferFitRow decode_fit_row(const WaferLlmRow& row) {
  struct Case {
    Wafer wafer = load_wafer("wse2");
    models::Model model;
    models::Layer layer;
  };
  auto of = std::make_shared<Case>();
  of->model = models::load_model(row.model);
  of->layer = kernels::released_waferllm_layer(of->model.hidden_size, of->model.layers.front().ffns.front().width);
  const auto predict = [of, row](const SoftwareProfile& software) {
    kernels::Workshop shop{kernels::options_of(software), kernels::PlanCache(kernels::choice_of(of->wafer, software))};
    kernels::Schedule schedule;
    kernels::build_layer(of->layer, of->model.hidden_size, {row.pes_per_side, row.pes_per_side}, {1, row.tokens, 1},
                         shop, schedule);
    const double cycles = kernels::time(schedule, kernels::rates_of(of->wafer, software)).total().value;
    return row.in_cycles ? cycles : kWaferLlmClockHz / cycles / static_cast<double>(of->model.layers.size());
  };
  return {row.id, row.id, row.measured, predict};
}

estimate::WaferFitRow engine_fit_row(const WaferEngineRow& row) {
  const auto engine = std::make_shared<const Engine>();
  return {row.id, row.id, row.measured_us,
          [engine, row](const SoftwareProfile& software) { return predict(*engine, row, software); }};
}

}  // namespace waferline::traces
