#include "cli/answer/answer_options.hpp"

#include <fmt/format.h>

#include <initializer_list>

#include "arch/error.hpp"
#include "cli/answer/prefill_place.hpp"
#include "cli/argument_text.hpp"
#include "cli/gpu_systems.hpp"
#include "estimate/gpu_workload.hpp"
#include "models/library.hpp"

namespace waferline::cli {
namespace {

constexpr IntegerRange token_counts{1, 100'000'000};
constexpr RealRange times{0, 1e7};
constexpr RealRange money{0, 1e9};
constexpr std::int64_t most_drafted = 63;  // as many tokens a pass as --accepted-tokens permits

struct Partner {
  const char* flag;
  bool given;
};

/// Errors: ConfigError naming the first flag that is given without what it needs.
void require_beside(std::initializer_list<Partner> flags, bool needed_is_given, const char* needed) {
  if (needed_is_given) return;
  for (const Partner& one : flags) {
    if (one.given) throw ConfigError(fmt::format("{}: needs {}", one.flag, needed));
  }
}

}  // namespace

void AnswerOptions::declare(Options& options) {
  options.integer("--prompt-tokens", prompt_tokens_, token_counts, "prompt: adds TTFT and end-to-end time");
  options.integer("--output-tokens", output_tokens_, token_counts, "tokens of the answer to it");
  options.integer("--prefix-cached-tokens", cached_tokens_, {0, token_counts.highest}, "of the prompt, in the cache");
  options.integer("--prefill-chunk", chunk_tokens_, token_counts, "tokens of a chunk (default: fastest that fits)");
  options.duration("--queue", queue_, times, "wait before prefill (default 0s)");
  options.text("--prefill-on", "NAME", prefill_on_, "prefill on another wafer, or on GPUs as NAMExCOUNT");
  options.real("--link-gb-per-s", link_gb_per_s_, {1e-6, 1e9}, "with --prefill-on: bandwidth of the link, 1e9 B/s");
  options.duration("--link-latency", link_latency_, times, "with --prefill-on: its latency (default 0s)");
  options.integer("--draft-tokens", draft_tokens_, {1, most_drafted}, "speculation: most tokens drafted for a pass");
  options.text("--acceptance", "P1,P2,...", acceptance_, "of each drafted token if those before it were; one: of all");
  options.text("--draft", "mtp|MODEL|TIME", draft_, "who drafts, or how long a drafted token takes");
  options.real("--price-per-million", price_, money, "dollars for a million output tokens");
  options.real("--dollars-per-hour", dollars_per_hour_, money, "of one wafer");
  options.real("--watts", watts_, money, "of one wafer, nameplate");
}

void AnswerOptions::require_partners() const {
  const bool both = prompt_tokens_.has_value() && output_tokens_.has_value();
  require_beside({{"--prompt-tokens", prompt_tokens_.has_value()}}, output_tokens_.has_value(), "--output-tokens");
  require_beside({{"--output-tokens", output_tokens_.has_value()}}, prompt_tokens_.has_value(), "--prompt-tokens");
  require_beside({{"--prefix-cached-tokens", cached_tokens_.has_value()},
                  {"--prefill-chunk", chunk_tokens_.has_value()},
                  {"--queue", queue_.has_value()},
                  {"--prefill-on", prefill_on_.has_value()},
                  {"--price-per-million", price_.has_value()},
                  {"--dollars-per-hour", dollars_per_hour_.has_value()},
                  {"--watts", watts_.has_value()}},
                 both, "--prompt-tokens and --output-tokens");
  require_beside({{"--link-gb-per-s", link_gb_per_s_.has_value()}, {"--link-latency", link_latency_.has_value()}},
                 prefill_on_.has_value(), "--prefill-on");
  require_beside({{"--prefill-on", prefill_on_.has_value()}}, link_gb_per_s_.has_value(), "--link-gb-per-s");
  const bool speculates = draft_tokens_ && acceptance_ && draft_;
  require_beside({{"--draft-tokens", draft_tokens_.has_value()},
                  {"--acceptance", acceptance_.has_value()},
                  {"--draft", draft_.has_value()}},
                 speculates, "all of --draft-tokens, --acceptance and --draft");
}

void AnswerOptions::add(report::EstimateAnswer& answer, const AnswerContext& context) const {
  require_partners();
  if (asks_for_time()) {
    add_time(answer, context);
    add_gpus(answer, context);
    add_cost(answer);
  }
  if (draft_tokens_) add_speculation(answer, context);
}

estimate::AnswerRequest AnswerOptions::request() const {
  estimate::AnswerRequest request;
  request.prefill = {*prompt_tokens_, cached_tokens_.value_or(0), chunk_tokens_};
  request.output_tokens = *output_tokens_;
  request.queue = queue_.value_or(Seconds{});
  estimate::check(request.prefill);
  return request;
}

std::optional<estimate::KvLink> AnswerOptions::link() const {
  if (!prefill_on_) return std::nullopt;
  return estimate::KvLink{BytesPerSecond{*link_gb_per_s_ * 1e9}, link_latency_.value_or(Seconds{})};
}

void AnswerOptions::add_time(report::EstimateAnswer& answer, const AnswerContext& context) const {
  const estimate::AnswerRequest asked = request();
  const estimate::PlacedModel placed{context.model, context.wafer, context.software, answer.decode.placement};
  const estimate::DecodeTimes decode = estimate::decode_times(placed, answer.decode, asked);
  const std::optional<estimate::KvLink> over = link();
  std::optional<estimate::KvTransfer> transfer;
  if (over) transfer = estimate::move_kv(context.model, asked.prefill, *over);
  PrefillElsewhere elsewhere;
  if (prefill_on_) elsewhere = prefill_elsewhere(*prefill_on_, placed, context.engine, asked.prefill);
  answer.whole.prefill_where =
      prefill_on_ ? fmt::format("{}, cache over {:g} GB/s", elsewhere.where, *link_gb_per_s_) : "on the same wafers";
  answer.whole.time = estimate::answer_time(
      asked, prefill_on_ ? std::move(elsewhere.estimate) : estimate::estimate_prefill(placed, asked.prefill), transfer,
      decode.first_token, decode.tpot, answer.decode.request.accepted_tokens);
}

void AnswerOptions::add_gpus(report::EstimateAnswer& answer, const AnswerContext& context) const {
  if (context.gpus == "none") return;
  const estimate::AnswerRequest asked = request();
  for (const GpuSystem& system : parse_gpu_systems("--vs", context.gpus)) {
    answer.whole.gpus.push_back(
        answer_on_gpus(system, context.model, context.engine, asked, answer.decode.request.batch));
  }
}

void AnswerOptions::add_speculation(report::EstimateAnswer& answer, const AnswerContext& context) const {
  if (answer.decode.request.accepted_tokens > 1) {
    throw ConfigError("--draft-tokens, --accepted-tokens: permitted is one of them, both are speculation");
  }
  const estimate::PlacedModel placed{context.model, context.wafer, context.software, answer.decode.placement};
  const std::int64_t tokens = answer.decode.request.context_tokens;
  estimate::SpeculationRequest request;
  request.acceptance = parse_real_list("--acceptance", *acceptance_, {0, 1});
  if (request.acceptance.size() == 1) {
    request.acceptance.resize(static_cast<std::size_t>(*draft_tokens_), request.acceptance.front());
  }
  if (std::ssize(request.acceptance) != *draft_tokens_) {
    throw ConfigError(fmt::format("--acceptance: has {} values, permitted are 1 or {}, one for each drafted token",
                                  request.acceptance.size(), *draft_tokens_));
  }
  if (*draft_ == "mtp") {
    request.draft = estimate::draft_by_mtp_head(placed, tokens);
  } else if (draft_->find_first_of("0123456789") == 0) {
    request.draft = {estimate::DraftSource::stated, parse_duration("--draft", *draft_, times), "a time as given", 0};
  } else {
    const models::Model draft = naming_flag("--draft", [&] { return models::load_model(*draft_); });
    request.draft = estimate::draft_by_model(draft, placed, tokens);
  }
  answer.whole.speculation = estimate::study_speculation_on_wafers(placed, tokens, std::move(request));
}

void AnswerOptions::add_cost(report::EstimateAnswer& answer) const {
  if (!price_ && !dollars_per_hour_ && !watts_) return;
  estimate::CostRates rates{price_, dollars_per_hour_, {}};
  if (watts_) rates.watts = Watts{*watts_};
  const estimate::DecodeEstimate& decode = answer.decode;
  answer.whole.cost =
      estimate::answer_cost(*answer.whole.time, rates, decode.placement.wafers, estimate::busy_share(decode));
}

}  // namespace waferline::cli
