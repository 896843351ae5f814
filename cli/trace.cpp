#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "report/trace/summary.hpp"
#include "traces/run/survives.hpp"

namespace waferline::cli {
namespace {

report::TraceMap map_of(const std::string& name) {
  if (name == "macs") return report::TraceMap::macs;
  if (name == "wavelets") return report::TraceMap::wavelets;
  return name == "links" ? report::TraceMap::links : report::TraceMap::busy;
}

/// `trace FILE`: summarises what `emulate --hdf5` wrote.
class Trace : public Command {
 public:
  void declare(Options& options) override {
    options.positional("FILE", file_, "HDF5 file that emulate wrote with --hdf5");
    options.text("--region", "NAME", region_, "only the steps of one region, e.g. \"layer 0\"");
    options.one_of("--map", map_, {"busy", "macs", "wavelets", "links"}, "what the map of the mesh shows");
    options.integer("--hottest", hottest_, {0, 1000}, "PEs and links to name for each mesh");
    options.text("--svg", "FILE", svg_, "draw the map of the largest mesh, with its links if they can be told apart");
  }

  Answer run(const report::Page& page, Progress& progress) override {
    if (svg_) check_output_file("--svg", *svg_);
    progress.say("reading the trace");
    const auto summarise = [&] { return traces::summarise_trace(file_, region_, static_cast<int>(hottest_)); };
    if (!traces::survives([&] { summarise(); }))
      throw ConfigError(printable(file_, 200) + ": is damaged: the HDF5 library crashes on it");
    const traces::TraceSummary summary = summarise();
    Answer answer{report::trace_text(summary, map_of(map_), page), [summary] { return report::trace_json(summary); }};
    if (svg_) {
      if (summary.meshes.empty()) throw ConfigError("--svg: " + file_ + ": holds no steps to draw");
      answer.files.push_back({"--svg", *svg_, report::trace_svg(summary, map_of(map_))});
    }
    return answer;
  }

 private:
  std::string file_;
  std::optional<std::string> region_;
  std::optional<std::string> svg_;
  std::string map_ = "busy";
  std::int64_t hottest_ = 5;
};

}  // namespace

std::unique_ptr<Command> make_trace() {
  return std::make_unique<Trace>();
}

}  // namespace waferline::cli
