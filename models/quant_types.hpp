#pragma once
// Stored types by the names that quantisers give them.

#include <optional>
#include <string>
#include <string_view>

#include "models/stored_type.hpp"

namespace waferline::models {

/// fp8 with one fp32 scale per block of rows x cols (DeepSeek).
StoredType fp8_blocks(std::int64_t rows, std::int64_t cols);
/// fp8 with `tensor_scales` fp32 scales per tensor.
StoredType fp8_tensor(int tensor_scales);
/// 4-bit floats, 16 of which share an fp8 scale, and `tensor_scales` fp32 scales per tensor (NVIDIA).
StoredType nvfp4(int tensor_scales);
/// 4-bit floats, 32 of which share an 8-bit exponent (OCP MX).
StoredType mxfp4();
/// Integers of 4 or 8 bits with `scale_bits` beside every group of `group` along a row; -1: the whole row.
StoredType integer_groups(int bits, std::int64_t group, int scale_bits);

/// Type of a ModelOpt algorithm name ("NVFP4", "FP8", "W4A16_AWQ", ...), or nothing. `group` is the stated group size.
std::optional<StoredType> modelopt_type(std::string_view algorithm, std::optional<std::int64_t> group);

}  // namespace waferline::models
