// Follows: roofline bound (Williams et al., CACM 2009); docs/model/60-serving.md, F93.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arch/error.hpp"
#include "estimate/answer/prefill.hpp"
#include "estimate/gpu.hpp"
#include "estimate/gpu_workload.hpp"
#include "models/kv.hpp"

namespace waferline::estimate {
namespace {

/// Pairs of a new token with itself and the tokens that it sees.
double attended_pairs(const models::Mixer& mixer, PromptChunk chunk) {
  const auto tokens = static_cast<double>(chunk.tokens);
  const auto before = static_cast<double>(chunk.before);
  double most = before + tokens;
  if (models::is_windowed(mixer)) most = std::min(most, static_cast<double>(mixer.window));
  if (mixer.index_topk > 0) most = std::min(most, static_cast<double>(mixer.index_topk));
  // Token i (from 1) sees min(before + i, most).
  const double growing = std::clamp(most - before, 0.0, tokens);
  return growing * before + growing * (growing + 1) / 2 + (tokens - growing) * most;
}

/// Multiplies and additions of attention, keys and values as wide as they are before any absorption.
double attention_flops(const models::Model& model, PromptChunk chunk) {
  double flops = 0;
  for (const models::Layer& layer : model.layers) {
    for (const models::Mixer& mixer : layer.mixers) {
      const bool recurrent = models::state_elements(mixer) > 0;
      if (recurrent || mixer.heads == 0) continue;
      flops +=
          2.0 * static_cast<double>(mixer.heads * (mixer.head_dim + mixer.v_head_dim)) * attended_pairs(mixer, chunk);
    }
  }
  return flops;
}

GpuLoad load_of(PromptChunk chunk, double batch) {
  GpuLoad load;
  load.context_tokens = chunk.before + chunk.tokens;
  load.batch = batch;
  return load;
}

/// Ends of the engine's band, twice as wide: its rows are decode.
SecondsBand band(const models::Model& model, const EngineOnGpus& system, const PrefillRequest& request,
                 Seconds expected) {
  constexpr double not_prefill = 2;
  const GpuWorkload workload = gpu_workload(model, request.prompt_tokens);
  const GpuEstimate decode = estimate_gpu(workload, system.gpu, system.devices, system.engine,
                                          load_of({1, request.prompt_tokens - 1}, 1), system.widening * not_prefill);
  return {expected * (decode.low / decode.expected), expected, expected * (decode.high / decode.expected)};
}

}  // namespace

Seconds gpu_chunk_time(const models::Model& model, const EngineOnGpus& system, PromptChunk chunk) {
  const GpuWorkload workload = gpu_workload(model, chunk.before + chunk.tokens);
  const EngineTraits& traits = system.engine.traits;
  const auto rate = dense_rate(system.gpu, DType::bf16);
  if (!rate)
    throw ConfigError(fmt::format("{}: its arithmetic rate is not known, so neither is prefill", system.gpu.name));
  // Every token of the chunk meets the weights as one of a batch does; the cache is that of one sequence.
  const GpuTerms tokens =
      gpu_terms(workload, system.gpu, system.devices, traits, load_of(chunk, static_cast<double>(chunk.tokens)));
  const GpuTerms sequence = gpu_terms(workload, system.gpu, system.devices, traits, load_of(chunk, 1));
  const double sharers = traits.device_split == DeviceSplit::tensor ? static_cast<double>(system.devices) : 1.0;
  const Seconds read = tokens.weights / system.engine.weight_bandwidth_fraction.value;
  const Seconds linear = tokens.arithmetic > Seconds{} ? tokens.weights + tokens.arithmetic : Seconds{};
  const Seconds attention{attention_flops(model, chunk) / (sharers * traits.arithmetic_fraction.value * rate->value)};
  const Seconds cache = sequence.kv / system.engine.kv_bandwidth_fraction.value;
  return std::max(read, linear) + std::max(attention, cache) + tokens.layers * system.engine.layer_overhead.value +
         tokens.allreduces * system.engine.allreduce.value + tokens.payload;
}

PrefillEstimate estimate_gpu_prefill(const models::Model& model, const EngineOnGpus& system,
                                     const PrefillRequest& request) {
  check(request);
  PrefillEstimate estimate;
  estimate.system = fmt::format("{}x{}", system.gpu.name, system.devices);
  estimate.new_tokens = request.new_tokens();
  estimate.chunk_tokens = std::min(request.chunk_tokens.value_or(request.new_tokens()), request.new_tokens());
  Seconds expected;
  for (const PromptChunk& chunk : chunks_of(request, estimate.chunk_tokens)) {
    estimate.chunk_gap = gpu_chunk_time(model, system, chunk);
    estimate.chunk_way = std::max(estimate.chunk_way, estimate.chunk_gap);
    expected += estimate.chunk_gap;
    ++estimate.chunks;
  }
  estimate.busiest_stage = expected;
  estimate.time = band(model, system, request, expected);
  const Sourced<double>& reached = system.engine.traits.arithmetic_fraction;
  estimate.assumptions = {{"prefill.arithmetic_fraction", fmt::format("{:.4g}", reached.value),
                           describe(reached.provenance), reached.provenance.source}};
  estimate.notes.push_back(fmt::format(
      "prefill on {}: {:.3g} of the dense rate, engine {}, none of it fitted on prefill; its band is twice as wide",
      estimate.system, reached.value, system.engine.name));
  return estimate;
}

}  // namespace waferline::estimate
