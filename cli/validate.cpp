#include <fmt/format.h>

#include "arch/error.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "report/validate.hpp"
#include "traces/stated_bands.hpp"

namespace waferline::cli {
namespace {

class Validate : public Command {
 public:
  void declare(Options& options) override {
    options.texts("--set", "NAME", sets_, "a set to run; may be given more than once (default: all)");
    options.text("--data", "DIR", data_, "folder of CSV files with the columns of the published ones (default: those)");
    options.flag("--points", every_point_, "list every point, not only the largest errors");
    options.flag("--check", check_, "exit with 1 if an error is outside the band stated in docs/model/80-bands.md");
    options.flag("--markdown", markdown_, "one table for a document");
  }

  Answer run(const report::Page& page, Progress& progress) override {
    if (data_ && data_->empty()) throw ConfigError("--data: is empty, the path of a folder was expected");
    progress.say("comparing with published measurements");
    const std::vector<traces::ValidationSet> sets = traces::run_validation(sets_, data_.value_or(""));
    report::Lines lines =
        markdown_ ? report::validation_markdown(sets) : report::validation_text(sets, page, every_point_);
    Answer answer{std::move(lines), [sets] { return report::validation_json(sets); }};
    if (check_) check_bands(sets, answer);
    return answer;
  }

 private:
  static void check_bands(const std::vector<traces::ValidationSet>& sets, Answer& answer) {
    report::Lines broken;
    for (const traces::ValidationSet& set : sets) report::append(broken, traces::broken_bands(set));
    answer.text.emplace_back();
    answer.text.emplace_back(broken.empty() ? "All errors are inside their stated bands."
                                            : "Outside the stated bands:");
    for (const std::string& line : broken) answer.text.push_back("  " + line);
    if (!broken.empty()) answer.exit_code = 1;
  }

  std::vector<std::string> sets_;
  std::optional<std::string> data_;
  bool every_point_ = false;
  bool markdown_ = false;
  bool check_ = false;
};

}  // namespace

std::unique_ptr<Command> make_validate() {
  return std::make_unique<Validate>();
}

}  // namespace waferline::cli
