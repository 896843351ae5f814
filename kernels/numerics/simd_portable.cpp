#include <bit>
#include <cmath>
#include <limits>

#include "kernels/numerics/contract.hpp"
#include "kernels/numerics/simd_sets.hpp"
#include "kernels/numerics/storage.hpp"

namespace waferline::kernels::simd::portable {

struct Lanes {
  using F = float;
  static constexpr std::int64_t kWidth = 1;
  static F broadcast(float value) { return value; }
  static F load(const float* at) { return *at; }
  static F load_fp16(const std::uint16_t* at) { return fp32_from_fp16(*at); }
  static F load_bf16(const std::uint16_t* at) { return fp32_from_bf16(*at); }
  static F load_int8(const std::int8_t* at) { return static_cast<float>(*at); }
  static void store(float* at, F value) { *at = value; }
  static F multiply(F a, F b) { return a * b; }
  static F add(F a, F b) { return a + b; }
  static F multiply_add(F a, F b, F c) { return std::fma(a, b, c); }
  static F round_fp16(F value) { return rounded(DType::fp16, value); }
  static F round_bf16(F value) { return rounded(DType::bf16, value); }
};

#include "kernels/numerics/simd_exp.hpp"
#include "kernels/numerics/simd_loops.hpp"

}  // namespace waferline::kernels::simd::portable
