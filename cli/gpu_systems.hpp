#pragma once
// GPU systems as they are named on the command line.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/gpu.hpp"
#include "estimate/gpu.hpp"
#include "estimate/gpu_choice.hpp"
#include "report/estimate.hpp"

namespace waferline::cli {

/// So many devices of one kind, tensor parallel.
struct GpuSystem {
  Gpu gpu;
  std::int64_t devices = 1;
};

/// Reads "h100x8,b200x8,rtx-4090": names with an optional count after the last x.
/// Errors: ConfigError naming flag and the nearest GPU, or for an empty entry or a count out of range.
std::vector<GpuSystem> parse_gpu_systems(std::string_view flag, std::string_view text);

/// The engine that speaks for a system: `engine` if it is named, else the class that was measured on that GPU.
/// Errors: ConfigError naming `flag` if no engine speaks for so many devices.
EngineChoice engine_for(const GpuSystem& system, const std::optional<std::string>& engine, const char* flag);

/// Bound and engine model of one system. The engine is `engine` if it is named, else the class that was measured on
/// that GPU. Errors: ConfigError naming `flag` if no engine speaks for so many devices.
report::GpuAnswer estimate_on(const GpuSystem& system, const GpuWorkload& workload, const GpuLoad& load,
                              const std::optional<std::string>& engine, const char* flag);

}  // namespace waferline::cli
