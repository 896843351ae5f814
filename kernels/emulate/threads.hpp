#pragma once
// Independent tasks for OpenMP threads. Each task writes only its own results, so nothing depends on the number of
// threads or on which of them takes a task; a thread that the host holds up takes fewer.

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <vector>

namespace waferline::kernels::emulate {

/// Multiply-accumulates below which waking a thread costs more than it saves (a few microseconds of one processor).
inline constexpr std::int64_t kWorthAThread = 100'000;

/// Threads that run: never more than processors, because a thread that waits without a processor only takes one away.
inline int running_threads(int asked, std::int64_t tasks, std::int64_t macs) {
  const std::int64_t most = std::min({static_cast<std::int64_t>(omp_get_num_procs()), tasks, macs / kWorthAThread});
  return static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(asked, most)));
}

/// work(task, scratch) for each task below `tasks`, about `macs` multiply-accumulates in all; `scratch` belongs to the
/// thread. Of several tasks that throw, the first one's exception is passed on.
template <class Work>
void for_each_task(std::int64_t tasks, std::int64_t macs, int threads, const Work& work) {
  const int running = running_threads(threads, tasks, macs);
  std::exception_ptr failure;
  std::int64_t failed = tasks;
#pragma omp parallel num_threads(running) if (running > 1)
  {
    std::vector<float> scratch;
#pragma omp for schedule(dynamic)
    for (std::int64_t task = 0; task < tasks; ++task) {
      try {
        work(task, scratch);
      } catch (...) {
#pragma omp critical
        if (task < failed) {
          failed = task;
          failure = std::current_exception();
        }
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace waferline::kernels::emulate
