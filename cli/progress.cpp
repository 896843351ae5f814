#include "cli/progress.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "cli/terminal.hpp"

namespace waferline::cli {

using Clock = std::chrono::steady_clock;

Progress::Progress(std::string what, bool visible) : what_(std::move(what)) {
  if (visible) thread_ = std::thread([this] { show_until_done(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Progress::say(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void Progress::show_until_done() {
  const Clock::time_point start = Clock::now();
  std::unique_lock lock(mutex_);
  auto next = start + std::chrono::seconds(1);
  bool shown = false;
  while (!changed_.wait_until(lock, next, [this] { return done_; })) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count();
    write_standard_error(fmt::format("\r\033[K{} ... {} s", what_, seconds));
    shown = true;
    next += std::chrono::milliseconds(500);
  }
  if (shown) write_standard_error("\r\033[K");
}

}  // namespace waferline::cli
