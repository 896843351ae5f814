#pragma once
// What a run of the emulator leaves behind: its steps with their cycles, and what every PE did in them. The schema of
// the files is in docs/traces.md.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/emulate/recorder.hpp"
#include "kernels/rates.hpp"

namespace waferline::traces {

/// Version of the files. Datasets and attributes may be added under one version, none renamed or given another meaning.
inline constexpr std::int64_t kTraceSchema = 1;
inline constexpr std::string_view kTraceFormat = "waferline-trace";

/// Where a trace comes from.
struct TraceOrigin {
  std::string version;  ///< of the tool
  std::string command;  ///< as it was given
  std::string system;
  std::string software;
  std::int64_t seed = 0;
  Hertz clock;
  std::vector<std::pair<std::string, std::string>> inputs;  ///< as resolved: name, value
};

/// The same with texts in UTF-8, whatever names of files and arguments were: for the files.
TraceOrigin in_utf8(TraceOrigin origin);

/// One step of one region in one pass.
struct TracedStep {
  std::string_view region;
  std::int64_t pass = 0;
  Cycles start;   ///< since the run began: a step starts when the one before it ends
  Cycles cycles;  ///< repeats included
  const kernels::emulate::RecordedStep& recorded;
  std::span<const double> busy_cycles;  ///< of each PE, row by row
};

/// Where traced steps go.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// Errors: ConfigError naming the file that cannot be written; then it is of no use any more.
  virtual void write(const TracedStep& step) = 0;
  /// After the last step: makes the file. Without it there is none. Errors: as above.
  virtual void finish() = 0;
};

/// Gives steps their times and passes them on. Cycles are those of kernels/rates.hpp on the emulator's counters.
///
/// A PE is busy in a local step for the cycles that the same function gives its own counts, bytes through its ports in
/// proportion to its elements; in a step that communicates for as many cycles as wavelets cross its ramp one way. It is
/// never busy for longer than the step takes.
class RunRecorder : public kernels::emulate::Recorder {
 public:
  explicit RunRecorder(const kernels::Rates& rates) : rates_(rates) {}

  void add(std::unique_ptr<TraceSink> sink) { sinks_.push_back(std::move(sink)); }
  void enter(std::string_view region, std::int64_t pass) override;
  void record(const kernels::emulate::RecordedStep& step) override;
  /// Makes the files. One that cannot be written, now or before, leaves nothing behind and a line in `problems`: the
  /// run and the other files go on without it.
  void finish();
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  template <class Write>
  void write_all(Write write);
  void find_busy_cycles(const kernels::emulate::RecordedStep& step, Cycles whole);

  kernels::Rates rates_;
  std::vector<std::unique_ptr<TraceSink>> sinks_;
  std::vector<std::string> problems_;
  std::string region_ = "run";
  std::int64_t pass_ = 0;
  Cycles now_;
  std::vector<double> busy_cycles_;
};

}  // namespace waferline::traces
