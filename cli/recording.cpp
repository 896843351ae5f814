#include "cli/recording.hpp"

#include <filesystem>

#include "arch/error.hpp"
#include "cli/output_file.hpp"
#include "report/version.hpp"
#include "traces/run/perfetto.hpp"
#include "traces/run/trace_file.hpp"

namespace waferline::cli {

namespace {

bool same_place(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(a, ignored), ignored) ==
         std::filesystem::weakly_canonical(std::filesystem::absolute(b, ignored), ignored);
}

}  // namespace

void declare_recording(Options& options, RecordingRequest& request) {
  options.text("--hdf5", "FILE", request.hdf5, "write what every PE did in every step (see waferline trace)");
  options.text("--perfetto", "FILE", request.perfetto,
               "write the steps for ui.perfetto.dev, one track for each region");
}

std::unique_ptr<traces::RunRecorder> make_recorder(const RecordingRequest& request, const kernels::Rates& rates,
                                                   traces::TraceOrigin origin) {
  if (!request.hdf5 && !request.perfetto) return nullptr;
  origin.version = report::version();
  origin.command = request.command;
  origin = traces::in_utf8(std::move(origin));
  if (request.hdf5) check_output_file("--hdf5", *request.hdf5);
  if (request.perfetto) check_output_file("--perfetto", *request.perfetto);
  if (request.hdf5 && request.perfetto && same_place(*request.hdf5, *request.perfetto))
    throw ConfigError("--perfetto: names the same file as --hdf5");
  auto recorder = std::make_unique<traces::RunRecorder>(rates);
  if (request.hdf5)
    naming_flag("--hdf5", [&] { recorder->add(std::make_unique<traces::TraceFile>(*request.hdf5, origin)); });
  if (request.perfetto)
    naming_flag("--perfetto",
                [&] { recorder->add(std::make_unique<traces::PerfettoFile>(*request.perfetto, origin)); });
  return recorder;
}

}  // namespace waferline::cli
