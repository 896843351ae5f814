// What an emulated layer is made of: local products of each storage type, sums along lines, softmax.

#include <fmt/format.h>

#include "bench/stream.hpp"
#include "kernels/emulate/fold.hpp"
#include "kernels/emulate/panel_matrix.hpp"
#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {
namespace {

constexpr std::int64_t kLine = 660;

CollectivePlan two_level_tree() {
  return {Algorithm::k_tree, Root::middle, 2, {26, 26}};
}

/// Local products of 16,384 x 4,096 weights and their sums over lines of 660 PEs: (dtype, fp16 accumulation, threads).
void mesh_gemv(benchmark::State& state) {
  const auto dtype = static_cast<DType>(state.range(0));
  const bool fp16 = state.range(1) != 0;
  const auto threads = static_cast<int>(state.range(2));
  const std::int64_t inputs = 4096;
  const PanelMatrix matrix(1, 16384, dtype, Bands{1, inputs, kLine, 1, 1, false}, 2);
  const std::vector<float> x(static_cast<std::size_t>(inputs), 0.5F);
  const Fold fold = fold_of(two_level_tree(), kLine);
  const DType wire = dtype == DType::fp32 ? DType::fp32 : dtype == DType::bf16 ? DType::bf16 : DType::fp16;
  const bench::Measured best = bench::best_of(state, threads, [&] {
#pragma omp parallel num_threads(threads)
    {
      std::vector<float> scratch;
#pragma omp for schedule(dynamic)
      for (std::int64_t panel = 0; panel < matrix.panels(); ++panel) {
        const simd::PanelTerm term{matrix.panel(panel), x.data(), matrix.order().bounds};
        benchmark::DoNotOptimize(sum_products(fold, {&term, 1}, wire, fp16, simd::best(), scratch).data());
      }
    }
  });
  bench::report(state, best, matrix.host_bytes());
  state.SetLabel(fmt::format("{}, {} accumulation, {} threads", name(dtype), fp16 ? "fp16" : "fp32", threads));
}

/// A reduction of 4,096 fp16 words in each of 660 PEs in the order of its plan; GB/s of fp32 partial sums.
void emulated_reduce(benchmark::State& state) {
  constexpr std::int64_t kWords = 4096;
  const Fold fold = fold_of(two_level_tree(), kLine);
  std::vector<float> values(static_cast<std::size_t>(kLine * kWords), 0.25F);
  const bench::Measured best = bench::best_of(state, 1, [&] {
    benchmark::DoNotOptimize(run_fold(fold, Reduction::sum, DType::fp16, simd::best(), values, kWords).data());
  });
  bench::report(state, best, static_cast<std::int64_t>(values.size()) * 4);
  state.SetLabel("660 PEs, 4096 words, K-tree, 1 thread");
}

/// Exponentials of 32 heads x 8,192 scores, their sums, and the division; GB/s of fp32 scores.
void softmax(benchmark::State& state) {
  std::vector<float> scores(32 * 8192);
  const bench::Measured best = bench::best_of(state, 1, [&] {
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = -static_cast<float>(i % 97) * 0.1F;
    for (std::size_t head = 0; head < 32; ++head) {
      const auto row = std::span(scores).subspan(head * 8192, 8192);
      simd::exp_in_place(simd::best(), row.data(), 8192);
      round_in_place(DType::fp16, row);
      float sum = 0;
      for (const float value : row) sum += value;
      for (float& value : row) value *= 1.0F / sum;
      round_in_place(DType::fp16, row);
    }
    benchmark::DoNotOptimize(scores.data());
  });
  bench::report(state, best, static_cast<std::int64_t>(scores.size()) * 4);
  state.counters["ns/exp"] = best.seconds * 1e9 / static_cast<double>(scores.size());
  state.SetLabel("32 x 8192 scores, 1 thread");
}

BENCHMARK(mesh_gemv)
    ->ArgNames({"dtype", "fp16_sums", "threads"})
    ->Args({static_cast<int>(DType::fp32), 0, 2})
    ->Args({static_cast<int>(DType::fp16), 0, 1})
    ->Args({static_cast<int>(DType::fp16), 0, 2})
    ->Args({static_cast<int>(DType::fp16), 1, 2})
    ->Args({static_cast<int>(DType::bf16), 0, 2})
    ->Args({static_cast<int>(DType::fp8_e4m3), 0, 2})
    ->Args({static_cast<int>(DType::int8), 0, 2})
    ->Args({static_cast<int>(DType::int4), 0, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(20);
BENCHMARK(emulated_reduce)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(20);
BENCHMARK(softmax)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(20);

}  // namespace
}  // namespace waferline::kernels::emulate
