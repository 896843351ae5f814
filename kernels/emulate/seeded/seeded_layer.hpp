#pragma once
// One layer of any kind with seeded weights, filled caches and states: what tests and the command line run on a
// rectangle of PEs where no checkpoint is at hand.

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "kernels/emulate/machine.hpp"
#include "kernels/layer_schedule.hpp"
#include "models/layer.hpp"

namespace waferline::kernels::emulate {

/// What to build.
struct SeededLayerSpec {
  models::Layer layer;
  std::int64_t hidden_size = 64;
  Extent mesh{1, 1};
  Pass pass;
  ScheduleOptions options;
  CollectiveChoice collectives;
  float norm_epsilon = 1e-5F;
  double rope_theta = 10000;
  std::int64_t different_experts = 0;  ///< expert e has the numbers of expert e mod this; 0: all have their own
};

/// Owns everything that one machine needs.
class SeededLayer {
 public:
  /// Errors: as Machine; ConfigError for a storage type that is not emulated.
  SeededLayer(const SeededLayerSpec& spec, std::uint64_t seed, const MachineOptions& options);

  /// Runs the layer once: one token of each sequence. Caches and states move on; `output` is then the new hidden
  /// vector.
  void run();

  /// Takes over one token's hidden vector, caches and states from a layer of the same seed and a larger batch; own
  /// batch is 1.
  void take_token(const SeededLayer& from, std::int64_t token);

  /// The schedule whose closed form knows what each band of experts had to do in the last run.
  Schedule schedule_of_choice() const;

  const SeededLayerSpec& spec() const { return spec_; }
  const Schedule& schedule() const { return schedule_; }
  Machine& machine() { return *machine_; }
  const Machine& machine() const { return *machine_; }
  const Bindings& bindings() const { return bindings_; }
  const std::vector<Rotation>& rotations() const { return rotations_; }
  /// Hidden vectors, one token after the other.
  const std::vector<float>& output() const { return machine_->buffer(0).values; }
  /// Bytes of weights that one run reads from host memory.
  std::int64_t host_bytes() const;

 private:
  void bind_matrices(TensorId id, const Tensor& tensor, std::uint64_t seed, int threads);
  void bind_experts(TensorId id, const Tensor& tensor, std::uint64_t seed, int threads);
  void bind_vector(TensorId id, const Tensor& tensor);
  void fill_cache(TensorId id, const Tensor& tensor);
  void fill_state(TensorId id, const Tensor& tensor);
  void make_rotations();
  /// Numbers of a tensor's copy: the same for any number of tokens.
  std::vector<float> normal(TensorId id, std::int64_t copy, std::int64_t n) const;

  SeededLayerSpec spec_;
  std::uint64_t seed_;
  Schedule schedule_;
  std::unique_ptr<Machine> machine_;
  std::vector<std::unique_ptr<PanelMatrix>> matrices_;
  std::vector<std::unique_ptr<std::vector<float>>> vectors_;
  std::vector<std::unique_ptr<KvCache>> caches_;
  std::vector<Rotation> rotations_;
  Bindings bindings_;
};

/// Constants of a layer's elementwise steps: 1 / sqrt(query width) as the scale of scores, and for lightning attention
/// the decays of its heads, exp(-2^(-8 (h + 1) / heads)) (arXiv 2401.04658, section 2.3).
Constants constants_of(const models::Layer& layer, float norm_epsilon);

}  // namespace waferline::kernels::emulate
