#pragma once
// Storage types of GGUF files.

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/stored_type.hpp"

namespace waferline::models {

/// One type: `block` elements take `block_bytes` bytes.
struct GgmlType {
  std::uint32_t id = 0;
  std::string_view name;
  int block = 1;
  int block_bytes = 1;
};

/// The type of that number, or nothing.
std::optional<GgmlType> ggml_type(std::uint32_t id);
/// The type of that name, or nothing.
std::optional<GgmlType> ggml_type(std::string_view name);

/// As a stored type with exactly the same bytes: types of 5 or 6 bits and the like appear as 4- or 8-bit values with
/// the rest of their block beside.
StoredType stored_as(const GgmlType& type);

}  // namespace waferline::models
