#pragma once
// --hdf5 and --perfetto of every `emulate` subcommand.

#include <memory>
#include <optional>
#include <string>

#include "cli/options.hpp"
#include "traces/run/run_trace.hpp"

namespace waferline::cli {

struct RecordingRequest {
  std::optional<std::string> hdf5;
  std::optional<std::string> perfetto;
  std::string command;  ///< all arguments as they were given
};

void declare_recording(Options& options, RecordingRequest& request);

/// A recorder that writes what was asked for, or null if nothing was. `origin` needs no version and command. After the
/// run call `finish`; without it no file appears.
/// Errors: ConfigError naming the flag if a place cannot be written to, or both name one file.
std::unique_ptr<traces::RunRecorder> make_recorder(const RecordingRequest& request, const kernels::Rates& rates,
                                                   traces::TraceOrigin origin);

}  // namespace waferline::cli
