// Follows: W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980, chapter 6 (range reduction of
// exp); the polynomial is the Taylor series up to r^13, whose remainder for |r| <= ln2 / 2 is below 2^-57.
#include "kernels/numerics/contract.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "kernels/numerics/simd.hpp"
#include "kernels/numerics/storage.hpp"

namespace waferline::kernels {
namespace {

constexpr double kLog2E = 1.4426950408889634074;
constexpr double kLn2High = 6.93147180369123816490e-01;  // 33 bits, so that n times it is exact
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr double kInverseFactorial[] = {
    1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
    1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};

}  // namespace

float rounded(DType dtype, float value) {
  switch (dtype) {
    case DType::fp16:
      return fp32_from_fp16(fp16_from_fp32(value));
    case DType::bf16:
      return fp32_from_bf16(bf16_from_fp32(value));
    case DType::fp8_e4m3:
      return fp32_from_fp8_e4m3(fp8_e4m3_from_fp32(value));
    default:
      return value;
  }
}

void round_in_place(DType dtype, std::span<float> values) {
  if (dtype == DType::fp32) return;
  if (dtype == DType::fp16) return simd::round_to_fp16(values.data(), static_cast<std::int64_t>(values.size()));
  for (float& value : values) value = rounded(dtype, value);
}

float exp_fp32(float x) {
  if (std::isnan(x)) return x;
  if (x > 88.7228394F) return std::numeric_limits<float>::infinity();
  if (x < -104.0F) return 0.0F;
  const double wide = x;
  const double n = std::nearbyint(wide * kLog2E);
  const double r = (wide - n * kLn2High) - n * kLn2Low;
  double sum = kInverseFactorial[13];
  for (int i = 12; i >= 0; --i) sum = sum * r + kInverseFactorial[i];
  const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(n) + 1023) << 52U;
  return static_cast<float>(sum * std::bit_cast<double>(exponent));
}

float sigmoid_fp32(float x) {
  return 1.0F / (1.0F + exp_fp32(-x));
}

float silu_fp32(float x) {
  return x * sigmoid_fp32(x);
}

float softplus_fp32(float x) {
  return x > 20.0F ? x : static_cast<float>(std::log1p(static_cast<double>(exp_fp32(x))));
}

}  // namespace waferline::kernels
