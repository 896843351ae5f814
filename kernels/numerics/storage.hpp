#pragma once
// Exact conversions between fp32 and the storage types, one element at a time. All round to nearest, ties to even.

#include <bit>
#include <cstdint>

namespace waferline::kernels {

/// IEEE binary16 code of `value`: overflow becomes infinity, NaN a quiet NaN, tiny values subnormal.
constexpr std::uint16_t fp16_from_fp32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U | ((magnitude >> 13U) & 0x3FFU));
  if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);  // 65520 and above
  if (magnitude < 0x33000001U) return sign;                                         // at most half the least subnormal
  std::uint32_t mantissa = magnitude;
  std::uint32_t shift = 13;
  if (magnitude < 0x38800000U) {  // below 2^-14: the mantissa moves right until the exponent is -14
    mantissa = (magnitude & 0x7FFFFFU) | 0x800000U;
    shift = 126U - (magnitude >> 23U);
  } else {
    mantissa -= 0x38000000U;  // exponent bias 127 becomes 15
  }
  const std::uint32_t half = 1U << (shift - 1U);
  const std::uint32_t odd = (mantissa >> shift) & 1U;
  return static_cast<std::uint16_t>(sign | ((mantissa + half - 1U + odd) >> shift));
}

/// Exact value of a binary16 code.
constexpr float fp32_from_fp16(std::uint16_t code) {
  const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x8000U) << 16U;
  const std::uint32_t exponent = (code >> 10U) & 0x1FU;
  const std::uint32_t mantissa = code & 0x3FFU;
  if (exponent == 31U) {  // infinity, or a NaN made quiet
    return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13U) | (mantissa != 0U ? 0x400000U : 0U));
  }
  if (exponent != 0U) return std::bit_cast<float>(sign | ((exponent + 112U) << 23U) | (mantissa << 13U));
  const float tiny = static_cast<float>(mantissa) * 0x1p-24F;
  return sign != 0U ? -tiny : tiny;
}

/// bfloat16 code of `value`: the upper half of fp32, rounded.
constexpr std::uint16_t bf16_from_fp32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

/// Exact value of a bfloat16 code.
constexpr float fp32_from_bf16(std::uint16_t code) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16U);
}

/// Exact value of an OCP FP8 E4M3 code: bias 7, no infinity, 0x7F and 0xFF are NaN, largest finite value 448.
constexpr float fp32_from_fp8_e4m3(std::uint8_t code) {
  const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x80U) << 24U;
  const std::uint32_t exponent = (code >> 3U) & 0xFU;
  const std::uint32_t mantissa = code & 0x7U;
  if (exponent == 15U && mantissa == 7U) return std::bit_cast<float>(sign | 0x7FC00000U);
  if (exponent != 0U) return std::bit_cast<float>(sign | ((exponent + 120U) << 23U) | (mantissa << 20U));
  const float tiny = static_cast<float>(mantissa) * 0x1p-9F;
  return sign != 0U ? -tiny : tiny;
}

/// OCP FP8 E4M3 code of `value`. Values that round beyond 448, and infinities, become NaN: the format has no infinity,
/// and saturation would hide an overflow.
constexpr std::uint8_t fp8_e4m3_from_fp32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint8_t>((bits >> 24U) & 0x80U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x43E80000U) return static_cast<std::uint8_t>(sign | 0x7FU);  // above 464, the tie that goes to 448
  if (magnitude < 0x3A800001U) return sign;                                     // at most half of 2^-9
  std::uint32_t mantissa = magnitude;
  std::uint32_t shift = 20;
  if (magnitude < 0x3C800000U) {  // below 2^-6: subnormal
    mantissa = (magnitude & 0x7FFFFFU) | 0x800000U;
    shift = 141U - (magnitude >> 23U);
  } else {
    mantissa -= 0x3C000000U;  // exponent bias 127 becomes 7
  }
  const std::uint32_t half = 1U << (shift - 1U);
  const std::uint32_t odd = (mantissa >> shift) & 1U;
  return static_cast<std::uint8_t>(sign | ((mantissa + half - 1U + odd) >> shift));
}

}  // namespace waferline::kernels
