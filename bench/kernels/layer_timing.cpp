// Closed-form layer timings on one core: schedule built, counted and timed, group sizes of its collectives chosen.

#include <benchmark/benchmark.h>

#include "kernels/count.hpp"
#include "kernels/layer_schedule.hpp"
#include "kernels/rates.hpp"

namespace waferline::kernels {
namespace {

models::Layer llama_layer() {
  models::Layer layer;
  models::Mixer mixer;
  mixer.kind = models::MixerKind::full_attention;
  mixer.heads = 32;
  mixer.kv_heads = 8;
  mixer.head_dim = mixer.v_head_dim = 128;
  layer.mixers.push_back(mixer);
  models::Ffn ffn;
  ffn.kind = models::FfnKind::dense;
  ffn.width = 14336;
  layer.ffns.push_back(ffn);
  layer.norms = 2;
  return layer;
}

Rates wse3_rates() {
  Rates rates = rates_of(load_wafer("wse3"), load_software("service-2024"));
  return rates;
}

Workshop workshop() {
  return {{}, PlanCache(choice_of(load_wafer("wse3"), load_software("service-2024")))};
}

/// One region, one context after another: as a request's answer grows.
void layer_by_context(benchmark::State& state) {
  const models::Layer layer = llama_layer();
  const Rates rates = wse3_rates();
  Workshop shop = workshop();
  Schedule schedule;
  std::int64_t context = 1024;
  double cycles = 0;
  for (auto _ : state) {
    build_layer(layer, 4096, {360, 360}, {1, context, 1}, shop, schedule);
    benchmark::DoNotOptimize(count(schedule).total.macs);
    cycles += time(schedule, rates).total().value;
    context = context < 9000 ? context + 1 : 1024;
  }
  benchmark::DoNotOptimize(cycles);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(layer_by_context);

/// One context, one region after another: as a search over placements does.
void layer_by_region(benchmark::State& state) {
  const models::Layer layer = llama_layer();
  const Rates rates = wse3_rates();
  Workshop shop = workshop();
  Schedule schedule;
  std::int64_t side = 100;
  double cycles = 0;
  for (auto _ : state) {
    build_layer(layer, 4096, {side, side + 7}, {1, 8192, 1}, shop, schedule);
    benchmark::DoNotOptimize(count(schedule).total.macs);
    cycles += time(schedule, rates).total().value;
    side = side < 700 ? side + 1 : 100;
  }
  benchmark::DoNotOptimize(cycles);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(layer_by_region);

/// Planning one collective afresh.
void plan_collective(benchmark::State& state) {
  const CollectiveRates rates = wse3_rates().collective;
  std::int64_t pes = 100;
  for (auto _ : state) {
    benchmark::DoNotOptimize(best_plan(pes, 32, rates, 2));
    pes = pes < 700 ? pes + 1 : 100;
  }
}
BENCHMARK(plan_collective);

void build_only(benchmark::State& state) {
  const models::Layer layer = llama_layer();
  Workshop shop = workshop();
  Schedule schedule;
  for (auto _ : state) {
    build_layer(layer, 4096, {360, 360}, {1, 4096, 1}, shop, schedule);
    benchmark::DoNotOptimize(schedule.steps.data());
  }
}
BENCHMARK(build_only);

}  // namespace
}  // namespace waferline::kernels
