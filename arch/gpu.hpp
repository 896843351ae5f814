#pragma once
// One GPU (or other accelerator with its own memory), as read from `arch/gpus/NAME.toml`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/sourced.hpp"
#include "arch/units.hpp"

namespace waferline {

/// Dense arithmetic (no structured sparsity), where the device has it.
struct DenseRates {
  std::optional<Sourced<FlopsPerSecond>> fp16;  // fp16 and bf16 with fp32 accumulation
  std::optional<Sourced<FlopsPerSecond>> fp8;
  std::optional<Sourced<FlopsPerSecond>> fp4;
  bool operator==(const DenseRates&) const = default;
};

/// How devices of one node reach each other.
struct ScaleUp {
  std::string link;                                           // "NVLink4", "PCIe4 x16", "none"
  std::optional<Sourced<BytesPerSecond>> link_per_direction;  // of one device, one direction; absent if not known
  Sourced<std::int64_t> devices_per_node;                     // devices that this link joins
  bool operator==(const ScaleUp&) const = default;
};

/// The processors that read the memory: SMs, CUs, GPU cores. Batch-1 kernels may be bound by them and not by the
/// memory.
struct ComputeUnits {
  std::string architecture;  // generation by name, e.g. "ampere", "ada", "apple7"
  Sourced<std::int64_t> count;
  Sourced<Hertz> clock;  // boost
  bool operator==(const ComputeUnits&) const = default;
};

struct Gpu {
  std::string name;
  std::string description;
  std::string vendor;
  Sourced<Bytes> memory;
  Sourced<BytesPerSecond> bandwidth;                          // nominal
  std::optional<Sourced<BytesPerSecond>> achieved_bandwidth;  // best seen in a kernel
  DenseRates dense;
  std::optional<ComputeUnits> units;
  ScaleUp scale_up;
  std::optional<Sourced<Watts>> tdp;
  bool operator==(const Gpu&) const = default;
};

/// Arithmetic rate for weights stored in `dtype`: its own if the device has it, else that of the next wider type, since
/// narrower weights are widened before the multiply. Nothing if no rate is known.
std::optional<FlopsPerSecond> dense_rate(const Gpu& gpu, DType dtype);

/// Names of the GPUs that come with Waferline, sorted.
std::vector<std::string> list_gpus();

/// The GPU of that name, or the one described by a file if `name_or_path` ends in ".toml".
/// Errors: ConfigError naming the nearest names, or every problem of the file with line, key, value and permitted
/// range.
Gpu load_gpu(const std::string& name_or_path);

/// Reads a GPU from TOML text; `file_name` is for messages.
Gpu parse_gpu(std::string_view toml_text, const std::string& file_name);

/// The file that `parse_gpu` reads back to an equal Gpu.
std::string to_toml(const Gpu& gpu);

}  // namespace waferline
