#include "kernels/numerics/simd.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/numerics/contract.hpp"
#include "kernels/numerics/storage.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::simd;

namespace {

struct PanelData {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint16_t> scales;
  std::vector<std::int32_t> scale_rows;
  Panel view(PanelFormat format) const { return {format, bytes.data(), scales.data(), scale_rows.data()}; }
};

PanelData random_panel(PanelFormat format, std::int64_t inputs, std::mt19937& random) {
  PanelData data;
  std::normal_distribution<float> normal;
  for (std::int64_t i = 0; i < inputs * kPanelOutputs; ++i) {
    const float value = normal(random);
    std::uint32_t code = std::bit_cast<std::uint32_t>(value);
    std::size_t size = 4;
    if (format == PanelFormat::fp16) code = fp16_from_fp32(value), size = 2;
    if (format == PanelFormat::bf16) code = bf16_from_fp32(value), size = 2;
    if (format == PanelFormat::scaled_int8) code = static_cast<std::uint32_t>(random() & 0xFFU), size = 1;
    for (std::size_t b = 0; b < size; ++b) data.bytes.push_back(static_cast<std::uint8_t>(code >> (8 * b)));
  }
  for (std::int64_t i = 0; i < (inputs + 31) / 32 * kPanelOutputs; ++i) {
    data.scales.push_back(fp16_from_fp32(normal(random) / 100));
  }
  for (std::int64_t i = 0; i < inputs; ++i) data.scale_rows.push_back(static_cast<std::int32_t>(i / 32));
  return data;
}

std::vector<InstructionSet> sets() {
  std::vector<InstructionSet> found;
  for (const auto set : {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512}) {
    if (supported(set)) found.push_back(set);
  }
  return found;
}

std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> result;
  for (const float value : values) result.push_back(std::bit_cast<std::uint32_t>(value));
  return result;
}

}  // namespace

TEST_CASE("panel sums have the same bits on every instruction set, format and accumulation") {
  std::mt19937 random(3);
  const std::vector<std::int64_t> bounds{0, 7, 7, 40, 41, 100};
  for (const auto format : {PanelFormat::fp32, PanelFormat::fp16, PanelFormat::bf16, PanelFormat::scaled_int8}) {
    const PanelData data = random_panel(format, 100, random);
    std::vector<float> x(100);
    for (float& value : x) value = rounded(DType::fp16, std::normal_distribution<float>()(random));
    for (const bool fp16 : {false, true}) {
      std::vector<float> expected(5 * 64);
      panel_partials(InstructionSet::portable, data.view(format), x.data(), bounds, fp16, expected.data());
      for (const auto set : sets()) {
        std::vector<float> partial(5 * 64);
        panel_partials(set, data.view(format), x.data(), bounds, fp16, partial.data());
        INFO(name(set) << " format " << static_cast<int>(format) << " fp16 " << fp16);
        CHECK(bits(partial) == bits(expected));
      }
    }
  }
}

TEST_CASE("a panel sum is the fused sum of its block's inputs in order, and an empty block gives zeros") {
  std::mt19937 random(4);
  const PanelData data = random_panel(PanelFormat::fp16, 9, random);
  const std::vector<float> x{1, -2, 3, 0.5F, -0.25F, 7, 1, 1, -1};
  const std::vector<std::int64_t> bounds{0, 4, 4, 9};
  std::vector<float> partial(3 * 64);
  panel_partials(best(), data.view(PanelFormat::fp16), x.data(), bounds, false, partial.data());
  const auto* codes = reinterpret_cast<const std::uint16_t*>(data.bytes.data());
  for (std::size_t j = 0; j < 64; ++j) {
    float first = 0;
    for (std::size_t k = 0; k < 4; ++k) first = std::fma(fp32_from_fp16(codes[k * 64 + j]), x[k], first);
    CHECK(partial[j] == first);
    CHECK(partial[64 + j] == 0.0F);
  }
}

TEST_CASE("combines and roundings have the same bits on every instruction set, special values included") {
  std::mt19937 random(8);
  std::vector<float> a(1003);
  std::vector<float> b(1003);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 80) - 60);
    b[i] = -std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 80) - 60);
  }
  a[1] = std::numeric_limits<float>::infinity();
  a[2] = std::numeric_limits<float>::quiet_NaN();
  a[3] = std::numeric_limits<float>::max();
  b[3] = 0x1p120F;
  for (const DType wire : {DType::fp32, DType::fp16, DType::bf16}) {
    std::vector<float> expected = a;
    for (std::size_t i = 0; i < a.size(); ++i) expected[i] = rounded(wire, a[i] + b[i]);
    for (const auto set : sets()) {
      std::vector<float> sum = a;
      combine_sum(set, wire, b.data(), sum.data(), static_cast<std::int64_t>(sum.size()));
      INFO(name(set) << " wire " << waferline::name(wire));
      CHECK(bits(sum) == bits(expected));
    }
  }
}

TEST_CASE(
    "exponentials of an array have the bits of the single one on every instruction set, special values included") {
  std::vector<float> values;
  for (float x = -110.0F; x < 95.0F; x += 0.00713F) values.push_back(x);
  for (const float x : {0.0F, -0.0F, 88.7228394F, 88.72284F, -104.0F, -104.00001F, 1e30F, -1e30F, 1e-30F})
    values.push_back(x);
  values.push_back(std::numeric_limits<float>::infinity());
  values.push_back(-std::numeric_limits<float>::infinity());
  std::vector<float> expected = values;
  for (float& value : expected) value = exp_fp32(value);
  for (const auto set : sets()) {
    std::vector<float> done = values;
    exp_in_place(set, done.data(), static_cast<std::int64_t>(done.size()));
    INFO(name(set));
    CHECK(bits(done) == bits(expected));
    float nan = std::numeric_limits<float>::quiet_NaN();
    exp_in_place(set, &nan, 1);
    CHECK(std::isnan(nan));
  }
}
