#include <fmt/format.h>

#include <chrono>

#include "arch/error.hpp"
#include "arch/profile_values.hpp"
#include "cli/argument_text.hpp"
#include "cli/command.hpp"
#include "cli/model_options.hpp"
#include "cli/progress.hpp"
#include "cli/sweep/file.hpp"
#include "cli/sweep/value_lists.hpp"
#include "cli/terminal.hpp"
#include "estimate/sweep/sweep.hpp"
#include "models/inspect.hpp"
#include "models/library.hpp"
#include "report/inspect.hpp"
#include "report/sweep/summary.hpp"
#include "report/version.hpp"

namespace waferline::cli {
namespace {

constexpr IntegerRange user_counts{1, 1'000'000};
constexpr IntegerRange batches{1, 100'000};
constexpr IntegerRange wafer_counts{1, 10'000};

/// What a model is made of, wherever its file lies.
std::string content_of(const models::Model& model) {
  models::Inspection inspection = models::inspect(model, 1, {});
  inspection.source_file.clear();
  return report::inspect_json(inspection);
}

/// "6 points (2 model x 3 batch), 10000000 at most"; said before the first of them, whoever listens.
std::string size_line(const estimate::Sweep& sweep, std::int64_t there) {
  std::vector<std::string> factors;
  for (const estimate::SweepAxis& axis : sweep.axes()) {
    if (axis.cells.size() > 1) factors.push_back(fmt::format("{} {}", axis.cells.size(), axis.column.name));
  }
  const std::string product = factors.empty() ? "" : fmt::format(" ({})", fmt::join(factors, " x "));
  const std::string before = there == 0 ? "" : fmt::format(", {} of them are there", there);
  return fmt::format("waferline sweep: {} point{}{}, {} at most{}\n", sweep.points(), sweep.points() == 1 ? "" : "s",
                     product, estimate::Sweep::kMostPoints, before);
}

/// Says how far a sweep is, with the rate since it began or went on.
class Pace {
 public:
  Pace(std::int64_t points, std::int64_t first, Progress& progress)
      : points_(points), first_(first), progress_(progress) {}

  void say(std::int64_t done) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const double rate = static_cast<double>(done - first_) / std::max(seconds, 1e-9);
    progress_.say(fmt::format("waferline sweep: {} of {} points, {:.3g} points/s, {:.0f} s left", done, points_, rate,
                              static_cast<double>(points_ - done) / std::max(rate, 1e-9)));
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::int64_t points_;
  std::int64_t first_;
  Progress& progress_;
  Clock::time_point start_ = Clock::now();
};

class SweepCommand : public Command {
 public:
  void declare(Options& options) override {
    options.text("--model", "LIST", models_, "models, separated by commas, as estimate takes them");
    options.text("--system", "LIST", systems_, "wafers");
    options.text("--software", "LIST", software_, "their software");
    options.texts("--set", "KEY=LIST", settings_,
                  "values for a key of the wafer (wafer.clock_hz) or the software (software.code_bytes)");
    options.text("--weight-bits", "LIST", weight_bits_, "of auto, 16, 8, 4");
    options.text("--kv-type", "LIST", kv_types_, "of auto, bf16, fp16, fp8_e4m3, int8");
    options.text("--objective", "LIST", objectives_, "of latency, throughput, users, wafers");
    options.text("--wafers", "LIST", wafers_, "numbers of wafers, or auto: the fewest that fit");
    options.text("--users", "LIST", users_, "users whose caches are to be held");
    options.text("--batch", "LIST", batches_, "users whose tokens pass together");
    options.text("--accepted-tokens", "LIST", accepted_tokens_, "tokens that one pass yields");
    options.text("--context", "LIST", contexts_, "tokens already in the cache; ranges as 1Ki:64Ki:x2");
    options.text("--out", "FILE", out_, "FILE.csv, or FILE.h5 for HDF5; rows gather in FILE.partial");
    options.flag("--resume", resume_, "go on with the rows that are there, if it is the same sweep");
    options.integer("--threads", threads_, {1, 1024}, "threads to use (default: all)");
    for (const char* name : {"--model", "--out"}) options.require(name);
  }

  Answer run(const report::Page& page, Progress& progress) override {
    const estimate::Sweep sweep(axes(), fmt::format("waferline {}", report::version()));
    SweepFile file(*out_, sweep, resume_);
    file.check_last_row();
    write_standard_error(size_line(sweep, file.rows()));
    if (!file.finished()) {
      Pace pace(sweep.points(), file.rows(), progress);
      estimate::run_sweep(sweep, file.rows(), static_cast<int>(threads_.value_or(0)),
                          [&](std::int64_t point, const estimate::SweepRow& row) {
                            file.append(row);
                            pace.say(point + 1);
                          });
      file.finish();
    }
    const report::SweepSummary summary = file.summary();
    return {report::sweep_text(summary, page), [summary] { return report::sweep_json(summary); }};
  }

 private:
  estimate::SweepAxes axes() const {
    estimate::SweepAxes axes;
    read_files(axes);
    for (const std::string& setting : settings_) axes.settings.push_back(parse_setting(setting));
    axes.weight_bits.clear();
    for (const std::string& bits : parse_words("--weight-bits", weight_bits_, {"auto", "16", "8", "4"})) {
      axes.weight_bits.push_back(bits == "auto" ? std::nullopt : std::optional(std::stoi(bits)));
    }
    axes.kv_types.clear();
    for (const std::string& type : parse_words("--kv-type", kv_types_, {"auto", "bf16", "fp16", "fp8_e4m3", "int8"})) {
      axes.kv_types.push_back(type == "auto" ? std::nullopt : dtype_from_name(type));
    }
    axes.objectives = parse_objectives();
    axes.wafers.clear();
    for (const std::string& count : expand_list("--wafers", wafers_)) {
      axes.wafers.push_back(count == "auto"
                                ? std::nullopt
                                : std::optional(parse_integer("--wafers (auto or numbers)", count, wafer_counts)));
    }
    axes.users = parse_integers("--users", users_, user_counts);
    axes.batches = parse_integers("--batch", batches_, batches);
    axes.accepted_tokens = parse_reals("--accepted-tokens", accepted_tokens_, {1, 64});
    axes.contexts = parse_integers("--context", contexts_, {1, longest_context_tokens});
    return axes;
  }

  void read_files(estimate::SweepAxes& axes) const {
    for (const std::string& name : split_list("--model", *models_)) {
      models::Model model = naming_flag("--model", [&] { return models::load_model(name); });
      std::string content = content_of(model);
      axes.models.push_back({name, std::move(model), std::move(content)});
    }
    for (const std::string& name : split_list("--system", systems_)) {
      Wafer wafer = naming_flag("--system", [&] { return load_wafer(name); });
      std::string content = to_toml(wafer);
      axes.systems.push_back({name, std::move(wafer), std::move(content)});
    }
    for (const std::string& name : split_list("--software", software_)) {
      SoftwareProfile software = naming_flag("--software", [&] { return load_software(name); });
      std::string content = to_toml(software);
      axes.software.push_back({name, std::move(software), std::move(content)});
    }
  }

  static estimate::SweepSetting parse_setting(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw ConfigError(
          fmt::format("--set: is {}, KEY=LIST was expected, e.g. wafer.clock_hz=0.85e9,1.1e9", shown_argument(text)));
    }
    estimate::SweepSetting setting{text.substr(0, equals), {}};
    for (const std::string& value : expand_list("--set " + printable(setting.key, 60), text.substr(equals + 1))) {
      setting.values.push_back(value_from_text(value));
    }
    return setting;
  }

  std::vector<mapping::Objective> parse_objectives() const {
    using mapping::Objective;
    std::vector<Objective> objectives;
    for (const std::string& word :
         parse_words("--objective", objectives_, {"latency", "throughput", "users", "wafers"})) {
      for (const Objective one : {Objective::latency, Objective::throughput, Objective::users, Objective::wafers}) {
        if (mapping::name(one) == word) objectives.push_back(one);
      }
    }
    return objectives;
  }

  std::optional<std::string> models_;
  std::string systems_ = "wse3";
  std::string software_ = usual_software;
  std::vector<std::string> settings_;
  std::string weight_bits_ = "auto";
  std::string kv_types_ = "auto";
  std::string objectives_ = "latency";
  std::string wafers_ = "auto";
  std::string users_ = "1";
  std::string batches_ = "1";
  std::string accepted_tokens_ = "1";
  std::string contexts_ = "8192";
  std::optional<std::string> out_;
  bool resume_ = false;
  std::optional<std::int64_t> threads_;
};

}  // namespace

std::unique_ptr<Command> make_sweep() {
  return std::make_unique<SweepCommand>();
}

}  // namespace waferline::cli
