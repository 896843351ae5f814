#pragma once
// One schedule, read three ways: the counter reads its sizes, the emulator moves its data, the fabric moves its
// wavelets.
//
// A schedule is what one rectangle of PEs does, as a list of steps in order. Vectors are split along one axis of the
// rectangle and replicated along the other. A matrix is split on both axes: its inputs along the axis of the vector
// that enters, its outputs along the other. Multiplying leaves partial sums, a reduction along the input axis completes
// them, and the result is split along the other axis: consecutive multiplications alternate the axis, so nothing is
// transposed.

#include <cstdint>
#include <string_view>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/region.hpp"
#include "kernels/collective.hpp"

namespace waferline::kernels {

enum class StepKind : std::uint8_t {
  gemv,         ///< local block of a matrix times the local part of a vector; partial sums stay
  elementwise,  ///< vector instructions on local data
  reduce_max,   ///< all-reduce with maximum
  reduce_sum,   ///< all-reduce with sum
  multicast,    ///< from one PE of each line to the rest of the line
  relayout,     ///< a vector split along one axis becomes split along the other, through the diagonal
  shift,        ///< every PE passes words to its neighbour (KV rows move up, operands of a GEMM rotate)
  select,       ///< arg-max or top-k merge over a line (a reduction whose words are value and index)
  stream        ///< from this rectangle to the next one
};

/// What a step belongs to in a breakdown.
enum class Part : std::uint8_t {
  embedding,
  norm,
  qkv,
  rope,
  kv_append,
  scores,
  softmax,
  values,
  output,
  ffn,
  router,
  experts,
  state,
  head,
  sampling,
  residual,
  transfer
};

std::string_view name(Part part);

/// Index into Schedule::tensors, or kNoTensor.
using TensorId = std::int16_t;
inline constexpr TensorId kNoTensor = -1;

/// What the emulator computes in an elementwise step (the counter only needs its sizes).
enum class ElementOp : std::uint8_t {
  none,
  copy,
  add,
  multiply,
  add_bias,
  square_sum,
  sum,
  scale_by_rsqrt,
  subtract_mean,
  silu_multiply,
  gelu,
  gelu_multiply,
  relu_squared,
  soft_cap,
  rope,
  local_max,
  exp_minus_max,
  local_sum,
  scale_by_reciprocal,
  append_kv,
  top_k,
  gate_experts,
  convolve,
  decay_state,
  update_state,
  read_state,
  sigmoid_multiply,
  fetch_row,
  argmax
};

/// One step. Sizes are those of the busiest PE and are exact; a PE at a ragged edge does the same with fewer elements.
struct Step {
  StepKind kind = StepKind::elementwise;
  Part part = Part::ffn;
  ElementOp op = ElementOp::none;
  Axis axis = Axis::x;     ///< axis along which the step communicates, or of the input of a gemv
  std::string_view label;  ///< static text, unique within a schedule, e.g. "attention.q_proj"
  TensorId input = kNoTensor;
  TensorId second = kNoTensor;  ///< matrix of a gemv, other operand of an elementwise step
  TensorId output = kNoTensor;

  // Local work of the busiest PE.
  std::int64_t instructions = 0;  ///< vector instructions issued
  std::int64_t length = 0;        ///< elements of each
  std::int64_t exponentials = 0;  ///< elements through a software exponential (softmax, sigmoid, silu)
  std::int64_t specials = 0;      ///< scalar reciprocals, square roots, divisions
  std::int64_t macs = 0;          ///< multiply-accumulates
  std::int64_t weight_bytes = 0;  ///< stored weight or cache bytes read
  std::int64_t dequantised = 0;   ///< elements widened from a storage type of 8 bits or less

  // Communication.
  std::int64_t line = 1;      ///< PEs in each line that communicates
  std::int64_t words = 0;     ///< elements per PE that travel
  std::int64_t wavelets = 0;  ///< the same in 32-bit wavelets
  CollectivePlan plan;        ///< arrangement of a reduction
  std::int64_t distance = 0;  ///< hops of a stream or shift
};

/// A tensor as the emulator lays it out: `elements` along an axis of the rectangle in blocks, or a matrix on both axes.
struct Tensor {
  std::string_view name;  ///< static text, or the checkpoint's name for weights
  std::int64_t rows = 0;  ///< outputs of a matrix; batch rows of a vector
  std::int64_t cols = 0;  ///< inputs of a matrix; elements of a vector
  DType dtype = DType::fp16;
  bool resident = false;          ///< weights, caches and state: stays in SRAM between tokens
  Axis axis = Axis::x;            ///< axis along which a vector is split, or along which a matrix's inputs are split
  std::int64_t bytes_per_pe = 0;  ///< on the busiest PE, padding and block scales included
};

/// What one rectangle of PEs does for one pass (`batch` tokens).
struct Schedule {
  Extent extent;
  std::int64_t batch = 1;
  std::vector<Tensor> tensors;
  std::vector<Step> steps;

  void clear() {
    tensors.clear();
    steps.clear();
  }
};

}  // namespace waferline::kernels
