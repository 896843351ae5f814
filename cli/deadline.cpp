#include <fmt/format.h>

#include <algorithm>

#include "arch/error.hpp"
#include "cli/argument_text.hpp"
#include "cli/command.hpp"
#include "cli/html_option.hpp"
#include "cli/model_options.hpp"
#include "cli/rated_systems.hpp"
#include "report/deadline.hpp"

namespace waferline::cli {
namespace {

constexpr RealRange times{0, 1e7};
constexpr RealRange positive_times{1e-9, 1e7};
constexpr IntegerRange token_counts{0, 1'000'000'000};
constexpr RealRange rates{1e-6, 1e9};
constexpr RealRange prices{0, 1e9};

class Deadline : public Command {
 public:
  void declare(Options& options) override {
    options.duration("--deadline", deadline_, positive_times, "from the request to the last token checked, e.g. 10s");
    options.duration("--overhead", overhead_, times, "request, queue, prefill and first token");
    options.integer("--answer-tokens", answer_tokens_, token_counts, "tokens of the answer");
    for (const char* name : {"--deadline", "--overhead", "--answer-tokens"}) options.require(name);
    options.integer("--completion-cap", completion_cap_, {1, 1'000'000'000},
                    "most tokens of reasoning and answer together");
    options.duration("--tool-time", tool_time_, times, "time in tools");
    options.duration("--check-time", check_time_, times, "time for checking the answer");
    options.texts("--rate", "NAME=TOKENS_PER_S", rates_, "a system and its tokens/s for one user");
    options.texts("--endpoint", "[NAME=]PROVIDER/MODEL[@DATE]", endpoints_,
                  "a published speed, see waferline list endpoints; or #ROW");
    options.text("--model", "MODEL", model_, "estimate the rate of this model on each --system");
    options.texts("--system", "NAME", system_names_, "wafer or GPUs as NAMExCOUNT to estimate on (default wse3)");
    options.text("--software", "NAME", software_, "software of the wafers");
    options.integer("--context", context_tokens_, {1, longest_context_tokens}, "mean context of the estimates");
    options.real("--accepted-tokens", accepted_tokens_, {1, 64}, "tokens a pass on the wafers, with speculation");
    options.texts("--price", "NAME=USD", prices_, "its price for a million output tokens");
    options.text("--baseline", "NAME", baseline_, "system that others are compared with (default: the first)");
    options.real("--times-budget", times_budget_, {1, 1e6}, "multiple of the baseline's budget to reach");
    options.integer("--branches", branches_, {1, 1'000'000}, "answers generated side by side, each at the full rate");
    options.integer("--steps", steps_, {1, 1'000'000}, "agent loop: steps, one after the other");
    options.duration("--step-overhead", step_overhead_, times, "agent loop: fixed time of a step");
    options.integer("--step-tokens", step_tokens_, token_counts, "agent loop: output tokens of a step");
    options.duration("--step-tool-time", step_tool_time_, times, "agent loop: tool time of a step");
    html_.declare(options);
  }

  Answer run(const report::Page& page, Progress&) override {
    html_.check();
    estimate::DeadlineQuestion question;
    question.request = {*deadline_, *overhead_, tool_time_, check_time_, *answer_tokens_, completion_cap_};
    question.loop = loop();
    question.systems = systems();
    question.baseline = baseline_index(question.systems);
    question.times_budget = times_budget_;
    question.branches = branches_;
    const estimate::DeadlineStudy study = estimate::study_deadline(question);
    Answer answer{report::deadline_text(study, page), [study] { return report::deadline_json(study); }};
    if (html_.given()) answer.files.push_back(html_.file(report::deadline_html(study, html_.command())));
    return answer;
  }

 private:
  std::vector<estimate::RatedSystem> systems() const {
    std::vector<estimate::RatedSystem> systems;
    for (const std::string& text : rates_) {
      const NamedReal rate = parse_named_real("--rate", text, rates);
      systems.push_back({rate.name, TokensPerSecond{rate.value}, {}, {}, "given with --rate", {}});
    }
    for (estimate::RatedSystem& system : published_rates(endpoints_)) systems.push_back(std::move(system));
    for (estimate::RatedSystem& system : estimates()) systems.push_back(std::move(system));
    if (systems.empty()) {
      throw ConfigError("--rate: is missing, at least one of --rate, --endpoint and --model is needed");
    }
    for (const std::string& text : prices_) {
      const NamedReal price = parse_named_real("--price", text, prices);
      systems[index_of("--price", price.name, systems)].usd_per_million_output_tokens = price.value;
    }
    return systems;
  }

  std::vector<estimate::RatedSystem> estimates() const {
    if (!model_) {
      if (!system_names_.empty()) throw ConfigError("--system: needs --model, the model to estimate there");
      return {};
    }
    const std::vector<std::string> names = system_names_.empty() ? std::vector<std::string>{"wse3"} : system_names_;
    return estimated_rates({*model_, software_, context_tokens_, accepted_tokens_}, names);
  }

  std::size_t baseline_index(const std::vector<estimate::RatedSystem>& systems) const {
    return baseline_ ? index_of("--baseline", *baseline_, systems) : 0;
  }

  static std::size_t index_of(const char* flag, const std::string& name,
                              const std::vector<estimate::RatedSystem>& systems) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < systems.size(); ++i) {
      if (systems[i].name == name) return i;
      names.push_back(systems[i].name);
    }
    throw ConfigError(
        fmt::format("{}: {} names no given system, there are {}", flag, shown_argument(name), fmt::join(names, ", ")));
  }

  /// All four sizes of the loop or none: half of one would need made-up numbers.
  std::optional<estimate::AgentLoop> loop() const {
    if (!steps_ && !step_overhead_ && !step_tokens_ && !step_tool_time_) return std::nullopt;
    std::vector<std::string> missing;
    if (!steps_) missing.emplace_back("--steps");
    if (!step_overhead_) missing.emplace_back("--step-overhead");
    if (!step_tokens_) missing.emplace_back("--step-tokens");
    if (!step_tool_time_) missing.emplace_back("--step-tool-time");
    if (!missing.empty()) {
      throw ConfigError(
          fmt::format("{}: missing, an agent loop needs all of --steps, --step-overhead, --step-tokens "
                      "and --step-tool-time",
                      fmt::join(missing, ", ")));
    }
    return estimate::AgentLoop{*steps_, *step_overhead_, *step_tokens_, *step_tool_time_};
  }

  std::optional<Seconds> deadline_;
  std::optional<Seconds> overhead_;
  std::optional<std::int64_t> answer_tokens_;
  std::optional<std::int64_t> completion_cap_;
  Seconds tool_time_;
  Seconds check_time_;
  std::vector<std::string> rates_;
  std::vector<std::string> endpoints_;
  std::optional<std::string> model_;
  std::vector<std::string> system_names_;
  std::string software_ = usual_software;
  std::int64_t context_tokens_ = 8192;
  double accepted_tokens_ = 1;
  std::vector<std::string> prices_;
  std::optional<std::string> baseline_;
  double times_budget_ = 4;
  std::int64_t branches_ = 1;
  std::optional<std::int64_t> steps_;
  std::optional<Seconds> step_overhead_;
  std::optional<std::int64_t> step_tokens_;
  std::optional<Seconds> step_tool_time_;
  HtmlOption html_;
};

}  // namespace

std::unique_ptr<Command> make_deadline() {
  return std::make_unique<Deadline>();
}

}  // namespace waferline::cli
