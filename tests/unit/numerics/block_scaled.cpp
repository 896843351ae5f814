#include "kernels/numerics/block_scaled.hpp"

#include <cmath>
#include <random>

#include "kernels/numerics/storage.hpp"
#include "tests/support/catch.hpp"

using namespace waferline::kernels;

TEST_CASE("all 256 int8 codes and all 16 int4 codes survive packing") {
  for (int first = -128; first < 128; first += 32) {
    ScaledBlock block;
    block.scale = 0x2E66;
    for (int i = 0; i < 32; ++i) block.code[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(first + i);
    CHECK(unpack_q8(pack_q8(block)) == block);
  }
  ScaledBlock block;
  block.scale = 0xB001;
  for (int i = 0; i < 32; ++i) block.code[static_cast<std::size_t>(i)] = static_cast<std::int8_t>((i * 5) % 16 - 8);
  CHECK(unpack_q4(pack_q4(block)) == block);
}

TEST_CASE("a Q4_0 block keeps elements 0-15 in its low nibbles and 16-31 in its high ones, plus 8") {
  std::array<std::uint8_t, kQ4BlockBytes> bytes{};
  bytes[0] = 0x00;
  bytes[1] = 0x3C;  // scale 1
  bytes[2] = 0xF0;
  const std::array<float, 32> values = dequantise(unpack_q4(bytes));
  CHECK(values[0] == -8.0F);
  CHECK(values[16] == 7.0F);
  CHECK(values[1] == -8.0F);
}

TEST_CASE("a quantised value is within half a scale of the original, plus what the scale lost to fp16") {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (int round = 0; round < 200; ++round) {
    std::array<float, 32> values{};
    for (float& value : values) value = normal(random);
    const ScaledBlock q8 = quantise_q8(values);
    const ScaledBlock q4 = quantise_q4(values);
    const auto back8 = dequantise(q8);
    const auto back4 = dequantise(q4);
    for (std::size_t i = 0; i < 32; ++i) {
      CHECK(std::abs(back8[i] - values[i]) <= 0.5F * fp32_from_fp16(q8.scale) * (1 + 127 * 0x1p-10F));
      // The opposite extreme may lie beyond code 7: up to one whole scale.
      CHECK(std::abs(back4[i] - values[i]) <= std::abs(fp32_from_fp16(q4.scale)) * 1.005F);
    }
  }
}

TEST_CASE("a block of zeros has scale zero and stands for zeros") {
  const std::array<float, 32> zeros{};
  CHECK(quantise_q8(zeros) == ScaledBlock{});
  CHECK(dequantise(quantise_q4(zeros)) == zeros);
}
