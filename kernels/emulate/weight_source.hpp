#pragma once
// Where weights come from: a checkpoint on disk, or a seed.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "kernels/emulate/panel_matrix.hpp"

namespace waferline::kernels::emulate {

/// Tensors by their Hugging Face names.
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  virtual bool has(const std::string& name) const = 0;
  /// The tensor as a matrix; a vector has one row. Errors: ConfigError naming file and tensor.
  virtual RawMatrix read(const std::string& name) const = 0;
};

/// All `*.safetensors` of a folder, or one file. Errors: ConfigError if there is none, or a header is wrong.
std::unique_ptr<WeightSource> open_safetensors(const std::filesystem::path& path);

}  // namespace waferline::kernels::emulate
