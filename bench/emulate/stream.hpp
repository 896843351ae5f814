#pragma once
// Read bandwidth of the host, measured beside what is compared with it.

#include <cstdint>
#include <vector>

namespace waferline::bench {

/// Sums an array far larger than the caches with static shares of threads; returns the best of `repeats` in bytes/s.
double stream_read_bytes_per_s(std::int64_t bytes, int threads, int repeats);

}  // namespace waferline::bench
