#include <fmt/format.h>

#include <algorithm>

#include "arch/text_file.hpp"
#include "cli/argument_text.hpp"
#include "cli/command.hpp"
#include "cli/html_option.hpp"
#include "cli/model_options.hpp"
#include "cli/progress.hpp"
#include "cli/search_option.hpp"
#include "estimate/pareto.hpp"
#include "mapping/plan_file.hpp"
#include "models/library.hpp"
#include "models/overrides.hpp"
#include "report/placement/placement.hpp"

namespace waferline::cli {
namespace {

constexpr IntegerRange kBatches{1, 100'000};
constexpr IntegerRange kWaferCounts{1, 10'000};
constexpr std::int64_t kLargestPlan = 1 << 20;

mapping::Objective objective_of(const std::string& text) {
  for (const auto objective : {mapping::Objective::throughput, mapping::Objective::users, mapping::Objective::wafers}) {
    if (name(objective) == text) return objective;
  }
  return mapping::Objective::latency;
}

class Place : public Command {
 public:
  void declare(Options& options) override {
    model_.declare(options);
    options.text("--system", "NAME", system_, "wafer, see waferline list systems, or a .toml file");
    options.text("--software", "NAME", software_, "its software, see waferline list software, or a .toml file");
    options.one_of("--objective", objective_, {"latency", "throughput", "users", "wafers"}, "what to make best");
    options.integer("--batch", batch_, kBatches, "users whose tokens pass together");
    options.integer("--users", users_, kBatches, "users whose caches are to fit");
    options.text("--wafers", "auto|N", wafers_, "wafers to use at most; auto: the fewest that fit");
    options.text("--search", "HOW", search_, "go on by trial: time=10s or steps=20000, then seed=1 if you like");
    options.text("--plan", "FILE", plan_, "take the regions from this file, as --out writes it");
    options.text("--out", "FILE", out_, "write the regions to this file, to be edited and read back");
    options.text("--compare", "FILE", compare_, "with a second plan in place of MODEL: both side by side");
    options.text("--svg", "FILE", svg_, "draw the wafers to scale");
    options.integer("--pareto", pareto_, IntegerRange{0, 64}, "the front over objectives, on up to N wafers more");
    options.text("--pareto-svg", "FILE", pareto_svg_, "draw that front");
    html_.declare(options);
  }

  Answer run(const report::Page& page, Progress& progress) override {
    for (const auto& [flag, path] : outputs()) {
      if (*path) check_output_file(flag, **path);
    }
    html_.check();
    if (compare_) return compare(page);
    progress.say("placing " + model_.name());
    report::PlacementAnswer answer = place(model_.name(), plan_, progress);
    if (pareto_svg_ && !pareto_) throw ConfigError("--pareto-svg: nothing to draw without --pareto N");
    if (pareto_) {
      progress.say("searching the front");
      answer.front = estimate::pareto_front(stored(model_.name()), wafer(), software(), request(progress), *pareto_);
    }
    answer.with_page = html_.given();
    Answer result;
    result.text = report::placement_text(answer, page);
    if (html_.given()) result.files.push_back(html_.file(report::placement_html(answer, html_.command())));
    if (svg_) result.files.push_back({"--svg", *svg_, report::placement_svg(answer)});
    if (pareto_svg_) result.files.push_back({"--pareto-svg", *pareto_svg_, report::pareto_svg(answer)});
    if (out_) {
      const mapping::PlanPurpose purpose{model_.name(), system_};
      result.files.push_back({"--out", *out_, mapping::plan_toml(answer.decode.placement.plan(), purpose)});
    }
    result.json = [answer] { return report::placement_json(answer); };
    return result;
  }

 private:
  using Output = std::pair<const char*, const std::optional<std::string>*>;
  std::vector<Output> outputs() const { return {{"--svg", &svg_}, {"--pareto-svg", &pareto_svg_}, {"--out", &out_}}; }
  Wafer wafer() const {
    return naming_flag("--system", [&] { return load_wafer(system_); });
  }
  SoftwareProfile software() const {
    return naming_flag("--software", [&] { return load_software(software_); });
  }
  models::Model stored(const std::string& model) const {
    return models::stored_as(models::load_model(model), model_.overrides());
  }

  estimate::DecodeRequest request(Progress& progress) const {
    estimate::DecodeRequest request;
    request.context_tokens = model_.context_tokens();
    request.batch = batch_;
    request.users = users_;
    if (wafers_ != "auto") request.wafers = parse_integer("--wafers (auto or a number)", wafers_, kWaferCounts);
    request.weight_bits = model_.overrides().weight_bits;
    request.kv_dtype = model_.overrides().kv_dtype;
    request.objective = objective_of(objective_);
    if (search_) request.refinement = parse_search("--search", *search_, progress);
    return request;
  }

  report::PlacementAnswer place(const std::string& model_name, const std::optional<std::string>& plan,
                                Progress& progress) const {
    report::PlacementAnswer answer;
    const models::Model model = models::load_model(model_name);
    answer.model = model.name;
    answer.wafer = wafer();
    estimate::DecodeRequest asked = request(progress);
    if (plan) {
      if (search_)
        throw ConfigError("--search: a plan that is given is not searched for; leave out --plan or --search");
      const std::string text = naming_flag("--plan", [&] { return read_text_file(*plan, kLargestPlan); });
      asked.plan = mapping::parse_plan(text, *plan, {model_name, system_});
    }
    answer.decode = estimate::estimate_decode(model, answer.wafer, software(), asked);
    return answer;
  }

  /// MODEL is the second plan; the model is the one that both name.
  Answer compare(const report::Page& page) {
    if (plan_ || out_ || svg_ || pareto_ || search_ || html_.given()) {
      throw ConfigError(
          "--compare: takes two plans and writes nothing; leave out --plan, --out, --svg, --html, --pareto, --search");
    }
    Progress silent("comparing", false);
    const std::string& first = *compare_;
    const std::string& second = model_.name();
    const mapping::PlanPurpose purpose =
        mapping::read_purpose(naming_flag("--compare", [&] { return read_text_file(first, kLargestPlan); }), first);
    system_ = purpose.system;
    const report::PlacementAnswer a = place(purpose.model, first, silent);
    const report::PlacementAnswer b = place(purpose.model, second, silent);
    Answer result;
    result.text = report::placement_comparison(a, first, b, second, page);
    result.json = [a, b] { return report::comparison_json(a, b); };
    return result;
  }

  ModelOptions model_;
  std::string system_ = "wse3";
  std::string software_ = usual_software;
  std::string objective_ = "latency";
  std::int64_t batch_ = 1;
  std::int64_t users_ = 1;
  std::string wafers_ = "auto";
  std::optional<std::string> search_;
  std::optional<std::string> plan_;
  std::optional<std::string> out_;
  std::optional<std::string> compare_;
  std::optional<std::string> svg_;
  std::optional<std::int64_t> pareto_;
  std::optional<std::string> pareto_svg_;
  HtmlOption html_;
};

}  // namespace

std::unique_ptr<Command> make_place() {
  return std::make_unique<Place>();
}

}  // namespace waferline::cli
