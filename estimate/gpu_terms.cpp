// Follows: roofline bound (Williams et al., CACM 2009) and docs/model.md, F40 to F46.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "estimate/gpu.hpp"

namespace waferline {
namespace {

constexpr double activation_bytes = 2;      // activations cross links in a 16-bit type
constexpr double allreduces_per_layer = 2;  // after attention and after the FFN

double seconds(double amount, double rate) {
  return amount / rate;
}

/// Devices that share the work of a step; in a split by layers they take turns and one works at a time.
double sharing(const EngineTraits& traits, std::int64_t devices) {
  return traits.device_split == DeviceSplit::tensor ? static_cast<double>(devices) : 1.0;
}

double kv_sharing(const KvPart& part, double sharers) {
  return std::min(sharers, std::max(1.0, static_cast<double>(part.kv_heads)));
}

/// Weights of one step over the devices' shares: dense ones and the experts that `batch` tokens choose.
double weight_bytes(const GpuWorkload& workload, double batch) {
  double bytes = static_cast<double>(workload.weights_read.value);
  for (const RoutedExperts& experts : workload.experts) bytes += expert_bytes_read(experts, batch);
  return bytes;
}

struct Memory {
  double kept_per_sequence = 0;  // on one device
  double weights = 0;            // on one device
  double usable = 0;             // on one device
};

/// What a device must hold: its share of the weights, and its heads of the cache, which MLA cannot share.
Memory memory_of(const GpuWorkload& workload, const Gpu& gpu, std::int64_t devices, const EngineTraits& traits) {
  Memory memory;
  const auto n = static_cast<double>(devices);
  memory.weights = static_cast<double>(workload.weights_kept.value) / n;
  for (const KvPart& part : workload.kv) {
    const double share = traits.device_split == DeviceSplit::layers ? n : kv_sharing(part, n);
    memory.kept_per_sequence += static_cast<double>(part.kept.value) / share;
  }
  memory.usable = static_cast<double>(gpu.memory.value.value) * traits.memory_fraction.value;
  return memory;
}

/// F46: sequences that decode together. Clients beyond what fits wait outside, and their wait is not time per token.
double admitted_batch(const Memory& memory, const EngineTraits& traits, const GpuLoad& load, double& admitted) {
  double per_sequence = memory.kept_per_sequence;
  if (traits.admission == Admission::whole_request && load.context_tokens > 0 && load.output_tokens > 0)
    per_sequence *= (load.prompt_tokens + load.output_tokens) / static_cast<double>(load.context_tokens);
  admitted = per_sequence > 0 ? (memory.usable - memory.weights) / per_sequence : load.batch;
  return load.closed_loop ? std::clamp(admitted, 1.0, load.batch) : load.batch;
}

/// F43: multiplies of the decoding tokens that the sweep of the weights does not hide, and those of the prefill.
double arithmetic_seconds(const GpuWorkload& workload, const Gpu& gpu, const EngineTraits& traits, const GpuLoad& load,
                          double sharers, const GpuTerms& terms, double prefill_tokens) {
  const auto wide = dense_rate(gpu, DType::bf16);
  const auto rate = dense_rate(gpu, workload.multiply_type);
  if (!rate || !wide) return 0;
  const double reached = sharers * traits.arithmetic_fraction.value;
  const double decode = seconds(terms.tokens * workload.flops_per_token, reached * rate->value);
  const double prefill =
      seconds(prefill_tokens * workload.flops_per_token, reached * rate->value) +
      seconds(prefill_tokens * load.prompt_tokens / 2 * workload.flops_per_pair, reached * wide->value);
  return std::max(0.0, decode - terms.weights.value) + prefill;
}

/// F44: activations of all tokens of a step, each allreduce moving 2 (n - 1) / n of them over every device's link.
double payload_seconds(const GpuWorkload& workload, const Gpu& gpu, const EngineTraits& traits, double sharers,
                       double tokens) {
  if (sharers <= 1 || !gpu.scale_up.link_per_direction) return 0;
  const double bytes = tokens * allreduces_per_layer * static_cast<double>(workload.layers) *
                       static_cast<double>(workload.hidden_size) * activation_bytes * 2 * (sharers - 1) / sharers;
  return seconds(bytes, gpu.scale_up.link_per_direction->value.value * traits.link_fraction.value);
}

/// F41 and the first two terms of F42: bytes of one step over the bandwidths.
void set_traffic(GpuTerms& terms, const GpuWorkload& workload, const Gpu& gpu, const EngineTraits& traits,
                 double sharers) {
  const double nominal = gpu.bandwidth.value.value;
  const double achieved = gpu.achieved_bandwidth ? gpu.achieved_bandwidth->value.value : nominal;
  const double weights = weight_bytes(workload, terms.tokens);
  double kv_bytes = 0;
  double kv_reads = 0;
  for (const KvPart& part : workload.kv) {
    const double share = terms.tokens * static_cast<double>(part.read.value) / kv_sharing(part, sharers);
    kv_bytes += share;
    kv_reads +=
        share * (traits.kv_reads == KvReads::per_query_head ? static_cast<double>(part.query_heads_per_kv_head) : 1.0);
  }
  terms.bound = Seconds{seconds(weights / sharers + kv_bytes, nominal)};
  terms.weights = Seconds{seconds(weights / sharers, achieved)};
  terms.kv = Seconds{seconds(kv_reads, achieved)};
  if (gpu.units) {
    const double unit_cycles = static_cast<double>(gpu.units->count.value) * gpu.units->clock.value.value;
    terms.weights_at_units = Seconds{seconds(weights / sharers, unit_cycles)};
  }
}

void check(std::int64_t devices, const GpuLoad& load) {
  if (devices < 1) throw std::invalid_argument(fmt::format("{} devices (at least 1)", devices));
  if (!(load.batch >= 1)) throw std::invalid_argument(fmt::format("batch of {} (at least 1)", load.batch));
  if (load.context_tokens < 0) throw std::invalid_argument(fmt::format("context of {} tokens", load.context_tokens));
}

}  // namespace

double expert_bytes_read(const RoutedExperts& experts, double batch) {
  if (experts.experts <= 0) return 0;
  const auto all = static_cast<double>(experts.experts);
  const double choices = all + static_cast<double>(experts.zero_experts);
  const double missed = std::pow(1 - static_cast<double>(experts.active) / choices, batch);
  return static_cast<double>(experts.layers) * all * (1 - missed) * static_cast<double>(experts.bytes_per_expert.value);
}

GpuTerms gpu_terms(const GpuWorkload& workload, const Gpu& gpu, std::int64_t devices, const EngineTraits& traits,
                   const GpuLoad& load) {
  check(devices, load);
  GpuTerms terms;
  const double sharers = sharing(traits, devices);
  const Memory memory = memory_of(workload, gpu, devices, traits);
  terms.tokens = admitted_batch(memory, traits, load, terms.admitted);
  terms.memory_needed =
      Bytes{static_cast<std::int64_t>(std::ceil(memory.weights + memory.kept_per_sequence * terms.tokens))};
  terms.memory_usable = Bytes{static_cast<std::int64_t>(memory.usable)};

  set_traffic(terms, workload, gpu, traits, sharers);
  terms.layers = static_cast<double>(workload.layers) *
                 (1 + static_cast<double>(workload.layer_quantisations) / traits.layer_kernels.value);
  if (sharers > 1) {
    const double rounds = traits.allreduce_rounds == AllreduceRounds::tree ? std::ceil(std::log2(sharers)) : 1.0;
    terms.allreduces = allreduces_per_layer * static_cast<double>(workload.layers) * rounds;
  }
  const double prefill_tokens =
      load.prefill_included && load.output_tokens > 0 ? terms.tokens * load.prompt_tokens / load.output_tokens : 0;
  terms.arithmetic = Seconds{arithmetic_seconds(workload, gpu, traits, load, sharers, terms, prefill_tokens)};
  terms.payload = Seconds{payload_seconds(workload, gpu, traits, sharers, terms.tokens + prefill_tokens)};
  return terms;
}

}  // namespace waferline
