#pragma once
// Storage types of weights, activations and caches, with their exact cost per element.

#include <cstdint>
#include <optional>
#include <string_view>

#include "arch/units.hpp"

namespace waferline {

enum class DType { fp32, fp16, bf16, fp8_e4m3, int8, int4, fp4_e2m1, mxfp4, nvfp4 };

/// Bits of one stored element, block scales not included.
int bits_per_element(DType dtype);

/// Name as it is printed and as it is accepted on the command line ("fp16", "fp8_e4m3", ...).
std::string_view name(DType dtype);

/// The type of that name, or nothing.
std::optional<DType> dtype_from_name(std::string_view text);

/// Bytes of `elements` packed elements, rounded up to whole bytes; block scales not included.
Bytes packed_bytes(DType dtype, std::int64_t elements);

}  // namespace waferline
