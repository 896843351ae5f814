#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include "estimate/sweep/sweep.hpp"

namespace waferline::estimate {
namespace {

/// Rows come in any order and leave in theirs.
class InOrder {
 public:
  using Take = std::function<void(std::int64_t, const SweepRow&)>;
  InOrder(std::int64_t first, const Take& take) : next_(first), take_(take) {}

  void add(std::int64_t point, SweepRow row) {
    const std::lock_guard lock(mutex_);
    if (failure_) return;
    waiting_.emplace(point, std::move(row));
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      take_(next_++, waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
  }

  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    failed_ = true;
  }

  bool failed() const { return failed_; }
  void rethrow_if_failed() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::map<std::int64_t, SweepRow> waiting_;
  std::int64_t next_;
  const Take& take_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_ = false;
};

}  // namespace

void run_sweep(const Sweep& sweep, std::int64_t first, int threads,
               const std::function<void(std::int64_t point, const SweepRow& row)>& take) {
  const std::int64_t points = sweep.points();
  InOrder rows(first, take);
  // A thread without a point left sleeps, and so does one that waits to hand over: too many threads burn nothing.
  const int team = static_cast<int>(std::clamp<std::int64_t>(threads > 0 ? threads : omp_get_max_threads(), 1,
                                                             std::max<std::int64_t>(1, points - first)));
#pragma omp parallel for schedule(dynamic, 1) num_threads(team)
  for (std::int64_t point = first; point < points; ++point) {
    if (rows.failed()) continue;
    try {
      rows.add(point, sweep.row(point));
    } catch (...) {
      rows.fail(std::current_exception());
    }
  }
  rows.rethrow_if_failed();
}

}  // namespace waferline::estimate
