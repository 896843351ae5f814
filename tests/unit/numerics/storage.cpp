#include "kernels/numerics/storage.hpp"

#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"

using namespace waferline::kernels;

namespace {

/// Walks all positive finite codes of a format in order of value and checks what lies between two neighbours: the
/// midpoint goes to the even code, its neighbours in fp32 to the nearer one; negative values mirror.
template <class Code>
void check_rounding_between_neighbours(float (*decode)(Code), Code (*encode)(float), unsigned last_finite,
                                       unsigned sign_bit) {
  for (unsigned code = 0; code < last_finite; ++code) {
    const float low = decode(static_cast<Code>(code));
    const float high = decode(static_cast<Code>(code + 1));
    // The sum of neighbours may overflow fp32 for bf16; the halves are exact.
    const float middle = low / 2 + high / 2;
    const unsigned even = code % 2 == 0 ? code : code + 1;
    REQUIRE(low < high);
    REQUIRE(encode(low) == code);
    REQUIRE(encode(-low) == (code | sign_bit));
    if (middle > low && middle < high) {
      REQUIRE(encode(middle) == even);
      REQUIRE(encode(-middle) == (even | sign_bit));
      REQUIRE(encode(std::nextafter(middle, low)) == code);
      REQUIRE(encode(std::nextafter(middle, high)) == code + 1);
    }
    REQUIRE(encode(std::nextafter(high, low)) == code + 1);
  }
}

}  // namespace

TEST_CASE("every binary16 code reads back, and values between neighbours round to the nearest, ties to even") {
  check_rounding_between_neighbours<std::uint16_t>(fp32_from_fp16, fp16_from_fp32, 0x7BFF, 0x8000);
  for (unsigned code = 0; code < 0x10000; ++code) {
    const auto half = static_cast<std::uint16_t>(code);
    const float value = fp32_from_fp16(half);
    if ((code & 0x7FFFU) > 0x7C00U) {
      REQUIRE(std::isnan(value));
      REQUIRE(std::isnan(fp32_from_fp16(fp16_from_fp32(value))));
    } else {
      REQUIRE(fp16_from_fp32(value) == half);
    }
  }
  // Known points: IEEE 754-2019, 3.6.
  CHECK(fp32_from_fp16(0x3C00) == 1.0F);
  CHECK(fp32_from_fp16(0x7BFF) == 65504.0F);
  CHECK(fp32_from_fp16(0x0001) == 0x1p-24F);
  CHECK(fp16_from_fp32(65519.996F) == 0x7BFF);
  CHECK(fp16_from_fp32(65520.0F) == 0x7C00);
  CHECK(fp16_from_fp32(-std::numeric_limits<float>::infinity()) == 0xFC00);
}

TEST_CASE("every bfloat16 code reads back, and values between neighbours round to the nearest, ties to even") {
  check_rounding_between_neighbours<std::uint16_t>(fp32_from_bf16, bf16_from_fp32, 0x7F7F, 0x8000);
  for (unsigned code = 0; code < 0x10000; ++code) {
    const auto half = static_cast<std::uint16_t>(code);
    const float value = fp32_from_bf16(half);
    if (std::isnan(value)) {
      REQUIRE(std::isnan(fp32_from_bf16(bf16_from_fp32(value))));
    } else {
      REQUIRE(bf16_from_fp32(value) == half);
    }
  }
  CHECK(bf16_from_fp32(std::numeric_limits<float>::max()) == 0x7F80);
}

TEST_CASE("every fp8 e4m3 code reads back, and values between neighbours round to the nearest, ties to even") {
  check_rounding_between_neighbours<std::uint8_t>(fp32_from_fp8_e4m3, fp8_e4m3_from_fp32, 0x7E, 0x80);
  for (unsigned code = 0; code < 0x100; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    const float value = fp32_from_fp8_e4m3(byte);
    if ((code & 0x7FU) == 0x7FU) {
      REQUIRE(std::isnan(value));
    } else {
      REQUIRE(fp8_e4m3_from_fp32(value) == byte);
    }
  }
  CHECK(fp32_from_fp8_e4m3(0x7E) == 448.0F);
  CHECK(fp32_from_fp8_e4m3(0x01) == 0x1p-9F);
  CHECK(fp8_e4m3_from_fp32(464.0F) == 0x7E);
  CHECK(fp8_e4m3_from_fp32(std::nextafter(464.0F, 500.0F)) == 0x7F);
  CHECK(fp8_e4m3_from_fp32(std::numeric_limits<float>::infinity()) == 0x7F);
}
