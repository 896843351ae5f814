#include <fmt/format.h>

#include <algorithm>

#include "arch/error.hpp"
#include "cli/argument_text.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "report/calibration.hpp"
#include "traces/calibrate_wafer_class.hpp"
#include "traces/gpu_rows.hpp"

namespace waferline::cli {
namespace {

class Calibrate : public Command {
 public:
  void declare(Options& options) override {
    options.text("--data", "CSV", data_, "measured rows, with the columns of the published ones");
    options.text("--class", "NAME", class_, "class of the rows: a wafer software profile or a GPU engine class");
    options.text("--out", "FILE", out_, "where to write the profile (TOML)");
    for (const char* name : {"--data", "--class", "--out"}) options.require(name);
  }

  Answer run(const report::Page& page, Progress& progress) override {
    check_output_file("--out", *out_);
    progress.say("fitting " + *class_);
    const auto wafer_classes = traces::wafer_classes();
    if (std::find(wafer_classes.begin(), wafer_classes.end(), *class_) != wafer_classes.end()) {
      return answer(traces::calibrate_wafer_class(*data_, *class_), page);
    }
    require_gpu_class();
    return answer(traces::calibrate_gpu_class(*data_, *class_).engine, page);
  }

 private:
  template <class Profile>
  Answer answer(const Profile& profile, const report::Page& page) const {
    Answer answer{report::calibration_text(profile, page), [profile] { return report::calibration_json(profile); }};
    answer.files.push_back({"--out", *out_, to_toml(profile)});
    return answer;
  }

  /// Names classes of both kinds if this is one of neither.
  void require_gpu_class() const {
    std::vector<std::string> names;
    for (const std::string_view name : traces::wafer_classes()) names.emplace_back(name);
    for (const GpuClass& gpu_class : traces::read_gpu_classes()) {
      if (gpu_class.name == *class_) return;
      names.push_back(gpu_class.name);
    }
    const std::string nearest = nearest_name(*class_, names);
    throw ConfigError(fmt::format("--class: {} is no class, {}", shown_argument(*class_),
                                  nearest.empty() ? fmt::format("permitted are {}", fmt::join(names, ", "))
                                                  : fmt::format("did you mean {}?", nearest)));
  }

  std::optional<std::string> data_;
  std::optional<std::string> class_;
  std::optional<std::string> out_;
};

}  // namespace

std::unique_ptr<Command> make_calibrate() {
  return std::make_unique<Calibrate>();
}

}  // namespace waferline::cli
