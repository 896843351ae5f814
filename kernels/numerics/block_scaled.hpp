#pragma once
// 8- and 4-bit integers that share one fp16 scale per 32 elements: the Q8_0 and Q4_0 blocks of GGUF files.
// Source: GGUF specification and ggml's block layouts (block_q8_0, block_q4_0).

#include <array>
#include <cstdint>
#include <span>

namespace waferline::kernels {

inline constexpr std::int64_t kBlockElements = 32;
inline constexpr std::int64_t kQ8BlockBytes = 2 + kBlockElements;
inline constexpr std::int64_t kQ4BlockBytes = 2 + kBlockElements / 2;

/// 32 integers and their scale; element i stands for scale x code[i], exactly representable in fp32.
struct ScaledBlock {
  std::uint16_t scale = 0;  ///< fp16 code
  std::array<std::int8_t, kBlockElements> code{};
  bool operator==(const ScaledBlock&) const = default;
};

/// scale = largest magnitude / 127, codes rounded to nearest, ties to even, in [-127, 127].
ScaledBlock quantise_q8(std::span<const float, kBlockElements> values);

/// scale = element of largest magnitude / -8, codes in [-8, 7].
ScaledBlock quantise_q4(std::span<const float, kBlockElements> values);

/// The 32 values that a block stands for.
std::array<float, kBlockElements> dequantise(const ScaledBlock& block);

/// Block from its bytes in a file: scale, then 32 signed bytes.
ScaledBlock unpack_q8(std::span<const std::uint8_t, kQ8BlockBytes> bytes);
std::array<std::uint8_t, kQ8BlockBytes> pack_q8(const ScaledBlock& block);

/// Block from its bytes in a file: scale, then 16 bytes whose low nibbles are elements 0-15 and high ones 16-31, each
/// plus 8.
ScaledBlock unpack_q4(std::span<const std::uint8_t, kQ4BlockBytes> bytes);
std::array<std::uint8_t, kQ4BlockBytes> pack_q4(const ScaledBlock& block);

}  // namespace waferline::kernels
