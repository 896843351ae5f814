#include "kernels/numerics/simd_sets.hpp"

#if WAFERLINE_SIMD_X86

#include <immintrin.h>

#include <bit>
#include <limits>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif

namespace waferline::kernels::simd::avx2 {

struct Lanes {
  using F = __m256;
  static constexpr std::int64_t kWidth = 8;
  static F broadcast(float value) { return _mm256_set1_ps(value); }
  static F load(const float* at) { return _mm256_loadu_ps(at); }
  static F load_fp16(const std::uint16_t* at) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
  }
  static F load_bf16(const std::uint16_t* at) {
    const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
  }
  static F load_int8(const std::int8_t* at) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at))));
  }
  static void store(float* at, F value) { _mm256_storeu_ps(at, value); }
  static F multiply(F a, F b) { return _mm256_mul_ps(a, b); }
  static F add(F a, F b) { return _mm256_add_ps(a, b); }
  static F multiply_add(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
  static F round_fp16(F value) { return _mm256_cvtph_ps(_mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT)); }
  static F round_bf16(F value) {
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i up = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF)));
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    return _mm256_castsi256_ps(
        _mm256_and_si256(_mm256_blendv_epi8(up, quiet, nan), _mm256_set1_epi32(static_cast<int>(0xFFFF0000U))));
  }
};

#include "kernels/numerics/simd_exp.hpp"
#include "kernels/numerics/simd_loops.hpp"

}  // namespace waferline::kernels::simd::avx2

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
