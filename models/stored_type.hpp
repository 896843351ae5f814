#pragma once
// How weights lie in memory: bits per element and the scales that belong to them.

#include <cstdint>

#include "arch/dtype.hpp"

namespace waferline::models {

/// Stored form of a group of weights: bits per element plus scales.
struct StoredType {
  DType dtype = DType::bf16;
  std::int64_t block_rows = 0;  ///< elements that share a scale: block_rows x block_cols; 0: no block scales
  std::int64_t block_cols = 0;  ///< kWholeRow: one scale per row, whatever its length
  int scale_bits = 0;           ///< bits beside the elements per block (scale, and zero point where there is one)
  int tensor_scales = 0;        ///< fp32 scales per tensor beside the block scales
  bool operator==(const StoredType&) const = default;

  static constexpr std::int64_t kWholeRow = -1;
};

}  // namespace waferline::models
