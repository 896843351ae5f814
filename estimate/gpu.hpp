#pragma once
// Decode time on GPUs: the bandwidth bound, which no engine passes, beside the model of an engine class.

#include <cstdint>
#include <string>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/gpu.hpp"
#include "arch/gpu_engine.hpp"
#include "arch/units.hpp"

namespace waferline {

/// Routed experts of layers that are alike.
struct RoutedExperts {
  std::int64_t layers = 0;
  std::int64_t experts = 0;       ///< in one layer
  std::int64_t active = 0;        ///< of them for one token
  Bytes bytes_per_expert;         ///< weights of one expert of one layer
  std::int64_t zero_experts = 0;  ///< further choices of the router that have no weights
};

/// Cache of one sequence in layers that spread over devices alike.
struct KvPart {
  Bytes read;                                ///< for one more token at the context in question
  Bytes kept;                                ///< in memory at that context
  std::int64_t kv_heads = 0;                 ///< devices that can share it at most; 0: each device holds all (MLA)
  std::int64_t query_heads_per_kv_head = 1;  ///< query heads that share one KV head
};

/// What one decode step moves and computes, whatever the device.
struct GpuWorkload {
  std::string name;
  Bytes weights_read;                  ///< for every step: all but routed experts; head included, embedding not
  std::vector<RoutedExperts> experts;  ///< read on top, as far as the batch chooses them
  Bytes weights_kept;                  ///< what must lie in memory, embedding included
  std::vector<KvPart> kv;
  std::int64_t layers = 0;
  std::int64_t hidden_size = 0;
  double flops_per_token = 0;         ///< two for each decoder weight that a token meets; head not included
  double flops_per_pair = 0;          ///< attention: for each query position and cached position, all layers together
  DType multiply_type = DType::bf16;  ///< type in which weights and activations are multiplied
  std::int64_t layer_quantisations = 0;  ///< kernels in a layer that only bring activations into a 4-bit type
};

/// How the device is used while that step runs.
struct GpuLoad {
  std::int64_t context_tokens = 0;  ///< mean over the sequences of the batch
  double batch = 1;                 ///< sequences that decode together
  double prompt_tokens = 0;         ///< of a request whose prefill runs between these steps; 0: decode alone
  double output_tokens = 0;         ///< of such a request
  bool prefill_included = false;    ///< the time per token counts the prefill of each request once per output token
  bool closed_loop = false;         ///< `batch` clients wait for admission: at most as many decode as fit
};

/// Seconds and counts of one step before an engine's constants are applied. F41 to F46.
struct GpuTerms {
  Seconds bound;             ///< bytes over nominal bandwidth of all devices
  Seconds weights;           ///< at the bandwidth that the best kernel achieves
  Seconds weights_at_units;  ///< if each compute unit took one byte per cycle; 0 if the device's units are not known
  Seconds kv;                ///< at that bandwidth, read as often as the engine's attention reads it
  double layers = 0;         ///< with what extra kernels add to them
  double allreduces = 0;     ///< times rounds; 0 on one device
  double tokens = 0;         ///< sequences that decode together after admission
  Seconds arithmetic;        ///< multiplies that the read of the weights does not hide, prefill included
  Seconds payload;           ///< bytes of allreduces on the links
  Bytes memory_needed;       ///< on one device
  Bytes memory_usable;       ///< on one device
  double admitted = 0;       ///< sequences that the memory takes; below 1: not even one
};

/// Evaluates F40 to F46. Pure: no constant of the fit enters.
/// Errors: std::invalid_argument for a batch below 1, devices below 1 or a negative context.
GpuTerms gpu_terms(const GpuWorkload& workload, const Gpu& gpu, std::int64_t devices, const EngineTraits& traits,
                   const GpuLoad& load);

/// One named share of a time.
struct GpuPart {
  std::string name;
  Seconds time;
};

/// Time per output token of one sequence.
struct GpuEstimate {
  std::string gpu;
  std::string engine;
  std::int64_t devices = 1;
  bool fits = false;
  std::string
      shortfall;        ///< what is short by how much, if it does not fit; times are then those of an unlimited memory
  Bytes memory_needed;  ///< on one device
  Bytes memory;         ///< of one device
  Seconds bound;        ///< F41: bytes over nominal bandwidth
  Seconds low;          ///< fast end: no faster than the bound
  Seconds expected;
  Seconds high;
  std::vector<GpuPart> parts;  ///< add up to `expected`
  std::vector<std::string> notes;
};

/// Bandwidth bound and engine model side by side. `widening` stretches the band, for a GPU outside the engine's data.
/// Model:   F40 to F48.
/// Errors:  as gpu_terms; std::logic_error if a time came out below its bytes over bandwidth, which is a bug.
GpuEstimate estimate_gpu(const GpuWorkload& workload, const Gpu& gpu, std::int64_t devices, const GpuEngine& engine,
                         const GpuLoad& load, double widening = 1);

/// F40: expected bytes of routed experts that a batch reads; experts are taken to be chosen independently.
double expert_bytes_read(const RoutedExperts& experts, double batch);

/// Shares of the residuals outside the band on each side.
constexpr double gpu_band_tail = 0.05;

}  // namespace waferline
