// Llama 3 8B emulated token by token: true shapes, seeded weights, sums in the order of the mesh, every step counted
// and timed. `over_stream` is a token's time divided by its weight bytes / STREAM read bandwidth of the same run.

#include <fmt/format.h>

#include <cstdlib>

#include "bench/stream.hpp"
#include "kernels/emulate/decode.hpp"
#include "kernels/rates.hpp"

namespace waferline::kernels::emulate {
namespace {

constexpr int kThreads = 2;

DecoderSpec llama_3_8b(std::int64_t layers) {
  DecoderSpec spec;
  spec.model_type = "llama";
  spec.hidden_size = 4096;
  spec.intermediate_size = 14336;
  spec.num_hidden_layers = layers;
  spec.num_attention_heads = 32;
  spec.num_key_value_heads = 8;
  spec.head_dim = 128;
  spec.vocab_size = 128256;
  spec.max_position_embeddings = 8192;
  spec.rms_norm_eps = 1e-5;
  spec.rope_theta = 500000;
  spec.tie_word_embeddings = false;
  return spec;
}

double cycles_of(const std::vector<CountedSchedule>& pass, const Rates& rates) {
  double cycles = 0;
  for (const CountedSchedule& part : pass) {
    for (std::size_t i = 0; i < part.counters.size(); ++i)
      cycles += static_cast<double>(part.times) *
                time(with_counted(part.schedule.steps[i], part.counters[i]), rates).total().value;
  }
  return cycles;
}

/// Arguments: layers, side of the mesh, fp16 accumulation.
void llama_3_8b_decode(benchmark::State& state) {
  const std::int64_t layers = state.range(0);
  const Rates rates = rates_of(load_wafer("wse3"), load_software("service-2024"));
  DecodeOptions options;
  options.mesh = {state.range(1), state.range(1)};
  options.weights = DType::fp16;
  options.activations = DType::fp16;
  options.accumulate = state.range(2) != 0 ? DType::fp16 : DType::fp32;
  options.threads = kThreads;
  options.collectives = choice_of(load_wafer("wse3"), load_software("service-2024"));
  Decoder decoder(llama_3_8b(layers), nullptr, 7, options);
  std::int64_t token = 1;
  double cycles = 0;
  const bench::Measured best = bench::best_of(state, kThreads, [&] {
    decoder.feed(token);
    token = decoder.chosen();
    cycles = cycles_of(decoder.last_pass(), rates);
  });
  bench::report(state, best, decoder.weight_bytes());
  state.counters["weight_GB"] = static_cast<double>(decoder.weight_bytes()) * 1e-9;
  state.counters["emulated_cycles"] = cycles;
  state.SetLabel(fmt::format("{} layers and the head, {} x {} PEs, fp16 weights, {} accumulation, {} threads", layers,
                             options.mesh.rows, options.mesh.cols, name(options.accumulate), kThreads));
}

void settle(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"layers", "side", "fp16_sums"})->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(20);
}

BENCHMARK(llama_3_8b_decode)->Apply(settle)->Args({8, 660, 0})->Args({8, 660, 1})->Args({8, 360, 0});

/// All 32 layers: 17 GB of host memory, so only where asked for.
const bool kWhole = [] {
  if (std::getenv("WAFERLINE_WHOLE_MODEL") == nullptr) return false;
  benchmark::RegisterBenchmark("llama_3_8b_decode_whole", llama_3_8b_decode)->Apply(settle)->Args({32, 660, 0});
  return true;
}();

}  // namespace
}  // namespace waferline::kernels::emulate
