#include "kernels/numerics/contract.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/numerics/storage.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::kernels;

TEST_CASE("exp is within 0.501 units in the last place of the double-precision one, over its whole range") {
  for (float x = -87.0F; x < 88.7F; x += 0.00137F) {
    const double exact = std::exp(static_cast<double>(x));
    const float value = exp_fp32(x);
    const double ulp = std::nextafter(value, std::numeric_limits<float>::infinity()) - value;
    REQUIRE(std::abs(value - exact) <= 0.501 * ulp);
  }
  CHECK(exp_fp32(0.0F) == 1.0F);
  CHECK(exp_fp32(-200.0F) == 0.0F);
  CHECK(exp_fp32(-std::numeric_limits<float>::infinity()) == 0.0F);
  CHECK(std::isinf(exp_fp32(89.0F)));
  CHECK(std::isfinite(exp_fp32(88.72283F)));
  CHECK(std::isnan(exp_fp32(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("silu and sigmoid are within 3 fp32 roundings of the exact value") {
  for (float x = -30.0F; x < 30.0F; x += 0.0173F) {
    const double exact = 1 / (1 + std::exp(-static_cast<double>(x)));
    REQUIRE(sigmoid_fp32(x) == Approx(exact).epsilon(3 * 0x1p-24));
    REQUIRE(silu_fp32(x) == Approx(x * exact).epsilon(4 * 0x1p-24).margin(1e-30));
  }
}

TEST_CASE("rounding an array equals rounding its elements, for every storage type and ragged length") {
  std::mt19937 random(11);
  for (const DType dtype : {DType::fp32, DType::fp16, DType::bf16, DType::fp8_e4m3}) {
    std::vector<float> values(77);
    for (float& value : values) value = std::ldexp(static_cast<float>(random()) - 2147483648.0F, -36);
    std::vector<float> array = values;
    round_in_place(dtype, array);
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(array[i] == rounded(dtype, values[i]));
  }
}

TEST_CASE("fp16 accumulation, an fp32 fused operation rounded once more, is at most one unit from a fused binary16") {
  std::mt19937 random(5);
  int different = 0;
  const int cases = 1'000'000;
  for (int i = 0; i < cases; ++i) {
    const float w = fp32_from_fp16(static_cast<std::uint16_t>((random() & 0x83FFU) | 0x3000U | (random() & 0x0C00U)));
    const float x = fp32_from_fp16(static_cast<std::uint16_t>((random() & 0x83FFU) | 0x3000U | (random() & 0x0C00U)));
    const float c = fp32_from_fp16(static_cast<std::uint16_t>((random() & 0x83FFU) | 0x3000U | (random() & 0x0C00U)));
    const float ours = rounded(DType::fp16, std::fma(w, x, c));
    // w x + c is exact in double here: its bits span less than 53. The fused result is one of the neighbours of `ours`.
    const double exact = static_cast<double>(w) * x + c;
    const auto code = fp16_from_fp32(ours);
    double best = ours;
    for (const int step : {-1, 1}) {
      const double other = fp32_from_fp16(static_cast<std::uint16_t>(code + step));
      if (std::abs(other - exact) < std::abs(best - exact)) best = other;
    }
    if (best != ours) ++different;
  }
  // The double rounding shows, and rarely: an exact tie of fp32 must meet an inexact sum.
  CHECK(different < cases / 1000);
}
