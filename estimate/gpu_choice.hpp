#pragma once
// Which engine profile speaks for a GPU.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arch/gpu.hpp"
#include "arch/gpu_engine.hpp"

namespace waferline {

/// An engine with a GPU that its data came from.
struct EngineOnGpus {
  GpuEngine engine;
  std::vector<Gpu> gpus;
};

struct EngineChoice {
  GpuEngine engine;
  bool same_gpu = false;  ///< the engine was measured on this GPU
  double widening = 1;    ///< for the band of estimate_gpu
  std::string reason;     ///< engine, when it was measured, and on what
};

/// How much wider the band is on a GPU outside the class's data: errors on GPUs left out of a fit over errors on
/// configurations left out, the largest of the classes with 30 rows or more and at least two GPUs, rounded up. Checked
/// by tests/validation/traces/gpu_classes.cpp.
constexpr double other_gpu_widening = 2.0;

/// The engine for a GPU and a number of devices: one that was measured on that GPU if there is one, the newest first,
/// then the one with the least error on configurations left out; otherwise the one whose GPUs are nearest (vendor, kind
/// of link, bandwidth), with a wider band. An engine that never ran an allreduce speaks for one device only.
/// Errors: std::invalid_argument if no engine speaks for so many devices.
EngineChoice choose_gpu_engine(const Gpu& gpu, std::int64_t devices, std::span<const EngineOnGpus> engines);

/// All engines that come with Waferline, each with its GPUs.
/// Errors: ConfigError if a file cannot be read.
std::vector<EngineOnGpus> load_gpu_engines();

}  // namespace waferline
