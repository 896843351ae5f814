// Placements: whole plans evaluated one after the other, partial plans of the dynamic program, and whole searches.

#include <benchmark/benchmark.h>

#include "mapping/assemble.hpp"
#include "mapping/packing.hpp"
#include "mapping/refine.hpp"
#include "mapping/strip_cuts.hpp"
#include "models/library.hpp"

namespace waferline::mapping {
namespace {

constexpr const char* kModels[] = {"llama-3.1-8b", "llama-3.1-70b",   "llama-3.1-405b",
                                   "gpt-oss-120b", "qwen3-235b-a22b", "deepseek-v3"};

/// Moves of the trial after the search: a plan changed, checked and timed in each.
void plans_by_trial(benchmark::State& state) {
  const models::Model model = models::load_model("llama-3.1-70b");
  const Wafer wafer = load_wafer("wse3");
  const SoftwareProfile software = load_software("service-2024");
  const PlaceRequest request{4096, 1, {}};
  const LayerKinds kinds = group_layers(model);
  PartCosts costs(model, kinds, wafer, software, {1, 4096, 1});
  const Assembly assembly{model, wafer, software, request, kinds, costs};
  const Problem problem{model, wafer, kinds, costs, empty_region(wafer, software), 1, true};
  const Plan start = std::get<Placement>(place(model, wafer, software, request)).plan();
  Refinement how;
  how.steps = 20'000;
  for (auto _ : state) {
    benchmark::DoNotOptimize(refine(assembly, problem, start, 1, how).plan);
    ++how.seed;
  }
  state.SetItemsProcessed(state.iterations() * how.steps);
}
BENCHMARK(plans_by_trial)->Unit(benchmark::kMillisecond);

/// A whole search, as `place` and `estimate` make it; items are the partial plans that the program compared.
void search(benchmark::State& state) {
  const models::Model model = models::load_model(kModels[state.range(0)]);
  const Wafer wafer = load_wafer("wse3");
  const SoftwareProfile software = load_software("service-2024");
  std::int64_t plans = 0;
  for (auto _ : state) {
    plans += std::get<Placement>(place(model, wafer, software, {4096, 1, {}})).search.plans;
  }
  state.SetItemsProcessed(plans);
  state.SetLabel(model.name);
}
BENCHMARK(search)->DenseRange(0, std::size(kModels) - 1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace waferline::mapping
