#pragma once
// A whole decoder, token by token, over one rectangle of PEs for each layer.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arch/region.hpp"
#include "kernels/emulate/decoder_spec.hpp"
#include "kernels/emulate/machine.hpp"
#include "kernels/emulate/weight_source.hpp"
#include "kernels/layer_schedule.hpp"

namespace waferline::kernels::emulate {

struct DecodeOptions {
  Extent mesh{8, 8};
  DType weights = DType::fp32;
  DType activations = DType::fp32;  ///< vectors, caches, and what travels
  DType accumulate = DType::fp32;   ///< fp16 needs fp16 activations
  int threads = 1;
  std::int64_t layers = 0;             ///< 0: all
  std::int64_t sram_bytes_per_pe = 0;  ///< 0: not checked
  std::int64_t reserved_bytes = 0;     ///< code and system, of that
  CollectiveChoice collectives;
  ScheduleOptions software;  ///< loop order and the like; its types are replaced by those above
  simd::InstructionSet set = simd::best();
  Recorder* recorder = nullptr;  ///< told of every step of every region (embedding, layer 0, ..., head)
};

/// One schedule with what it counted when it ran.
struct CountedSchedule {
  Schedule schedule;
  std::vector<StepCounters> counters;
  std::int64_t times = 1;  ///< layers that ran it
};

class Decoder {
 public:
  /// Loads all weights from `source`, or, if it is null, makes seeded ones. Errors: ConfigError naming a missing tensor
  /// or a shape that disagrees with the model; DoesNotFit if a PE's SRAM overflows.
  Decoder(const DecoderSpec& spec, const WeightSource* source, std::uint64_t seed, const DecodeOptions& options);
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Feeds one token at the next position; returns the logits. Errors: ConfigError if the id is outside the vocabulary
  /// or the context is full.
  const std::vector<float>& feed(std::int64_t token);

  /// The greedy choice that the mesh made for the last token fed.
  std::int64_t chosen() const { return chosen_; }
  std::int64_t position() const { return position_; }
  /// The hidden vector of the last token after the embedding and after each layer.
  const std::vector<std::vector<float>>& residuals() const { return residuals_; }
  /// Schedules of the last token: embedding, layer, head.
  const std::vector<CountedSchedule>& last_pass() const { return pass_; }
  /// Bytes of weights that one token reads from host memory.
  std::int64_t weight_bytes() const;
  /// SRAM of the busiest PE of a layer's rectangle, caches and buffers of the last token included.
  std::int64_t layer_sram_bytes() const { return layer_sram_bytes_; }
  KvCache& keys(std::int64_t layer);
  KvCache& values(std::int64_t layer);

 private:
  struct LayerState;
  struct Surround;
  std::unique_ptr<PanelMatrix> load_matrix(const std::string& name, const Tensor& tensor) const;
  std::vector<float> load_vector(const std::string& name, std::int64_t elements) const;
  void load_layer(const Schedule& schedule, std::int64_t layer);
  void load_surround();
  void run_embedding(std::int64_t token);
  void run_layers();
  void run_head();
  MachineOptions machine_options() const;
  void enter_region(std::string_view region) const;
  Pass pass_now() const;

  DecoderSpec spec_;
  const WeightSource* source_;
  std::uint64_t seed_;
  DecodeOptions options_;
  models::Model model_;
  Workshop shop_;
  std::vector<std::unique_ptr<LayerState>> layers_;
  std::unique_ptr<Surround> surround_;
  std::int64_t position_ = 0;
  std::int64_t chosen_ = 0;
  std::int64_t layer_sram_bytes_ = 0;
  std::vector<float> hidden_;
  std::vector<float> logits_;
  std::vector<std::vector<float>> residuals_;
  std::vector<CountedSchedule> pass_;
};

}  // namespace waferline::kernels::emulate
