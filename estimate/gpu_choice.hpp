#pragma once
// Which engine profile speaks for a GPU.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arch/gpu.hpp"
#include "arch/gpu_engine.hpp"

namespace waferline {

/// What the choice of an engine needs to know of it. The profiles with their residuals are larger than all other files
/// together, so a choice reads `arch/engines/index.json`, which a test remakes from them, and loads the chosen one
/// only.
struct EngineSummary {
  std::string name;
  std::vector<std::string> gpus;
  std::string engine;
  std::string measured;
  DeviceSplit device_split = DeviceSplit::tensor;
  std::int64_t points = 0;     ///< rows fitted on
  bool ran_allreduce = false;  ///< some of its rows are of several devices that share each layer
  double held_out_mean_abs_error_pct = 0;
  bool operator==(const EngineSummary&) const = default;
};

EngineSummary summarise(const GpuEngine& engine);

/// The index of the engines that come with Waferline.
/// Errors: ConfigError for a file that is not there or not as expected.
std::vector<EngineSummary> load_engine_index();

/// The file that load_engine_index reads back.
std::string engine_index_json(std::span<const EngineSummary> engines);

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

/// The engine for a GPU and a number of devices: one that was measured on that GPU if there is one, those of 30 rows or
/// more first, then the newest, then the one with the least error on configurations left out; otherwise the one whose
/// GPUs are nearest (vendor, kind of link, bandwidth), with a wider band. An engine that never ran an allreduce speaks
/// for one device only. Errors: std::invalid_argument if no engine speaks for so many devices; ConfigError if its file
/// cannot be read.
EngineChoice choose_gpu_engine(const Gpu& gpu, std::int64_t devices, std::span<const EngineSummary> engines);

}  // namespace waferline
