#pragma once
// What a number is after each operation: the same on every instruction set, thread count and mesh.
//
// A multiply-accumulate with fp32 accumulation is one fused fp32 operation: acc = rn32(w x + acc). With fp16
// accumulation it is that result rounded once more, acc = rn16(rn32(w x + acc)); in rare cases this double rounding
// differs from a fused binary16 operation by one unit in the last place (see tests/unit/numerics). A product of two
// binary16 or bfloat16 numbers is exact in fp32, so is a block scale times its integer. Partial sums that travel are
// rounded to the type in which they travel. Everything else is fp32 arithmetic, rounded to the storage type by each
// vector instruction that stores it; scalars (reciprocals, reciprocal roots) stay in 32-bit registers.

#include <cstdint>
#include <span>

#include "arch/dtype.hpp"

namespace waferline::kernels {

/// `value` as it reads back after it was stored as `dtype` (fp32, fp16, bf16 or fp8_e4m3).
float rounded(DType dtype, float value);

/// Rounds every element in place.
void round_in_place(DType dtype, std::span<float> values);

/// exp(x) in fp32: evaluated in double without fused operations, error below 0.501 units in the last place; the same
/// bits on every host. Zero below -104, infinity above 88.72..., NaN for NaN.
float exp_fp32(float x);

/// 1 / (1 + exp(-x)) and x times that, each operation in fp32.
float sigmoid_fp32(float x);
float silu_fp32(float x);

/// log(1 + exp(x)), the logarithm in double: x itself above 20, where they are the same number in fp32.
float softplus_fp32(float x);

}  // namespace waferline::kernels
