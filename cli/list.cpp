#include "report/list.hpp"
#include "arch/error.hpp"
#include "cli/command.hpp"
#include "models/library.hpp"
#include "report/inspect.hpp"

namespace waferline::cli {
namespace {

constexpr std::int64_t usual_context_tokens = 8192;

template <class Item, class Load>
std::vector<Item> load_all(const std::vector<std::string>& names, Load load) {
  std::vector<Item> items;
  for (const std::string& name : names) items.push_back(load(name));
  return items;
}

template <class Items>
Answer answer_with(Items items, report::Lines (*text)(const Items&, const report::Page&),
                   std::string (*json)(const Items&), const report::Page& page) {
  report::Lines lines = text(items, page);
  return {std::move(lines), [items = std::move(items), json] { return json(items); }};
}

class List : public Command {
 public:
  void declare(Options& options) override {
    options.one_of_positional("KIND", kind_, {"models", "systems", "software", "gpus", "engines", "endpoints"},
                              "what to list");
  }

  Answer run(const report::Page& page, Progress&) override {
    if (kind_ == "models") return answer_with(library(), report::models_text, report::models_json, page);
    if (kind_ == "systems") {
      return answer_with(load_all<Wafer>(list_wafers(), load_wafer), report::wafers_text, report::wafers_json, page);
    }
    if (kind_ == "endpoints") {
      return answer_with(traces::read_published_speeds(), report::speeds_text, report::speeds_json, page);
    }
    if (kind_ == "software") {
      return answer_with(load_all<SoftwareProfile>(list_software(), load_software), report::software_text,
                         report::software_json, page);
    }
    if (kind_ == "gpus") {
      return answer_with(load_all<Gpu>(list_gpus(), load_gpu), report::gpus_text, report::gpus_json, page);
    }
    return answer_with(load_all<GpuEngine>(list_gpu_engines(), load_gpu_engine), report::engines_text,
                       report::engines_json, page);
  }

 private:
  static std::vector<models::Inspection> library() {
    std::vector<models::Inspection> all;
    for (const models::LibraryEntry& entry : models::library_entries()) {
      all.push_back(models::inspect(models::load_model(entry.name), usual_context_tokens));
      all.back().name = entry.name;
    }
    return all;
  }

  std::string kind_;
};

}  // namespace

std::unique_ptr<Command> make_list() {
  return std::make_unique<List>();
}

}  // namespace waferline::cli
