// The stepped fabric on a whole region: PE-cycles and wavelet-hops in a second of host time, and bytes of host state;
// beside them what the host's memory can read (STREAM), with as many threads and in the same run.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>

#include "bench/stream.hpp"
#include "kernels/fabric/compile.hpp"
#include "kernels/fabric/run.hpp"
#include "kernels/fabric/sweep.hpp"

namespace waferline::kernels::fabric {
namespace {

constexpr std::int64_t kSide = 660;

enum Arrangement : int { chain_to_end, two_phase_to_end, k_tree_to_middle, ring };

CollectivePlan plan_of(int arrangement) {
  switch (arrangement) {
    case chain_to_end:
      return {Algorithm::chain, Root::end, 1, {}};
    case two_phase_to_end:
      return k_tree_plan(kSide, {26, 26}, Root::end);
    case k_tree_to_middle:
      return k_tree_plan(kSide, {26, 26}, Root::middle);
    default:
      return {Algorithm::ring, Root::end, 1, {}};
  }
}

const char* name_of(int arrangement) {
  static constexpr const char* names[] = {"chain", "two-phase", "k-tree", "ring"};
  return names[arrangement];
}

void report_stream(benchmark::State& state, int threads) {
  double best = 0;
  for (int i = 0; i < 5; ++i) best = std::max(best, bench::stream_array().read(threads));
  state.counters["stream_GB/s"] = best * 1e-9;
}

/// Arguments: arrangement, wavelets of payload, threads.
void stepped_allreduce(benchmark::State& state) {
  const FabricProgram program =
      compile_allreduce(plan_of(static_cast<int>(state.range(0))), {kSide, kSide, state.range(1)}, {});
  FabricMemory memory(program.lines, program.positions(), program.words);
  FabricRun last;
  std::int64_t pe_cycles = 0;
  std::int64_t hops = 0;
  for (auto _ : state) {
    last = run(program, memory, static_cast<int>(state.range(2)));
    pe_cycles += last.stepped_pe_cycles;
    hops += last.traffic.wavelet_hops;
  }
  const auto rate = [](std::int64_t count) {
    return benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsRate);
  };
  state.counters["PE-cycles"] = rate(pe_cycles);
  state.counters["wavelet-hops"] = rate(hops);
  report_stream(state, static_cast<int>(state.range(2)));
  state.counters["state_B/PE"] = last.state_bytes_per_pe;
  state.counters["cycles"] = static_cast<double>(last.cycles);
  state.SetLabel(fmt::format("{} x {} PEs, {}, {} wavelets, {} threads", kSide, kSide,
                             name_of(static_cast<int>(state.range(0))), state.range(1), state.range(2)));
}

/// One of 660 lines alone: what a narrow problem costs.
void stepped_line(benchmark::State& state) {
  const FabricProgram program = compile_reduce({Algorithm::chain, Root::end, 1, {}}, {512, 1, 4096}, {});
  FabricMemory memory(1, 512, program.words);
  std::int64_t pe_cycles = 0;
  for (auto _ : state) pe_cycles += run(program, memory, 1).stepped_pe_cycles;
  state.counters["PE-cycles"] = benchmark::Counter(static_cast<double>(pe_cycles), benchmark::Counter::kIsRate);
  report_stream(state, 1);
}

/// Arguments: axis, threads. All lines of the region, every PE with its own starting time.
void swept_allreduce(benchmark::State& state) {
  const LineSweep sweep(LineSweep::Kind::allreduce, plan_of(k_tree_to_middle), kSide, 7, {});
  std::vector<std::int32_t> times(static_cast<std::size_t>(kSide * kSide));
  const Axis axis = state.range(0) == 0 ? Axis::x : Axis::y;
  for (auto _ : state) {
    advance_rectangle(sweep, axis, {kSide, kSide}, times, static_cast<int>(state.range(1)));
    benchmark::DoNotOptimize(times.data());
  }
  report_stream(state, static_cast<int>(state.range(1)));
  state.SetLabel(fmt::format("along {}, {} threads", state.range(0) == 0 ? "rows" : "columns", state.range(1)));
}

/// Argument: threads. The ten all-reduces of each of 32 layers, alternating axes.
void swept_token(benchmark::State& state) {
  Schedule schedule;
  schedule.extent = {kSide, kSide};
  for (int step = 0; step < 10; ++step) {
    Step added;
    added.kind = StepKind::reduce_sum;
    added.axis = step % 2 == 0 ? Axis::y : Axis::x;
    added.line = kSide;
    added.wavelets = 4;
    added.plan = plan_of(k_tree_to_middle);
    added.repeats = 32;
    schedule.steps.push_back(added);
  }
  for (auto _ : state) benchmark::DoNotOptimize(sweep_collectives(schedule, {}, static_cast<int>(state.range(0))));
  report_stream(state, static_cast<int>(state.range(0)));
  state.SetLabel("320 all-reduces on 660 x 660 PEs");
}

BENCHMARK(stepped_allreduce)
    ->Args({chain_to_end, 1024, 1})
    ->Args({chain_to_end, 1024, 2})
    ->Args({two_phase_to_end, 256, 2})
    ->Args({k_tree_to_middle, 256, 1})
    ->Args({k_tree_to_middle, 256, 2})
    ->Args({k_tree_to_middle, 12, 2})
    ->Args({k_tree_to_middle, 1, 2})
    ->Args({ring, 660, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(1);
BENCHMARK(stepped_line)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(swept_allreduce)->ArgsProduct({{0, 1}, {1, 2}})->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK(swept_token)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace waferline::kernels::fabric
