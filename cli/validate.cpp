#include <fmt/format.h>

#include "arch/error.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "report/validate.hpp"

namespace waferline::cli {
namespace {

class Validate : public Command {
 public:
  void declare(Options& options) override {
    options.texts("--set", "NAME", sets_, "a set to run; may be given more than once (default: all)");
    options.text("--data", "DIR", data_, "folder of CSV files with the columns of the published ones (default: those)");
    options.flag("--points", every_point_, "list every point, not only the largest errors");
    options.flag("--markdown", markdown_, "one table for a document");
  }

  Answer run(const report::Page& page, Progress& progress) override {
    if (data_ && data_->empty()) throw ConfigError("--data: is empty, the path of a folder was expected");
    progress.say("comparing with published measurements");
    const std::vector<traces::ValidationSet> sets = traces::run_validation(sets_, data_.value_or(""));
    report::Lines lines =
        markdown_ ? report::validation_markdown(sets) : report::validation_text(sets, page, every_point_);
    return {std::move(lines), [sets] { return report::validation_json(sets); }};
  }

 private:
  std::vector<std::string> sets_;
  std::optional<std::string> data_;
  bool every_point_ = false;
  bool markdown_ = false;
};

}  // namespace

std::unique_ptr<Command> make_validate() {
  return std::make_unique<Validate>();
}

}  // namespace waferline::cli
