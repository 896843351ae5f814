#pragma once
// From tokens per second to what fits before a deadline: T = F + (B + A)/s + U + V.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/units.hpp"

namespace waferline::estimate {

/// One request that must be answered in time. Tokens are generated one after the other, first B of reasoning, then A of
/// answer.
struct DeadlineRequest {
  Seconds deadline;                            // T, more than 0
  Seconds overhead;                            // F: request, queue, prefill and first token
  Seconds tool_time;                           // U
  Seconds check_time;                          // V
  std::int64_t answer_tokens = 0;              // A
  std::optional<std::int64_t> completion_cap;  // C: most tokens of reasoning and answer together; at least A
};

/// Steps taken one after the other, all alike.
struct AgentLoop {
  std::int64_t steps = 0;
  Seconds step_overhead;         // fixed time of a step: request, queue, prefill and first token
  std::int64_t step_tokens = 0;  // output tokens of a step
  Seconds step_tool_time;
};

/// T - F - U - V: what is left to generate tokens in; not positive if the fixed times alone miss the deadline.
Seconds decoding_time(const DeadlineRequest& request);

/// Reasoning tokens B that fit, max(0, min{s (T - F - U - V) - A, C - A}); a real number, 0 if the answer itself is
/// late. Model: F61.
double reasoning_budget(const DeadlineRequest& request, TokensPerSecond rate);

/// When the answer is complete, F + (B + A)/s + U + V. Model: F60.
Seconds completion_time(const DeadlineRequest& request, TokensPerSecond rate, double reasoning_tokens);

/// Speed-up over the baseline that gives `times` its reasoning budget B0, (times B0 + A)/(B0 + A). Nothing if B0 is 0
/// (no multiple of it is more) or if times B0 + A exceeds the completion cap (no speed reaches it). Model: F62.
std::optional<double> speedup_for_times(const DeadlineRequest& request, double baseline_budget, double times);

/// Slowest rate at which `reasoning_tokens` and the answer are complete at the deadline. Nothing if the fixed times
/// leave no time, or if the cap is exceeded. Model: F63.
std::optional<TokensPerSecond> rate_for_budget(const DeadlineRequest& request, double reasoning_tokens);

/// Time of the whole loop, steps (overhead + tokens/s + tool time). Model: F64.
Seconds loop_time(const AgentLoop& loop, TokensPerSecond rate);

/// Slowest rate at which the loop is done at the deadline; nothing if its fixed times alone take as long. Model: F64.
std::optional<TokensPerSecond> rate_for_loop(const AgentLoop& loop, Seconds deadline);

/// A system to compare, with its rate for one user and where that rate comes from.
struct RatedSystem {
  std::string name;
  TokensPerSecond rate;
  std::optional<TokensPerSecond> low;  // band of an estimate
  std::optional<TokensPerSecond> high;
  std::string source;                                   // "given", "estimate of ...", "published: ..."
  std::optional<double> usd_per_million_output_tokens;  // price as given
};

/// Everything that a comparison under a deadline is asked.
struct DeadlineQuestion {
  DeadlineRequest request;
  std::optional<AgentLoop> loop;
  std::vector<RatedSystem> systems;  // at least one
  std::size_t baseline = 0;          // index into `systems`
  double times_budget = 4;           // m
  std::int64_t branches = 1;         // answers generated side by side, each at the full rate
};

/// One system's answer. Ratios are to the baseline.
struct DeadlineOutcome {
  RatedSystem system;
  double reasoning_tokens = 0;                 // B of each branch
  std::optional<double> reasoning_tokens_low;  // at the band of the rate
  std::optional<double> reasoning_tokens_high;
  bool in_time = false;         // the answer alone is complete at the deadline
  bool capped = false;          // the completion cap, not the deadline, limits B
  Seconds completion;           // when the answer is complete
  double speedup = 1;           // s / s0
  std::optional<double> ratio;  // B / B0; nothing if B0 is 0
  double total_tokens = 0;      // branches (B + A)
  std::optional<double> usd;    // of all branches, output tokens only
  std::optional<double> usd_per_branch;
  std::optional<Seconds> loop;
};

/// Rates from which something is possible; nothing where no rate is enough.
struct DeadlineThresholds {
  std::optional<TokensPerSecond> answer;        // the answer without any reasoning
  std::optional<TokensPerSecond> times_budget;  // m times the baseline's budget
  std::optional<TokensPerSecond> cap;           // the completion cap is used up; nothing also without a cap
  std::optional<TokensPerSecond> loop;          // the loop is done; nothing also without a loop
};

/// What a change of one input by a fifth does to one system's budget.
struct DeadlineSensitivity {
  std::string key;       // name of the command-line flag without dashes, or "tokens_per_s"
  double input_low = 0;  // 0.8 and 1.2 times the input, in seconds or tokens; for the rates the factors
  double input_high = 0;
  std::vector<double> budget_low;   // reasoning tokens of each system at `input_low`
  std::vector<double> budget_high;  // ... and at `input_high`
};

struct DeadlineStudy {
  DeadlineQuestion question;
  std::vector<DeadlineOutcome> outcomes;    // in the order of `question.systems`
  std::optional<double> speedup_for_times;  // over the baseline, see above
  DeadlineThresholds thresholds;
  std::vector<DeadlineSensitivity> sensitivity;  // inputs that are 0 are left out
};

/// Answers the question.
/// Errors: ConfigError naming the flag if a time or count is negative, the deadline is not positive, a rate is not a
/// positive finite number, a name comes twice, or the cap is smaller than the answer.
DeadlineStudy study_deadline(const DeadlineQuestion& question);

}  // namespace waferline::estimate
