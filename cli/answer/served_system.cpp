#include "cli/answer/served_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "arch/error.hpp"
#include "cli/argument_text.hpp"
#include "estimate/wafer.hpp"
#include "models/library.hpp"
#include "models/overrides.hpp"
#include "report/number.hpp"

namespace waferline::cli {
namespace {

constexpr RealRange rates{1e-6, 1e9};
constexpr std::int64_t most_users = 1'000'000;

}  // namespace

void ServedSystem::declare(Options& options) {
  model_.declare_optional(options);
  options.text("--system", "NAME", system_, "wafer, see waferline list systems, or a .toml file");
  options.text("--software", "NAME", software_, "its software, see waferline list software, or a .toml file");
  options.text("--wafers", "auto|N", wafers_, "wafers to use; auto: the fewest that fit");
  options.integer("--users", users_, {1, most_users}, "most users at a time (default: as many as fit)");
  options.real("--tokens-per-s", user_rate_, rates, "without MODEL: tokens/s of one user alone");
  options.real("--total-tokens-per-s", total_rate_, rates, "without MODEL: tokens/s of all users at most");
  options.integer("--kv-tokens", kv_tokens_, {1, 1'000'000'000'000},
                  "without MODEL: prompt and output tokens that fit");
  options.real("--prefill-tokens-per-s", prefill_rate_, rates, "of one prompt (default: estimated)");
  options.one_of("--prefill", prefill_, {"shared", "separate"}, "on the decoding wafers, or elsewhere");
}

void ServedSystem::describe(report::ServingAnswer& answer, std::int64_t mean_prompt_tokens) const {
  answer.serving.prefill = prefill_ == "shared" ? estimate::PrefillPlace::shared : estimate::PrefillPlace::separate;
  if (model_.given()) {
    describe_estimate(answer, mean_prompt_tokens);
  } else {
    describe_stated(answer);
  }
}

void ServedSystem::describe_estimate(report::ServingAnswer& answer, std::int64_t mean_prompt_tokens) const {
  if (user_rate_ || total_rate_ || kv_tokens_) {
    throw ConfigError(
        "--tokens-per-s, --total-tokens-per-s, --kv-tokens: come from the estimate of MODEL, leave out either");
  }
  const models::Model model = models::stored_as(models::load_model(model_.name()), model_.overrides());
  const Wafer wafer = naming_flag("--system", [&] { return load_wafer(system_); });
  const SoftwareProfile software = naming_flag("--software", [&] { return load_software(software_); });
  estimate::DecodeRequest request;
  request.context_tokens = model_.context_tokens();
  if (wafers_ != "auto") request.wafers = parse_integer("--wafers (auto or a number)", wafers_, {1, 10'000});
  const estimate::DecodeEstimate decode = estimate_decode(model, wafer, software, request);
  const std::int64_t fit = decode.placement.max_users;
  if (users_ && *users_ > fit) {
    throw DoesNotFit(fmt::format("--users: {} do not fit at context {}, permitted are 1 to {} (see --wafers)", *users_,
                                 request.context_tokens, fit));
  }
  answer.model = decode.model;
  answer.system = decode.system;
  answer.software = decode.software;
  answer.wafers = decode.placement.wafers;
  answer.context_tokens = request.context_tokens;
  answer.pass = decode.tpot.expected;
  answer.slowest_stage = decode.slowest_stage;
  answer.serving.token_time =
      estimate::pipeline_token_times(answer.pass, answer.slowest_stage, users_.value_or(std::min(fit, most_users)));
  answer.serving.kv_capacity_tokens = fit * request.context_tokens;
  if (prefill_rate_) {
    state_prefill(answer);
  } else {
    estimate_prefill(answer, {model, wafer, software, decode.placement}, mean_prompt_tokens);
  }
}

void ServedSystem::estimate_prefill(report::ServingAnswer& answer, const estimate::PlacedModel& placed,
                                    std::int64_t mean_prompt_tokens) const {
  const auto time = [&](std::int64_t tokens) {
    return estimate::estimate_prefill(placed, {tokens, 0, {}}).time.expected;
  };
  const Seconds one = time(1);
  const Seconds mean = time(mean_prompt_tokens);
  const auto further = static_cast<double>(mean_prompt_tokens - 1);
  if (further > 0) answer.serving.prefill_per_token = (mean - one) / further;
  answer.serving.prefill_fixed = one - answer.serving.prefill_per_token;
  answer.prefill_source = fmt::format(
      "prefill estimated, {} for the mean prompt of {} tokens, {}", report::seconds_text(mean),
      report::count_text(mean_prompt_tokens),
      prefill_ == "shared" ? "on the same wafers" : "on further wafers alike, the way of the cache not counted");
}

void ServedSystem::require_stated() const {
  std::vector<std::string> missing;
  if (!user_rate_) missing.emplace_back("--tokens-per-s");
  if (!total_rate_) missing.emplace_back("--total-tokens-per-s");
  if (!users_) missing.emplace_back("--users");
  if (!kv_tokens_) missing.emplace_back("--kv-tokens");
  if (!prefill_rate_) missing.emplace_back("--prefill-tokens-per-s");
  if (missing.empty()) return;
  throw ConfigError(
      fmt::format("{}: missing, a system is a MODEL or all of --tokens-per-s, --total-tokens-per-s, "
                  "--users, --kv-tokens and --prefill-tokens-per-s",
                  fmt::join(missing, ", ")));
}

void ServedSystem::describe_stated(report::ServingAnswer& answer) const {
  require_stated();
  if (*total_rate_ < *user_rate_) {
    throw ConfigError(fmt::format("--total-tokens-per-s: is {}, permitted is no less than the {} of --tokens-per-s",
                                  *total_rate_, *user_rate_));
  }
  answer.system = "stated";
  answer.pass = Seconds{1 / *user_rate_};
  answer.slowest_stage = Seconds{1 / *total_rate_};
  answer.serving.token_time = estimate::pipeline_token_times(answer.pass, answer.slowest_stage, *users_);
  answer.serving.kv_capacity_tokens = *kv_tokens_;
  state_prefill(answer);
}

void ServedSystem::state_prefill(report::ServingAnswer& answer) const {
  answer.serving.prefill_per_token = Seconds{1 / *prefill_rate_};
  answer.prefill_source =
      fmt::format("prefill of {} tokens/s as given, not estimated, {}", report::plain_number(*prefill_rate_),
                  prefill_ == "shared" ? "on the same wafers" : "elsewhere");
}

}  // namespace waferline::cli
