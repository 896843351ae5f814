#include <fmt/format.h>

#include <array>
#include <cmath>

#include "arch/error.hpp"
#include "cli/answer/served_system.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "report/answer/serving.hpp"
#include "report/number.hpp"
#include "traces/serving_trace.hpp"

namespace waferline::cli {
namespace {

constexpr IntegerRange token_counts{1, 100'000'000};

std::int64_t mean_prompt(const std::vector<estimate::ServingRequest>& requests) {
  double tokens = 0;
  for (const estimate::ServingRequest& one : requests) tokens += static_cast<double>(one.prompt_tokens);
  return std::llround(tokens / static_cast<double>(requests.size()));
}

class Serve : public Command {
 public:
  void declare(Options& options) override {
    system_.declare(options);
    options.text("--trace", "FILE", trace_, "recorded requests, see docs/cli.md");
    options.real("--requests-per-s", rate_, {0, 1e9}, "Poisson arrivals at this rate, in place of --trace");
    options.integer("--requests", requests_, {1, 10'000'000}, "how many arrive");
    options.integer("--prompt-tokens", prompt_tokens_, token_counts, "of each");
    options.integer("--output-tokens", output_tokens_, token_counts, "of each");
    options.one_of("--output-length", length_, {"geometric", "fixed"}, "how output tokens vary about that mean");
    options.integer("--seed", seed_, {0, 1'000'000'000}, "of the arrivals");
    options.integer("--threads", threads_, {1, 1'024}, "for the loads of the curve");
  }

  Answer run(const report::Page& page, Progress& progress) override {
    if (trace_.has_value() == (rate_ > 0)) {
      throw ConfigError("--trace, --requests-per-s: permitted is one of them, and one is needed");
    }
    report::ServingAnswer answer;
    if (trace_) {
      const auto requests = naming_flag("--trace", [&] { return traces::read_serving_trace(*trace_); });
      answer.workload = fmt::format("{} recorded requests", report::count_text(std::ssize(requests)));
      system_.describe(answer, mean_prompt(requests));
      progress.say("serving the requests");
      answer.summary = summarise(answer.serving, requests, run_serving(answer.serving, requests));
    } else {
      system_.describe(answer, prompt_tokens_);
      progress.say("serving the requests");
      poisson(answer);
    }
    return {report::serving_text(answer, page), [answer] { return report::serving_json(answer); }};
  }

 private:
  void poisson(report::ServingAnswer& answer) const {
    const estimate::PoissonArrivals arrivals{
        rate_, requests_, prompt_tokens_, output_tokens_, length_ == "geometric", static_cast<std::uint64_t>(seed_)};
    constexpr std::array multiples{0.25, 0.5, 1.0, 1.5, 2.0};
    constexpr std::size_t asked = 2;
    std::array<double, multiples.size()> loads{};
    for (std::size_t i = 0; i < loads.size(); ++i) loads[i] = multiples[i] * rate_;
    answer.workload =
        fmt::format("{} requests, Poisson at {} a second, seed {}; {} prompt tokens, {} output tokens ({})",
                    report::count_text(requests_), report::plain_number(rate_), seed_,
                    report::count_text(prompt_tokens_), report::count_text(output_tokens_), length_);
    answer.curve = latency_curve(answer.serving, arrivals, loads, static_cast<int>(threads_));
    answer.summary = answer.curve[asked].summary;
  }

  ServedSystem system_;
  std::optional<std::string> trace_;
  double rate_ = 0;
  std::int64_t requests_ = 10'000;
  std::int64_t prompt_tokens_ = 1'000;
  std::int64_t output_tokens_ = 500;
  std::string length_ = "geometric";
  std::int64_t seed_ = 1;
  std::int64_t threads_ = 1;
};

}  // namespace

std::unique_ptr<Command> make_serve() {
  return std::make_unique<Serve>();
}

}  // namespace waferline::cli
