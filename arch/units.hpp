#pragma once
// Units as types: a quantity carries its unit across every function boundary, and only the operators that make
// physical sense exist. All are one trivially copyable number and cost nothing when optimised.

#include <compare>
#include <cstdint>

namespace waferline {

/// A number of type Rep in one unit. Same-unit sums, scaling by plain numbers and dimensionless ratios only.
template <class Tag, class Rep>
struct Quantity {
  using rep = Rep;
  Rep value{};

  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep raw) : value(raw) {}

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value -= other.value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.value - b.value}; }
  friend constexpr Quantity operator*(Quantity a, Rep scale) { return Quantity{a.value * scale}; }
  friend constexpr Quantity operator*(Rep scale, Quantity a) { return Quantity{scale * a.value}; }
  friend constexpr Quantity operator/(Quantity a, Rep scale) { return Quantity{a.value / scale}; }
  /// Dimensionless ratio of two quantities in the same unit.
  friend constexpr double operator/(Quantity a, Quantity b) {
    return static_cast<double>(a.value) / static_cast<double>(b.value);
  }
};

using Bytes = Quantity<struct BytesTag, std::int64_t>;
using Cycles = Quantity<struct CyclesTag, double>;
using Seconds = Quantity<struct SecondsTag, double>;
using Hertz = Quantity<struct HertzTag, double>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag, double>;
using BytesPerCycle = Quantity<struct BytesPerCycleTag, double>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag, double>;
using Watts = Quantity<struct WattsTag, double>;
using TokensPerSecond = Quantity<struct TokensPerSecondTag, double>;

/// Cycles become seconds only through a clock.
constexpr Seconds operator/(Cycles cycles, Hertz clock) {
  return Seconds{cycles.value / clock.value};
}
constexpr Seconds operator/(Bytes bytes, BytesPerSecond rate) {
  return Seconds{static_cast<double>(bytes.value) / rate.value};
}
constexpr Cycles operator/(Bytes bytes, BytesPerCycle rate) {
  return Cycles{static_cast<double>(bytes.value) / rate.value};
}
/// Time to emit a number of tokens one after the other; expected counts need not be whole.
constexpr Seconds time_for(double tokens, TokensPerSecond rate) {
  return Seconds{tokens / rate.value};
}
constexpr BytesPerSecond operator*(BytesPerCycle rate, Hertz clock) {
  return BytesPerSecond{rate.value * clock.value};
}
constexpr Cycles operator*(Seconds time, Hertz clock) {
  return Cycles{time.value * clock.value};
}

/// Smallest integer not below a / b, for a >= 0 and b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace waferline
