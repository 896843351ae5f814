#include "models/weights.hpp"

#include <utility>

namespace waferline::models {

void WeightList::matrix(std::string name, WeightRole role, std::int64_t rows, std::int64_t cols, std::int64_t count) {
  if (rows > 0 && cols > 0 && count > 0) out_->push_back({std::move(name), role, count, rows, cols, {}});
}

void WeightList::vector(std::string name, WeightRole role, std::int64_t n, std::int64_t count) {
  matrix(std::move(name), role, n, 1, count);
}

void WeightList::linear(const std::string& module, WeightRole role, std::int64_t rows, std::int64_t cols, bool bias,
                        std::int64_t count) {
  matrix(module + ".weight", role, rows, cols, count);
  if (bias) vector(module + ".bias", WeightRole::bias, rows, count);
}

std::int64_t elements(const std::vector<Weight>& weights) {
  std::int64_t sum = 0;
  for (const Weight& weight : weights) sum += weight.elements();
  return sum;
}

std::int64_t bounded_elements(const std::vector<Weight>& weights) {
  std::int64_t sum = 0;
  for (const Weight& weight : weights) {
    std::int64_t product = 0;
    const bool fits = !__builtin_mul_overflow(weight.count, weight.rows, &product) &&
                      !__builtin_mul_overflow(product, weight.cols, &product) && product <= kMostParameters;
    if (!fits || (sum += product) > kMostParameters) return kMostParameters + 1;
  }
  return sum;
}

namespace {

/// Block scales of one of the `count` matrices.
std::int64_t blocks(const Weight& weight) {
  const StoredType& stored = weight.stored;
  if (stored.block_rows == 0) return 0;
  const std::int64_t across = stored.block_cols == StoredType::kWholeRow ? 1 : ceil_div(weight.cols, stored.block_cols);
  return ceil_div(weight.rows, stored.block_rows) * across;
}

}  // namespace

std::int64_t scale_elements(const Weight& weight) {
  return weight.count * (blocks(weight) + weight.stored.tensor_scales);
}

std::int64_t scale_elements(const std::vector<Weight>& weights) {
  std::int64_t sum = 0;
  for (const Weight& weight : weights) sum += scale_elements(weight);
  return sum;
}

Bytes stored_bytes(const Weight& weight) {
  const std::int64_t value_bits = weight.rows * weight.cols * bits_per_element(weight.stored.dtype);
  const std::int64_t bits = value_bits + blocks(weight) * weight.stored.scale_bits;  // of one matrix, packed
  return weight.count * Bytes{ceil_div(bits, 8) + 4 * weight.stored.tensor_scales};
}

Bytes stored_bytes(const std::vector<Weight>& weights) {
  Bytes sum;
  for (const Weight& weight : weights) sum += stored_bytes(weight);
  return sum;
}

}  // namespace waferline::models
