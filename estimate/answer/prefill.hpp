#pragma once
// How long a prompt takes before the first token can be chosen, on wafers and on GPUs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/gpu.hpp"
#include "arch/gpu_engine.hpp"
#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "estimate/answer/prefill_layer.hpp"
#include "estimate/wafer.hpp"
#include "mapping/placement.hpp"
#include "models/model.hpp"

namespace waferline::estimate {

struct PrefillRequest {
  std::int64_t prompt_tokens = 1;
  std::int64_t cached_tokens = 0;            ///< of a shared prefix, found in the cache; less than the prompt
  std::optional<std::int64_t> chunk_tokens;  ///< nothing: on wafers the fastest that fits, on GPUs all in one

  std::int64_t new_tokens() const { return prompt_tokens - cached_tokens; }
};

/// Errors: ConfigError naming the flag for counts below 1 or a cached prefix as long as the prompt.
void check(const PrefillRequest& request);

/// The chunks of a prompt, in order; all but the last are of `chunk_tokens`.
std::vector<PromptChunk> chunks_of(const PrefillRequest& request, std::int64_t chunk_tokens);

/// How a chunk goes through a layer.
enum class PrefillMethod : std::uint8_t {
  products,  ///< shifted matrix products (F91; on GPUs F93)
  rows       ///< a batch of rows, each as a decoded token (F98): better for few tokens
};

struct PrefillEstimate {
  std::string system;
  PrefillMethod method = PrefillMethod::products;
  std::int64_t new_tokens = 0;
  std::int64_t chunk_tokens = 0;  ///< of every chunk but the last
  std::int64_t chunks = 0;
  SecondsBand time;       ///< first token in until the last chunk has passed the last layer
  Seconds chunk_gap;      ///< between the ends of the last two chunks; one chunk: the whole time
  Seconds chunk_way;      ///< the longest chunk alone, through all stages
  Seconds busiest_stage;  ///< how long the busiest stage works for this prompt
  std::vector<Assumption> assumptions;
  std::vector<std::string> notes;

  double tokens_per_s() const { return static_cast<double>(new_tokens) / time.expected.value; }
};

/// A model as it lies on wafers for decoding, which prefill uses as it is.
struct PlacedModel {
  const models::Model& model;
  const Wafer& wafer;
  const SoftwareProfile& software;
  const mapping::Placement& placement;
};

/// Prefill on the wafers that decode, layer by layer by the faster method (F91, F98), the chunks in a pipeline over the
/// regions (F92). Errors: ConfigError as `check`; DoesNotFit naming bytes if a chunk of the asked size, or even one
/// token, finds no room beside weights and cache.
PrefillEstimate estimate_prefill(const PlacedModel& placed, const PrefillRequest& request);

/// Bytes that a chunk is short of on the fullest PE beside weights and cache; 0 if it fits.
Bytes prefill_shortage(const PlacedModel& placed, PromptChunk chunk, PrefillMethod method);

/// GPUs of one kind under one engine.
struct EngineOnGpus {
  const Gpu& gpu;
  std::int64_t devices = 1;
  const GpuEngine& engine;
  double widening = 1;  ///< of the engine's band, see estimate_gpu
};

/// Prefill on GPUs: each chunk takes the longer of its arithmetic and the read of its weights, then the longer of its
/// attention's arithmetic and the read of the cache, then the engine's overheads once. Model: F93. Nothing of it was
/// fitted on prefill. Errors: ConfigError as `check`, or if the GPU's arithmetic rate is not known.
PrefillEstimate estimate_gpu_prefill(const models::Model& model, const EngineOnGpus& system,
                                     const PrefillRequest& request);

/// One chunk of F93.
Seconds gpu_chunk_time(const models::Model& model, const EngineOnGpus& system, PromptChunk chunk);

}  // namespace waferline::estimate
