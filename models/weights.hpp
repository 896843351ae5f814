#pragma once
// Lists of weights: making them, counting them, and the bytes they take as stored.

#include <cstdint>
#include <string>
#include <vector>

#include "arch/units.hpp"
#include "models/layer.hpp"

namespace waferline::models {

/// Collects the weights of one layer under one prefix ("self_attn", "mlp.experts").
class WeightList {
 public:
  explicit WeightList(std::vector<Weight>& out) : out_(&out) {}

  /// `count` matrices of rows (outputs) x cols (inputs); nothing is added if any of the three is 0.
  void matrix(std::string name, WeightRole role, std::int64_t rows, std::int64_t cols, std::int64_t count = 1);
  /// `count` vectors of n elements.
  void vector(std::string name, WeightRole role, std::int64_t n, std::int64_t count = 1);
  /// Weight and, if `bias`, a bias of as many elements as the matrix has rows.
  void linear(const std::string& module, WeightRole role, std::int64_t rows, std::int64_t cols, bool bias,
              std::int64_t count = 1);

 private:
  std::vector<Weight>* out_;
};

/// Elements of all weights together. Precondition: the sum is below 2^62 (read_config refuses larger models).
std::int64_t elements(const std::vector<Weight>& weights);

/// Largest number of parameters that a model may have here; keeps every product and byte count within 64 bits.
inline constexpr std::int64_t kMostParameters = std::int64_t{1} << 52;

/// As `elements`, but stops at kMostParameters + 1 instead of overflowing.
std::int64_t bounded_elements(const std::vector<Weight>& weights);

/// Number of scales stored beside a weight (block scales and per-tensor scales).
std::int64_t scale_elements(const Weight& weight);
std::int64_t scale_elements(const std::vector<Weight>& weights);

/// Bytes of a weight as stored, scales included; each of its `count` matrices is padded to whole bytes.
Bytes stored_bytes(const Weight& weight);
Bytes stored_bytes(const std::vector<Weight>& weights);

}  // namespace waferline::models
