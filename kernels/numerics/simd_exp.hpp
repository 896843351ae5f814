// No include guard: included beside simd_loops.hpp inside the namespace of each instruction set. The operations of
// exp_fp32 (kernels/numerics/contract.cpp), one after the other and without branches, so that the compiler can do
// several elements at once; each element gets the same bits.

inline float exp_of(float x) {
  constexpr double kLog2E = 1.4426950408889634074;
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kToInteger = 0x1.8p52;  // added, it leaves the nearest integer in the low bits
  const float bounded = x < -104.0F ? -104.0F : x > 88.7228394F ? 88.7228394F : x;
  const double wide = bounded;
  const double shifted = wide * kLog2E + kToInteger;
  const double n = shifted - kToInteger;
  const double r = (wide - n * kLn2High) - n * kLn2Low;
  double sum = 1.0 / 6227020800.0;
  sum = sum * r + 1.0 / 479001600;
  sum = sum * r + 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 1.0 / 2;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023U) << 52U;
  const auto result = static_cast<float>(sum * std::bit_cast<double>(power));
  const float below = x < -104.0F ? 0.0F : result;
  return x > 88.7228394F ? std::numeric_limits<float>::infinity() : below;
}

void exp_in_place(float* values, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) values[i] = exp_of(values[i]);
}
