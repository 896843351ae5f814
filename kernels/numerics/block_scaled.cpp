#include "kernels/numerics/block_scaled.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/numerics/storage.hpp"

namespace waferline::kernels {
namespace {

/// Codes of `values` for an fp16 scale; the division uses the scale as stored, so that codes fit it.
ScaledBlock with_scale(std::span<const float, kBlockElements> values, float scale, float lowest, float highest) {
  ScaledBlock block;
  block.scale = fp16_from_fp32(scale);
  const float stored = fp32_from_fp16(block.scale);
  if (stored == 0) return block;
  for (std::size_t i = 0; i < values.size(); ++i) {
    block.code[i] = static_cast<std::int8_t>(std::clamp(std::nearbyint(values[i] / stored), lowest, highest));
  }
  return block;
}

std::uint16_t scale_of(const std::uint8_t* bytes) {
  return static_cast<std::uint16_t>(bytes[0] | (bytes[1] << 8));
}

}  // namespace

ScaledBlock quantise_q8(std::span<const float, kBlockElements> values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  return with_scale(values, largest / 127.0F, -127.0F, 127.0F);
}

ScaledBlock quantise_q4(std::span<const float, kBlockElements> values) {
  float extreme = 0;
  for (const float value : values) {
    if (std::abs(value) > std::abs(extreme)) extreme = value;
  }
  return with_scale(values, extreme / -8.0F, -8.0F, 7.0F);
}

std::array<float, kBlockElements> dequantise(const ScaledBlock& block) {
  std::array<float, kBlockElements> values{};
  const float scale = fp32_from_fp16(block.scale);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = scale * static_cast<float>(block.code[i]);
  return values;
}

ScaledBlock unpack_q8(std::span<const std::uint8_t, kQ8BlockBytes> bytes) {
  ScaledBlock block;
  block.scale = scale_of(bytes.data());
  for (std::size_t i = 0; i < block.code.size(); ++i) block.code[i] = static_cast<std::int8_t>(bytes[2 + i]);
  return block;
}

std::array<std::uint8_t, kQ8BlockBytes> pack_q8(const ScaledBlock& block) {
  std::array<std::uint8_t, kQ8BlockBytes> bytes{};
  bytes[0] = static_cast<std::uint8_t>(block.scale & 0xFFU);
  bytes[1] = static_cast<std::uint8_t>(block.scale >> 8U);
  for (std::size_t i = 0; i < block.code.size(); ++i) bytes[2 + i] = static_cast<std::uint8_t>(block.code[i]);
  return bytes;
}

ScaledBlock unpack_q4(std::span<const std::uint8_t, kQ4BlockBytes> bytes) {
  ScaledBlock block;
  block.scale = scale_of(bytes.data());
  for (std::size_t i = 0; i < 16; ++i) {
    block.code[i] = static_cast<std::int8_t>((bytes[2 + i] & 0xF) - 8);
    block.code[i + 16] = static_cast<std::int8_t>((bytes[2 + i] >> 4) - 8);
  }
  return block;
}

std::array<std::uint8_t, kQ4BlockBytes> pack_q4(const ScaledBlock& block) {
  std::array<std::uint8_t, kQ4BlockBytes> bytes{};
  bytes[0] = static_cast<std::uint8_t>(block.scale & 0xFFU);
  bytes[1] = static_cast<std::uint8_t>(block.scale >> 8U);
  for (std::size_t i = 0; i < 16; ++i) {
    bytes[2 + i] = static_cast<std::uint8_t>((block.code[i] + 8) | ((block.code[i + 16] + 8) << 4));
  }
  return bytes;
}

}  // namespace waferline::kernels
