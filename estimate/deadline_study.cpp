#include <fmt/format.h>

#include <cmath>
#include <set>

#include "arch/error.hpp"
#include "estimate/deadline.hpp"

namespace waferline::estimate {
namespace {

void require_time(const char* flag, Seconds time) {
  if (std::isfinite(time.value) && time.value >= 0) return;
  throw ConfigError(fmt::format("--{}: is {} s, permitted are 0 s and more", flag, time.value));
}

void require_count(const char* flag, std::int64_t count, std::int64_t lowest) {
  if (count >= lowest) return;
  throw ConfigError(fmt::format("--{}: is {}, permitted are {} and more", flag, count, lowest));
}

void check_request(const DeadlineRequest& request) {
  if (!std::isfinite(request.deadline.value) || request.deadline.value <= 0) {
    throw ConfigError(fmt::format("--deadline: is {} s, permitted is more than 0 s", request.deadline.value));
  }
  require_time("overhead", request.overhead);
  require_time("tool-time", request.tool_time);
  require_time("check-time", request.check_time);
  require_count("answer-tokens", request.answer_tokens, 0);
  if (request.completion_cap && *request.completion_cap < request.answer_tokens) {
    throw ConfigError(fmt::format("--completion-cap: is {}, smaller than the {} of --answer-tokens: no answer fits",
                                  *request.completion_cap, request.answer_tokens));
  }
}

void check_systems(const DeadlineQuestion& question) {
  if (question.systems.empty()) throw ConfigError("--rate: no system is given, at least one rate is needed");
  if (question.baseline >= question.systems.size()) throw ConfigError("--baseline: names no given system");
  std::set<std::string> names;
  for (const RatedSystem& system : question.systems) {
    if (!names.insert(system.name).second) {
      throw ConfigError(fmt::format("--rate: {} is given twice, names must differ", system.name));
    }
    if (!std::isfinite(system.rate.value) || system.rate.value <= 0) {
      throw ConfigError(
          fmt::format("--rate: {} is {} tokens/s, permitted is more than 0", system.name, system.rate.value));
    }
  }
}

void check(const DeadlineQuestion& question) {
  check_request(question.request);
  check_systems(question);
  require_count("branches", question.branches, 1);
  if (!std::isfinite(question.times_budget) || question.times_budget < 1) {
    throw ConfigError(fmt::format("--times-budget: is {}, permitted are 1 and more", question.times_budget));
  }
  if (question.loop) {
    require_count("steps", question.loop->steps, 1);
    require_count("step-tokens", question.loop->step_tokens, 0);
    require_time("step-overhead", question.loop->step_overhead);
    require_time("step-tool-time", question.loop->step_tool_time);
  }
}

DeadlineOutcome outcome_of(const DeadlineQuestion& question, const RatedSystem& system, double baseline_budget) {
  const DeadlineRequest& request = question.request;
  DeadlineOutcome outcome;
  outcome.system = system;
  outcome.reasoning_tokens = reasoning_budget(request, system.rate);
  if (system.low) outcome.reasoning_tokens_low = reasoning_budget(request, *system.low);
  if (system.high) outcome.reasoning_tokens_high = reasoning_budget(request, *system.high);
  outcome.completion = completion_time(request, system.rate, outcome.reasoning_tokens);
  // With a budget of zero the answer alone decides; with a positive one the deadline is met by construction.
  outcome.in_time = outcome.reasoning_tokens > 0 || outcome.completion <= request.deadline;
  DeadlineRequest uncapped = request;
  uncapped.completion_cap.reset();
  outcome.capped = reasoning_budget(uncapped, system.rate) > outcome.reasoning_tokens;
  outcome.speedup = system.rate / question.systems[question.baseline].rate;
  if (baseline_budget > 0) outcome.ratio = outcome.reasoning_tokens / baseline_budget;
  outcome.total_tokens =
      static_cast<double>(question.branches) * (outcome.reasoning_tokens + static_cast<double>(request.answer_tokens));
  if (system.usd_per_million_output_tokens) {
    outcome.usd = outcome.total_tokens / 1e6 * *system.usd_per_million_output_tokens;
    outcome.usd_per_branch = *outcome.usd / static_cast<double>(question.branches);
  }
  if (question.loop) outcome.loop = loop_time(*question.loop, system.rate);
  return outcome;
}

DeadlineThresholds thresholds_of(const DeadlineQuestion& question, double baseline_budget) {
  const DeadlineRequest& request = question.request;
  DeadlineThresholds thresholds;
  thresholds.answer = rate_for_budget(request, 0);
  if (baseline_budget > 0) {
    thresholds.times_budget = rate_for_budget(request, question.times_budget * baseline_budget);
  }
  if (request.completion_cap) {
    thresholds.cap = rate_for_budget(request, static_cast<double>(*request.completion_cap - request.answer_tokens));
  }
  if (question.loop) thresholds.loop = rate_for_loop(*question.loop, request.deadline);
  return thresholds;
}

constexpr double lower = 0.8;
constexpr double upper = 1.2;

std::vector<double> budgets(const DeadlineQuestion& question, const DeadlineRequest& request, double rate_scale = 1) {
  std::vector<double> all;
  for (const RatedSystem& system : question.systems) all.push_back(reasoning_budget(request, system.rate * rate_scale));
  return all;
}

DeadlineRequest with_time(DeadlineRequest request, Seconds DeadlineRequest::*time, double scale) {
  request.*time = request.*time * scale;
  return request;
}

void add_time(DeadlineStudy& study, const char* key, Seconds DeadlineRequest::*time) {
  const DeadlineRequest& request = study.question.request;
  const double input = (request.*time).value;
  if (input == 0) return;
  study.sensitivity.push_back({key, lower * input, upper * input,
                               budgets(study.question, with_time(request, time, lower)),
                               budgets(study.question, with_time(request, time, upper))});
}

void add_answer_tokens(DeadlineStudy& study) {
  const DeadlineRequest& request = study.question.request;
  if (request.answer_tokens == 0) return;
  const auto scaled = [&](double scale) {
    DeadlineRequest changed = request;
    changed.answer_tokens = std::llround(static_cast<double>(request.answer_tokens) * scale);
    // A longer answer must still fit: the cap then leaves no reasoning at all.
    if (changed.completion_cap) changed.answer_tokens = std::min(changed.answer_tokens, *changed.completion_cap);
    return changed;
  };
  const DeadlineRequest shorter = scaled(lower);
  const DeadlineRequest longer = scaled(upper);
  study.sensitivity.push_back({"answer-tokens", static_cast<double>(shorter.answer_tokens),
                               static_cast<double>(longer.answer_tokens), budgets(study.question, shorter),
                               budgets(study.question, longer)});
}

}  // namespace

DeadlineStudy study_deadline(const DeadlineQuestion& question) {
  check(question);
  DeadlineStudy study;
  study.question = question;
  const double baseline_budget = reasoning_budget(question.request, question.systems[question.baseline].rate);
  for (const RatedSystem& system : question.systems) {
    study.outcomes.push_back(outcome_of(question, system, baseline_budget));
  }
  study.speedup_for_times = speedup_for_times(question.request, baseline_budget, question.times_budget);
  study.thresholds = thresholds_of(question, baseline_budget);
  // A factor on every rate: the inputs are factors, since the rates differ.
  study.sensitivity.push_back({"tokens_per_s", lower, upper, budgets(question, question.request, lower),
                               budgets(question, question.request, upper)});
  add_time(study, "deadline", &DeadlineRequest::deadline);
  add_time(study, "overhead", &DeadlineRequest::overhead);
  add_time(study, "tool-time", &DeadlineRequest::tool_time);
  add_time(study, "check-time", &DeadlineRequest::check_time);
  add_answer_tokens(study);
  return study;
}

}  // namespace waferline::estimate
