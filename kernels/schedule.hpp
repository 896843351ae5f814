#pragma once
// One schedule, read three ways: the counter reads its sizes, the emulator moves its data, the fabric moves its
// wavelets.
//
// A schedule is what one rectangle of PEs does, as a list of steps in order. Vectors are split along one axis of the
// rectangle and replicated along the other. A matrix is split on both axes: its inputs along the axis of the vector
// that enters, its outputs along the other. Multiplying leaves partial sums, a reduction along the input axis completes
// them, and the result is split along the other axis: consecutive multiplications alternate the axis, so nothing is
// transposed.
//
// docs/model/10-kernels.md says for every step what each PE does, in an order of sums that the emulator follows.

#include <cstdint>
#include <string_view>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/region.hpp"
#include "kernels/collective.hpp"
#include "kernels/partition.hpp"
#include "models/stored_type.hpp"

namespace waferline::kernels {

enum class StepKind : std::uint8_t {
  gemv,         ///< local block of a matrix times the local part of a vector; partial sums stay
  elementwise,  ///< vector instructions on local data
  reduce_max,   ///< reduction with maximum, to all PEs of the line or (`to_root`) to its root
  reduce_sum,   ///< reduction with sum, likewise
  multicast,    ///< from one PE of each line to the rest of the line
  relayout,     ///< every PE gathers the elements of its own share of the output, all of which its line holds
  shift,        ///< every PE passes words to its neighbour (KV rows move up)
  select,       ///< top-k merge over a line; every PE ends with the chosen values and indices
  stream        ///< from this rectangle to the next one
};
inline constexpr std::size_t kStepKinds = 9;

std::string_view name(StepKind kind);

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
inline constexpr std::size_t kParts = 17;

std::string_view name(Part part);

/// Index into Schedule::tensors, or kNoTensor.
using TensorId = std::int16_t;
inline constexpr TensorId kNoTensor = -1;

/// What a gemv or an elementwise step computes. The counter only needs its sizes.
enum class ElementOp : std::uint8_t {
  none,
  // gemv: which inputs meet which outputs.
  matrix,          ///< every input of the PE with every output of the PE
  scores,          ///< per query head: dimensions with positions of the key cache
  values,          ///< per query head: positions with dimensions of the value cache
  latent_queries,  ///< per head: its own inputs with the latent dimensions of that head
  latent_values,   ///< per head: latent dimensions of that head with its own outputs
  expert,          ///< `matrix`, for each chosen expert
  expert_sum,      ///< `expert`, weighted by the gate and summed over the chosen experts
  read_state,      ///< per value head: key dimensions with value dimensions of the state
  read_channels,   ///< per channel: state elements of the channel, dotted with one vector that all channels share
  tile_product,    ///< of a rotating tile: local rows of A with the local columns of B
  panel_product,   ///< the same with a panel that was multicast
  pass_tile,       ///< shift or multicast of a tile or panel
  gather_heads,    ///< relayout: element dimension x heads + head of the input becomes that head's dimension
  // elementwise
  copy,
  add,
  multiply,
  add_bias,
  sum,
  square_sum,
  sum_and_square_sum,
  scale_by_rsqrt,    ///< times 1 / sqrt(mean square + epsilon), times the norm's weight
  center_and_scale,  ///< LayerNorm: minus the mean, times the reciprocal deviation, times weight, plus bias
  normalize,         ///< times 1 / sqrt(square sum), no weight
  silu,
  silu_multiply,     ///< silu(gate) times up
  gelu,              ///< activation of a block without a gate (gelu, relu squared)
  sigmoid_multiply,  ///< values times sigmoid(gate)
  rope,
  append_kv,
  local_max,
  exp_minus_max,
  local_sum,
  sink,  ///< sum += exp(sink - max)
  scale_by_reciprocal,
  score_positions,  ///< indexer: relu, times the head's weight, summed over index heads
  count_above,      ///< positions whose score reaches the threshold of one round of a radix select
  top_k,            ///< the k largest of the local values
  gate_experts,     ///< gate values from router outputs of the chosen experts
  multiply_by_gate,
  convolve,      ///< causal convolution over the last conv_kernel inputs of each channel
  linear_gates,  ///< decay and step of each head from their projections
  decay_state,
  delta,            ///< (value - read) * step
  update_state,     ///< state += key x value
  decay_channels,   ///< state *= exp(step * A), for each channel and state element
  skip_connection,  ///< += D * input, per channel
  fetch_row,
  extra  ///< per-layer extras whose weights are vectors
};

/// One step. Sizes are those of the busiest PE and are exact; a PE at a ragged edge does the same with fewer elements.
struct Step {
  StepKind kind = StepKind::elementwise;
  Part part = Part::ffn;
  ElementOp op = ElementOp::none;
  Axis axis = Axis::x;          ///< axis along which the step communicates, or of the input of a gemv
  bool to_root = false;         ///< a reduction without the multicast of its result
  bool data_dependent = false;  ///< sizes are expectations, because what happens depends on values (sparse attention)
  bool wide_operands = false;   ///< operands of 32 bits
  std::string_view label;       ///< static text, unique within a schedule unless the layer has two mixers or FFNs
  TensorId input = kNoTensor;
  TensorId second = kNoTensor;  ///< matrix of a gemv, other operand of an elementwise step
  TensorId third = kNoTensor;   ///< further operand
  TensorId output = kNoTensor;
  std::int16_t span = 1;     ///< communication: tensors input, input + 1, ... that travel together
  std::int64_t repeats = 1;  ///< times that the step is done, one after the other
  std::int64_t first = 0;    ///< relayout: element of the input with which the output begins
  std::int64_t rank = 0;     ///< count_above: place of the score that is looked for, the largest being 1

  // Local work of the busiest PE, once.
  std::int64_t instructions = 0;  ///< vector instructions issued
  std::int64_t length = 0;        ///< elements of each
  std::int64_t exponentials = 0;  ///< elements through a software exponential (softmax, sigmoid, silu)
  std::int64_t specials = 0;      ///< scalar reciprocals, square roots, divisions
  std::int64_t macs = 0;          ///< multiply-accumulates
  std::int64_t weight_bytes = 0;  ///< stored weight, cache or state bytes swept, each byte once for each token
  std::int64_t dequantised = 0;   ///< elements widened from a storage type of 8 bits or less
  std::int64_t read_bytes = 0;    ///< all bytes through the read port, the swept ones included
  std::int64_t write_bytes = 0;   ///< all bytes through the write port

  // Communication, once.
  std::int64_t line = 1;      ///< PEs in the longest line that communicates
  std::int64_t words = 0;     ///< elements per PE that travel
  std::int64_t wavelets = 0;  ///< the same in 32-bit wavelets
  std::int64_t distance = 0;  ///< hops of a stream or shift
  CollectivePlan plan;        ///< arrangement of a reduction or select
  CollectiveCounts traffic;   ///< counts of the communication under that plan
};

/// What SRAM a tensor takes.
enum class SramUse : std::uint8_t {
  weights,
  kv,
  state,
  buffer,   ///< from the step that first touches it to the step that last does
  borrowed  ///< another layer's cache: counted there
};
inline constexpr std::size_t kSramUses = 4;  ///< those that take bytes here

/// A tensor dealt out over the rectangle: element (copy, i, j) lies on every PE whose share of `along_y` holds i and
/// whose share of `along_x` holds j. A tensor that is replicated along an axis is one `whole` head of one dimension
/// there.
struct Tensor {
  std::string_view name;  ///< static text; weights have the names of a Llama checkpoint where it has them
  SramUse use = SramUse::buffer;
  Axis input_axis = Axis::y;  ///< of a matrix: the axis along which its inputs are split
  Bands along_x;
  Bands along_y;
  std::int64_t copies = 1;  ///< tokens of the pass, sequences of a cache, or experts
  models::StoredType stored;
  std::int64_t elements = 0;         ///< of one copy over the whole rectangle, each once
  std::int64_t elements_per_pe = 0;  ///< of one copy on the busiest PE
  std::int64_t bytes_per_pe = 0;     ///< of all copies; every PE sets aside as much as the busiest, scales included

  constexpr const Bands& along(Axis axis) const { return axis == Axis::x ? along_x : along_y; }
};

/// What one rectangle of PEs does for one pass (`batch` tokens, each of its own sequence).
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

/// Bytes that a block of `rows` outputs x `cols` inputs takes in SRAM: packed elements, and the scales of as many
/// blocks as the worst alignment of that block touches. Scales of the whole tensor count once for each PE.
Bytes stored_bytes(const models::StoredType& stored, std::int64_t rows, std::int64_t cols);

/// Wavelets of 32 bits that `elements` of a type take, packed.
std::int64_t wavelets(DType dtype, std::int64_t elements);

}  // namespace waferline::kernels
