#include "kernels/schedule.hpp"

#include <array>

namespace waferline::kernels {
namespace {

constexpr std::array<std::string_view, kStepKinds> kKindNames = {
    "gemv", "elementwise", "reduce_max", "reduce_sum", "multicast", "relayout", "shift", "select", "stream"};
constexpr std::array<std::string_view, kParts> kPartNames = {
    "embedding", "norm",   "qkv",     "rope",  "kv_append", "scores",   "softmax",  "values",  "output",
    "ffn",       "router", "experts", "state", "head",      "sampling", "residual", "transfer"};

constexpr std::int64_t kWaveletBits = 32;

/// Most blocks of `block` elements that a run of `length` touches, wherever it begins, out of those in one row or
/// column.
std::int64_t blocks_touched(std::int64_t length, std::int64_t block) {
  if (length <= 0) return 0;
  if (block == models::StoredType::kWholeRow) return 1;
  return length == 1 ? 1 : ceil_div(length - 1, block) + 1;
}

std::int64_t bytes_of_bits(std::int64_t bits) {
  return ceil_div(bits, 8);
}

}  // namespace

std::string_view name(StepKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}
std::string_view name(Part part) {
  return kPartNames[static_cast<std::size_t>(part)];
}

Bytes stored_bytes(const models::StoredType& stored, std::int64_t rows, std::int64_t cols) {
  const std::int64_t elements = rows * cols;
  if (elements == 0) return Bytes{0};
  std::int64_t bytes = packed_bytes(stored.dtype, elements).value;
  if (stored.block_rows != 0) {
    const std::int64_t blocks = blocks_touched(rows, stored.block_rows) * blocks_touched(cols, stored.block_cols);
    bytes += bytes_of_bits(blocks * stored.scale_bits);
  }
  constexpr std::int64_t kTensorScaleBytes = 4;
  return Bytes{bytes + stored.tensor_scales * kTensorScaleBytes};
}

std::int64_t wavelets(DType dtype, std::int64_t elements) {
  return ceil_div(elements * bits_per_element(dtype), kWaveletBits);
}

}  // namespace waferline::kernels
