// Microbenchmarks of the emulator. Each prints GB/s of what it must read, and its ratio to the host's read bandwidth of
// the same run: `over_stream` is time divided by bytes / STREAM, 1 at best.

#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "bench/emulate/stream.hpp"
#include "kernels/emulate/decode.hpp"
#include "kernels/numerics/contract.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::emulate;

namespace {

constexpr std::int64_t kStreamBytes = std::int64_t{1} << 30;

void report(benchmark::State& state, std::int64_t bytes, int threads, double seconds) {
  const double stream = bench::stream_read_bytes_per_s(kStreamBytes, threads, 5);
  const double rate = static_cast<double>(bytes) / seconds;
  state.counters["GB/s"] = rate * 1e-9;
  state.counters["stream_GB/s"] = stream * 1e-9;
  state.counters["over_stream"] = stream / rate;
}

/// Seconds of one call, the best of the run.
template <class Work>
double best_time(benchmark::State& state, Work work) {
  double best = 1e9;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count());
  }
  return best;
}

/// One local product in cache and from memory: (dtype, fp16 accumulation).
void local_gemv(benchmark::State& state) {
  const auto dtype = static_cast<DType>(state.range(0));
  const bool fp16 = state.range(1) != 0;
  const std::int64_t inputs = 4096;
  const Bands line{1, inputs, 660, 1, 1, false};
  const PanelMatrix matrix(1, 16384, dtype, line, 2);
  std::vector<float> x(static_cast<std::size_t>(inputs), 0.5F);
  std::vector<float> partial(660 * 64);
  const double seconds = best_time(state, [&] {
    for (std::int64_t panel = 0; panel < matrix.panels(); ++panel) {
      std::fill(partial.begin(), partial.end(), 0.0F);
      simd::panel_partials(simd::best(), matrix.panel(panel), x.data(), matrix.order().bounds, fp16, partial.data());
      benchmark::DoNotOptimize(partial.data());
    }
  });
  report(state, matrix.host_bytes(), 1, seconds);
  state.SetLabel(std::string(name(dtype)) + (fp16 ? ", fp16 accumulation, 1 thread" : ", fp32 accumulation, 1 thread"));
}

void softmax_exponentials(benchmark::State& state) {
  std::vector<float> values(static_cast<std::size_t>(state.range(0)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = -static_cast<float>(i % 97) * 0.1F;
  for (auto _ : state) {
    float sum = 0;
    for (const float value : values) sum += exp_fp32(value);
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// Layers of Llama 3 8B with true shapes and seeded fp16 weights over 660 x 660 PEs: what one token costs for each
/// byte.
void llama_8b_layers(benchmark::State& state) {
  DecoderSpec spec;
  spec.model_type = "llama";
  spec.hidden_size = 4096;
  spec.intermediate_size = 14336;
  spec.num_hidden_layers = state.range(0);
  spec.num_attention_heads = 32;
  spec.num_key_value_heads = 8;
  spec.head_dim = 128;
  spec.vocab_size = 512;  // the head is measured as a layer is: it is one more product
  spec.max_position_embeddings = 8192;
  spec.rms_norm_eps = 1e-5;
  spec.rope_theta = 500000;
  spec.tie_word_embeddings = true;
  DecodeOptions options;
  options.mesh = {state.range(1), state.range(1)};
  options.weights = DType::fp16;
  options.activations = DType::fp16;
  options.accumulate = state.range(2) != 0 ? DType::fp16 : DType::fp32;
  options.threads = 2;
  Decoder decoder(spec, nullptr, 7, options);
  std::int64_t token = 1;
  const double seconds = best_time(state, [&] {
    decoder.feed(token);
    token = decoder.chosen();
  });
  report(state, decoder.weight_bytes(), options.threads, seconds);
  state.counters["MB/layer"] =
      static_cast<double>(decoder.weight_bytes()) * 1e-6 / static_cast<double>(spec.num_hidden_layers);
  state.SetLabel(fmt::format("{} layers, {} x {} PEs, fp16 weights, {} accumulation, 2 threads", state.range(0),
                             state.range(1), state.range(1), name(options.accumulate)));
}

BENCHMARK(local_gemv)
    ->Args({static_cast<int>(DType::fp32), 0})
    ->Args({static_cast<int>(DType::fp16), 0})
    ->Args({static_cast<int>(DType::fp16), 1})
    ->Args({static_cast<int>(DType::bf16), 0})
    ->Args({static_cast<int>(DType::fp8_e4m3), 0})
    ->Args({static_cast<int>(DType::int8), 0})
    ->Args({static_cast<int>(DType::int4), 0})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(8);
BENCHMARK(softmax_exponentials)->Arg(8192);
BENCHMARK(llama_8b_layers)
    ->Args({4, 660, 0})
    ->Args({4, 660, 1})
    ->Args({4, 360, 0})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(8);

}  // namespace

BENCHMARK_MAIN();
