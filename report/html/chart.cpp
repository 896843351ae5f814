#include "report/html/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace waferline::report {
namespace {

bool usable(double low, double high, int most) {
  return std::isfinite(low) && std::isfinite(high) && low <= high && most >= 1;
}

std::vector<double> multiples(double low, double high, double step) {
  std::vector<double> ticks;
  // A tick that is off the end by rounding alone still belongs to the axis.
  const double slack = 1e-9;
  for (double i = std::ceil(low / step - slack); i <= std::floor(high / step + slack); ++i) {
    ticks.push_back(i == 0 ? 0 : i * step);  // never -0
  }
  return ticks;
}

/// Powers of ten times each of `mantissas` within [low, high].
std::vector<double> within_decades(double low, double high, const std::vector<int>& mantissas, int stride) {
  std::vector<double> ticks;
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  for (int exponent = first; exponent <= last; ++exponent) {
    if (exponent % stride != 0) continue;
    for (const int mantissa : mantissas) {
      const double tick = mantissa * std::pow(10.0, exponent);
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
    }
  }
  return ticks;
}

}  // namespace

double Scale::at(double value) const {
  if (high == low) return (from + to) / 2;
  const double share =
      logarithmic ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low)) : (value - low) / (high - low);
  return from + share * (to - from);
}

std::vector<double> linear_ticks(double low, double high, int most) {
  if (!usable(low, high, most)) return {};
  if (low == high) return {low};
  const double power = std::pow(10.0, std::floor(std::log10((high - low) / most)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0}) {
    std::vector<double> ticks = multiples(low, high, factor * power);
    if (static_cast<int>(ticks.size()) <= most) return ticks;
  }
  return {};
}

std::vector<double> logarithmic_ticks(double low, double high, int most) {
  if (!usable(low, high, most) || low <= 0) return {};
  if (low == high) return {low};
  for (const std::vector<int>& mantissas :
       {std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}, std::vector<int>{1, 2, 5}, std::vector<int>{1, 3}}) {
    std::vector<double> ticks = within_decades(low, high, mantissas, 1);
    if (static_cast<int>(ticks.size()) <= most && ticks.size() >= 2) return ticks;
  }
  for (int stride = 1; stride <= 700; ++stride) {
    std::vector<double> ticks = within_decades(low, high, {1}, stride);
    if (static_cast<int>(ticks.size()) <= most) return ticks.empty() ? linear_ticks(low, high, most) : ticks;
  }
  return {};
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-4 || size >= 1e12)) return fmt::format("{:.3g}", value);
  if (size >= 1e9) return fmt::format("{:.4g}G", value / 1e9);
  if (size >= 1e6) return fmt::format("{:.4g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.4g}k", value / 1e3);
  return fmt::format("{:.6g}", value);
}

bool spans_decades(const std::vector<double>& values, double decades) {
  double low = 0;
  double high = 0;
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) continue;
    low = low == 0 ? value : std::min(low, value);
    high = std::max(high, value);
  }
  return low > 0 && std::log10(high / low) > decades;
}

}  // namespace waferline::report
