#pragma once
// A line on the terminal that says what takes so long.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace waferline::cli {

/// Shows "what ... 3 s" on standard error once a second has passed, and takes it away at the end. Silent where standard
/// error is no terminal.
class Progress {
 public:
  /// Starts the clock.
  Progress(std::string what, bool visible);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Says what is going on now.
  void say(std::string what);

 private:
  void show_until_done();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace waferline::cli
