#include <algorithm>

#include "cli/answer/answer_options.hpp"
#include "cli/argument_text.hpp"
#include "cli/command.hpp"
#include "cli/estimate_series.hpp"
#include "cli/gpu_systems.hpp"
#include "cli/html_option.hpp"
#include "cli/model_options.hpp"
#include "estimate/gpu_workload.hpp"
#include "models/library.hpp"
#include "report/estimate.hpp"
#include "traces/endpoint_rows.hpp"

namespace waferline::cli {
namespace {

constexpr const char* speculating_software = "service-2026";
constexpr IntegerRange batches{1, 100'000};
constexpr IntegerRange wafer_counts{1, 10'000};

class Estimate : public Command {
 public:
  void declare(Options& options) override {
    model_.declare(options);
    options.text("--system", "NAME", system_, "wafer, see waferline list systems, or a .toml file");
    options.text("--software", "NAME", software_, "its software, see waferline list software, or a .toml file");
    options.integer("--batch", batch_, batches, "users whose tokens pass together");
    options.text("--wafers", "auto|N", wafers_, "wafers to use; auto: the fewest that fit");
    options.real("--accepted-tokens", accepted_tokens_, {1, 64}, "tokens that one pass yields, with speculation");
    options.text("--vs", "LIST", gpus_, "GPU systems to compare with, e.g. h100x8,b200x8, or none");
    options.text("--engine", "NAME", engine_, "serving engine on them; default: the class measured on that GPU");
    html_.declare(options);
    whole_.declare(options);
  }

  Answer run(const report::Page& page, Progress&) override {
    html_.check();
    const models::Model model = models::load_model(model_.name());
    const Wafer wafer = naming_flag("--system", [&] { return load_wafer(system_); });
    const SoftwareProfile software = naming_flag("--software", [&] { return load_software(software_); });
    report::EstimateAnswer answer;
    answer.model = models::inspect(model, model_.context_tokens(), model_.overrides());
    answer.decode = estimate::estimate_decode(model, wafer, software, request());
    answer.usable_pes_per_wafer = usable_pes(wafer);
    const models::Model stored = models::stored_as(model, model_.overrides());
    answer.gpus = compare(stored);
    answer.usable_extent = wafer.fabric.usable.value;
    whole_.add(answer, {stored, wafer, software, engine_, gpus_});
    add_published(answer);
    Answer result;
    result.text = report::estimate_text(answer, page);
    if (html_.given()) {
      answer.series = page_series({model, wafer, software, stored, gpu_systems(), engine_}, answer.decode);
      result.files.push_back(html_.file(report::estimate_html(answer, html_.command())));
    }
    result.json = [answer] { return report::estimate_json(answer); };
    return result;
  }

 private:
  estimate::DecodeRequest request() const {
    estimate::DecodeRequest request;
    request.context_tokens = model_.context_tokens();
    request.batch = batch_;
    if (wafers_ != "auto") request.wafers = parse_integer("--wafers (auto or a number)", wafers_, wafer_counts);
    request.weight_bits = model_.overrides().weight_bits;
    request.kv_dtype = model_.overrides().kv_dtype;
    request.accepted_tokens = accepted_tokens_;
    return request;
  }

  /// Measured speeds beside the estimate, and what to ask for to compare with those of a service that speculates.
  void add_published(report::EstimateAnswer& answer) const {
    answer.published = traces::published_speeds_of(answer.model.name, answer.decode.system);
    const bool speculates = std::any_of(answer.published.begin(), answer.published.end(),
                                        [](const traces::EndpointRow& row) { return row.speculates; });
    if (!speculates || accepted_tokens_ > 1) return;
    const SoftwareProfile service = load_software(speculating_software);
    if (service.accepted_tokens) answer.speculating_service = {service.name, service.accepted_tokens->value};
  }

  std::vector<GpuSystem> gpu_systems() const {
    return gpus_ == "none" ? std::vector<GpuSystem>{} : parse_gpu_systems("--vs", gpus_);
  }

  std::vector<report::GpuAnswer> compare(const models::Model& model) const {
    const std::vector<GpuSystem> systems = gpu_systems();
    if (systems.empty()) return {};
    const GpuWorkload workload = gpu_workload(model, model_.context_tokens());
    GpuLoad load;
    load.context_tokens = model_.context_tokens();
    load.batch = static_cast<double>(batch_);
    std::vector<report::GpuAnswer> answers;
    for (const GpuSystem& system : systems) {
      answers.push_back(estimate_on(system, workload, load, engine_, "--vs"));
    }
    return answers;
  }

  ModelOptions model_;
  std::string system_ = "wse3";
  std::string software_ = usual_software;
  std::int64_t batch_ = 1;
  std::string wafers_ = "auto";
  double accepted_tokens_ = 1;
  std::string gpus_ = "h100x8,b200x8";
  std::optional<std::string> engine_;
  HtmlOption html_;
  AnswerOptions whole_;
};

}  // namespace

std::unique_ptr<Command> make_estimate() {
  return std::make_unique<Estimate>();
}

}  // namespace waferline::cli
