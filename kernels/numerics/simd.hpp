#pragma once
// The inner loops of the emulator, written once over vector lanes and compiled for several instruction sets. Each lane
// does the operations of kernels/numerics/contract.hpp in the same order everywhere, so all sets give the same bits.

#include <cstdint>
#include <span>
#include <string_view>

#include "arch/dtype.hpp"

namespace waferline::kernels::simd {

enum class InstructionSet : std::uint8_t { portable, avx2, avx512 };

std::string_view name(InstructionSet set);

/// The widest set that this host can run.
InstructionSet best();

/// Whether this host can run `set`.
bool supported(InstructionSet set);

/// Outputs that one panel of a matrix holds side by side.
inline constexpr std::int64_t kPanelOutputs = 64;

/// How a panel's elements lie in host memory.
enum class PanelFormat : std::uint8_t {
  fp32,        ///< 64 floats per input
  fp16,        ///< 64 binary16 codes per input
  bf16,        ///< 64 bfloat16 codes per input
  scaled_int8  ///< 64 signed bytes per input, and 64 fp16 scales per 32 inputs
};

/// One panel: inputs 0..K-1 one after another, 64 outputs each.
struct Panel {
  PanelFormat format = PanelFormat::fp16;
  const void* elements = nullptr;            ///< (K, 64)
  const std::uint16_t* scales = nullptr;     ///< scaled_int8: (blocks of inputs, 64) fp16 codes
  const std::int32_t* scale_rows = nullptr;  ///< scaled_int8: (K), the block of each input
};

/// Local multiplication of the PEs of one line on one panel: for each block b of inputs [bounds[b], bounds[b + 1])
/// partial[b x 64 + j] = sum over its inputs k, in order, of W[k][j] x[k], from what is there.
/// `fp16_accumulation` rounds the accumulator to fp16 after each multiply-accumulate.
void panel_partials(InstructionSet set, const Panel& panel, const float* x, std::span<const std::int64_t> bounds,
                    bool fp16_accumulation, float* partial);

/// One factor of a panel's sums: block b multiplies inputs [bounds[b], bounds[b + 1]).
struct PanelTerm {
  Panel panel;
  const float* x = nullptr;
  std::span<const std::int64_t> bounds;
};

/// A step of a line's sum over slots of 64 lanes: slot `to` becomes the local sum of `block`, or (`kNone`) stays as it
/// is, and then slot `from` is added, unless that is `kNone`.
struct SumStep {
  static constexpr std::int32_t kNone = -1;
  std::int32_t block = kNone;
  std::int32_t from = kNone;
  std::int32_t to = 0;
};

/// How the blocks of a line become one sum.
struct LineSum {
  std::span<const SumStep> steps;
  std::int64_t root = 0;  ///< slot that holds the sum in the end
  bool fp16_accumulation = false;
  DType wire = DType::fp32;  ///< fp32, fp16 or bf16: rounds each local sum after each term, and what each step adds
};

/// Whether sum_panel knows a type that travels.
constexpr bool sums_in(DType wire) {
  return wire == DType::fp32 || wire == DType::fp16 || wire == DType::bf16;
}

/// panel_partials from zero and combine_sum in one pass over the panel, so that what is not yet combined stays in the
/// nearest cache. `slots` has room for all that the steps name. Returns the root's 64 sums, which lie there.
const float* sum_panel(InstructionSet set, std::span<const PanelTerm> terms, const LineSum& line, float* slots);

/// sum[i] = rounded(wire, sum[i] + received[i]) for i < n: one combine of a reduction.
void combine_sum(InstructionSet set, DType wire, const float* received, float* sum, std::int64_t n);

/// exp_fp32 of n values.
void exp_in_place(InstructionSet set, float* values, std::int64_t n);

/// Rounds n values to fp16 and back.
void round_to_fp16(float* values, std::int64_t n);

}  // namespace waferline::kernels::simd
