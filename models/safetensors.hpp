#pragma once
// Headers of safetensors files: 8 bytes of length, then JSON. No weights need be present.

#include <filesystem>
#include <optional>

#include "models/tensor_table.hpp"

namespace waferline::models {

/// Reads one file's header. The data after it may be missing; a note says so.
/// Errors: ConfigError for a file shorter than its header, a header over 64 MiB, wrong JSON, an unknown dtype, negative
/// or overflowing shapes, and data offsets that do not fit a tensor's size.
TensorTable read_safetensors(const std::filesystem::path& path);

/// Reads model.safetensors.index.json and the headers of those of its files that lie beside it.
TensorTable read_safetensors_index(const std::filesystem::path& path);

/// The table of the safetensors files in a folder: of the index if there is one, else of model.safetensors; nothing if
/// there is neither.
std::optional<TensorTable> safetensors_in(const std::filesystem::path& folder);

}  // namespace waferline::models
