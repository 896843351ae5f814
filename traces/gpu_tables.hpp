#pragma once
// Tables that give meaning to the names in measured GPU rows: models, GPUs, classes, rules for leaving rows out.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/gpu.hpp"
#include "estimate/calibrate_gpu.hpp"
#include "traces/csv.hpp"

namespace waferline::traces {

/// Sizes of one model as far as measured rows need them.
struct GpuModelSizes {
  std::int64_t layers = 0;
  std::int64_t hidden_size = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t kv_elements_per_token = 0;
  double active_decoder_parameters = 0;
};

/// A class and the width in which its engine keeps the cache.
struct GpuClassEntry {
  GpuClass gpu_class;
  std::int64_t kv_bits = 16;
};

/// Leaves out rows whose `column` contains a text, or of one GPU from a length on.
struct GpuRowRule {
  std::string column;
  std::string contains;
  std::string gpu;  ///< measured name; empty: any
  std::optional<std::int64_t> min_output_tokens;
  std::string reason;
};

struct GpuTables {
  std::map<std::string, GpuModelSizes> models;
  std::map<std::string, Gpu> gpus;  ///< by measured name
  std::map<std::string, GpuClassEntry> classes;
  std::vector<GpuRowRule> rules;
};

/// Reads all four tables of a folder; empty: the published ones.
GpuTables read_gpu_tables(const std::filesystem::path& folder);

/// What a format's name says about the multiply: the type in which weights meet activations, and how many kernels per
/// layer only bring activations into it. Every spelling is accepted: what is no fp8 or NVFP4 multiplies in 16 bit.
struct MultiplyFormat {
  DType type = DType::bf16;
  std::int64_t layer_quantisations = 0;
};
MultiplyFormat multiply_format(std::string_view quant_dtype);

}  // namespace waferline::traces
