#pragma once
// A run in Chrome's trace event format, which ui.perfetto.dev and chrome://tracing show: one track for each region,
// in it a slice for each of its passes and within that one for each step.

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "traces/run/replaced_file.hpp"
#include "traces/run/run_trace.hpp"

namespace waferline::traces {

class PerfettoFile : public TraceSink {
 public:
  /// Errors: ConfigError naming the file if it cannot be written.
  PerfettoFile(const std::filesystem::path& target, const TraceOrigin& origin);
  void write(const TracedStep& step) override;
  void finish() override;

 private:
  /// The slice around the steps of one region in one pass, written when it ends.
  struct Visit {
    std::int64_t track = -1;
    std::int64_t pass = 0;
    std::int64_t begin_ps = 0;
    std::int64_t end_ps = 0;
    std::string steps;  ///< their events, which follow it in the file: parents come first
  };
  std::int64_t picoseconds(Cycles cycles) const;
  std::int64_t track_of(std::string_view region);
  void end_visit();
  void put(const std::string& event);
  /// Errors: ConfigError with the system's reason if something could not be written.
  void check() const;

  ReplacedFile file_;
  std::ofstream out_;
  Hertz clock_;
  std::map<std::string, std::int64_t, std::less<>> tracks_;
  Visit visit_;
  bool is_first_ = true;
};

}  // namespace waferline::traces
