#pragma once
// What one class of serving engines makes of a GPU: five constants, as read from `arch/engines/NAME.toml`.

#include <string>
#include <string_view>
#include <vector>

#include "arch/fit_record.hpp"
#include "arch/sourced.hpp"
#include "arch/units.hpp"

namespace waferline {

/// Constants of the GPU decode model (docs/model.md, F40 and following). Fractions are of the nominal bandwidth.
struct GpuEngine {
  std::string name;
  std::string description;
  std::vector<std::string> gpus;              // GPUs that the data came from, by name; may be empty
  Sourced<double> weight_bandwidth_fraction;  // e_w
  Sourced<double> kv_bandwidth_fraction;      // e_kv
  Sourced<Seconds> layer_overhead;            // o: for each layer
  Sourced<Seconds> allreduce;                 // a: for each of the two allreduces of a layer on several devices
  Sourced<Seconds> token_overhead;            // c: once for each token
  FitRecord fit;
  bool operator==(const GpuEngine&) const = default;
};

/// Names of the engine profiles that come with Waferline, sorted.
std::vector<std::string> list_gpu_engines();

/// The engine of that name, or the one described by a file if `name_or_path` ends in ".toml".
/// Errors: ConfigError naming the nearest names, or every problem of the file with line, key, value and permitted
/// range.
GpuEngine load_gpu_engine(const std::string& name_or_path);

/// Reads an engine from TOML text; `file_name` is for messages.
GpuEngine parse_gpu_engine(std::string_view toml_text, const std::string& file_name);

/// The file that `parse_gpu_engine` reads back to an equal engine: deterministic text, every number with its
/// provenance.
std::string to_toml(const GpuEngine& engine);

}  // namespace waferline
