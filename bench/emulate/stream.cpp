// Follows: J. McCalpin, STREAM: sustainable memory bandwidth (reads only).
#include "bench/emulate/stream.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>

#include "kernels/emulate/host_bytes.hpp"

namespace waferline::bench {

double stream_read_bytes_per_s(std::int64_t bytes, int threads, int repeats) {
  const std::int64_t n = bytes / 8;
  // The same kind of memory as the weights have: large pages where the host has them.
  kernels::emulate::HostBytes memory(bytes);
  auto* data = reinterpret_cast<std::uint64_t*>(memory.data());
  std::fill_n(data, n, 1);
  double best = 0;
  std::uint64_t kept = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    std::uint64_t total = 0;
    // Integer sums are exact in any order, so the compiler may use as many lanes and accumulators as it likes.
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : total)
    for (std::int64_t i = 0; i < n; ++i) total += data[i];
    kept += total;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    best = std::max(best, static_cast<double>(n * 8) / spent.count());
  }
  return kept == 0 ? 0 : best;
}

}  // namespace waferline::bench
