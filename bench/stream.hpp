#pragma once
// Read bandwidth of the host, measured in turn with what is compared with it.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "kernels/emulate/host_bytes.hpp"

namespace waferline::bench {

/// An array far larger than the caches, in memory of the kind that the emulator's weights have (large pages where the
/// host offers them).
class StreamArray {
 public:
  explicit StreamArray(std::int64_t bytes);

  /// Sums the array once with static shares of threads; bytes/s.
  double read(int threads);

 private:
  kernels::emulate::HostBytes memory_;
  std::uint64_t kept_ = 0;
};

/// The one array of a program: 1 GiB.
StreamArray& stream_array();

/// What best_of found: the shortest time of the work, the fastest reading beside it, and for each iteration how many
/// bytes the host would have read in the time of the work, at the rate that it had just then.
struct Measured {
  double seconds = 1e9;
  double stream_bytes_per_s = 0;
  std::vector<double> readable_bytes;
};

/// Runs `work` once for each iteration, each after one reading of the STREAM array with as many threads, so that both
/// see the same state of the host. Needs UseManualTime().
template <class Work>
Measured best_of(benchmark::State& state, int threads, Work work) {
  Measured best;
  for (auto _ : state) {
    const double stream = stream_array().read(threads);
    best.stream_bytes_per_s = std::max(best.stream_bytes_per_s, stream);
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    best.seconds = std::min(best.seconds, spent.count());
    best.readable_bytes.push_back(stream * spent.count());
    state.SetIterationTime(spent.count());
  }
  return best;
}

/// GB/s at best of `bytes` that the work must read, and STREAM's. `over_stream` is time divided by bytes / STREAM, the
/// median of all iterations with the reading just before each, so that a host that slows down counts in neither's
/// favour; `best_over_best` is the ratio of the two best rates.
inline void report(benchmark::State& state, Measured best, std::int64_t bytes) {
  const double rate = static_cast<double>(bytes) / best.seconds;
  std::sort(best.readable_bytes.begin(), best.readable_bytes.end());
  state.counters["GB/s"] = rate * 1e-9;
  state.counters["stream_GB/s"] = best.stream_bytes_per_s * 1e-9;
  state.counters["over_stream"] = best.readable_bytes.at(best.readable_bytes.size() / 2) / static_cast<double>(bytes);
  state.counters["best_over_best"] = best.stream_bytes_per_s / rate;
}

}  // namespace waferline::bench
