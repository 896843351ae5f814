#pragma once
// A random layer of the Llama kind over a random rectangle, with seeded weights and filled caches.

#include <memory>
#include <random>
#include <vector>

#include "kernels/emulate/machine.hpp"
#include "kernels/layer_schedule.hpp"
#include "models/layer.hpp"

namespace waferline::tests {

struct LayerCase {
  models::Layer layer;
  std::int64_t hidden_size = 64;
  Extent mesh;
  kernels::Pass pass;
  kernels::ScheduleOptions options;
  kernels::CollectiveChoice collectives;
};

/// Everything that one machine needs; owns weights and caches.
class LayerRun {
 public:
  LayerRun(const LayerCase& of, std::uint64_t seed, const kernels::emulate::MachineOptions& machine);
  void run();
  const kernels::Schedule& schedule() const { return schedule_; }
  kernels::emulate::Machine& machine() { return *machine_; }
  const kernels::emulate::Bindings& bindings() const { return bindings_; }
  const std::vector<float>& output() { return machine_->buffer(0).values; }

 private:
  kernels::Schedule schedule_;
  std::unique_ptr<kernels::emulate::Machine> machine_;
  std::vector<std::unique_ptr<kernels::emulate::PanelMatrix>> matrices_;
  std::vector<std::unique_ptr<std::vector<float>>> vectors_;
  std::vector<std::unique_ptr<kernels::emulate::KvCache>> caches_;
  std::vector<kernels::emulate::Rotation> rotations_;
  kernels::emulate::Bindings bindings_;
};

LayerCase random_layer(std::mt19937& random, std::int64_t most_rows, std::int64_t most_cols);

}  // namespace waferline::tests
