// Follows: J. McCalpin, STREAM: sustainable memory bandwidth (reads only).
#include "bench/stream.hpp"

#include <omp.h>

namespace waferline::bench {

StreamArray::StreamArray(std::int64_t bytes) : memory_(bytes) {
  std::fill_n(reinterpret_cast<std::uint64_t*>(memory_.data()), bytes / 8, 1);
}

double StreamArray::read(int threads) {
  const auto* data = reinterpret_cast<const std::uint64_t*>(memory_.data());
  const std::int64_t n = memory_.size() / 8;
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t total = 0;
  // Integer sums are exact in any order, so the compiler may use as many lanes and accumulators as it likes.
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : total)
  for (std::int64_t i = 0; i < n; ++i) total += data[i];
  kept_ += total;
  benchmark::DoNotOptimize(kept_);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  return static_cast<double>(n * 8) / spent.count();
}

StreamArray& stream_array() {
  static StreamArray array(std::int64_t{1} << 30);
  return array;
}

}  // namespace waferline::bench
