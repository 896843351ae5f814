#include "models/inspect.hpp"
#include "cli/command.hpp"
#include "cli/model_options.hpp"
#include "models/library.hpp"
#include "report/inspect.hpp"

namespace waferline::cli {
namespace {

class Inspect : public Command {
 public:
  void declare(Options& options) override { model_.declare(options); }

  Answer run(const report::Page& page, Progress&) override {
    const models::Inspection inspection =
        models::inspect(models::load_model(model_.name()), model_.context_tokens(), model_.overrides());
    return {report::inspect_text(inspection, page), [inspection] { return report::inspect_json(inspection); }};
  }

 private:
  ModelOptions model_;
};

}  // namespace

std::unique_ptr<Command> make_inspect() {
  return std::make_unique<Inspect>();
}

}  // namespace waferline::cli
