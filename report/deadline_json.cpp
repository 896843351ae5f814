#include <nlohmann/json.hpp>

#include "report/deadline.hpp"
#include "report/json_parts.hpp"

namespace waferline::report {
namespace {

using Json = nlohmann::ordered_json;
using namespace estimate;

template <class Quantity>
Json value_or_null(const std::optional<Quantity>& quantity) {
  return quantity ? Json(quantity->value) : Json(nullptr);
}

Json inputs(const DeadlineQuestion& question) {
  const DeadlineRequest& request = question.request;
  Json json;
  json["deadline_s"] = request.deadline.value;
  json["overhead_s"] = request.overhead.value;
  json["tool_time_s"] = request.tool_time.value;
  json["check_time_s"] = request.check_time.value;
  json["answer_tokens"] = request.answer_tokens;
  json["completion_cap"] = request.completion_cap ? Json(*request.completion_cap) : Json(nullptr);
  json["baseline"] = question.systems[question.baseline].name;
  json["times_budget"] = question.times_budget;
  json["branches"] = question.branches;
  if (question.loop) {
    json["loop"] = {{"steps", question.loop->steps},
                    {"step_overhead_s", question.loop->step_overhead.value},
                    {"step_tokens", question.loop->step_tokens},
                    {"step_tool_time_s", question.loop->step_tool_time.value}};
  }
  return json;
}

Json system_json(const DeadlineOutcome& outcome, const std::optional<double>& speedup_needed) {
  Json json;
  json["name"] = outcome.system.name;
  json["tokens_per_s"] = outcome.system.rate.value;
  if (outcome.system.low && outcome.system.high) {
    json["tokens_per_s_low"] = outcome.system.low->value;
    json["tokens_per_s_high"] = outcome.system.high->value;
  }
  json["rate_source"] = outcome.system.source;
  json["reasoning_tokens"] = outcome.reasoning_tokens;
  if (outcome.reasoning_tokens_low && outcome.reasoning_tokens_high) {
    json["reasoning_tokens_low"] = *outcome.reasoning_tokens_low;
    json["reasoning_tokens_high"] = *outcome.reasoning_tokens_high;
  }
  json["ratio_to_baseline"] = or_null(outcome.ratio);
  json["speedup"] = outcome.speedup;
  json["speedup_needed"] = or_null(speedup_needed);
  json["loop_seconds"] = value_or_null(outcome.loop);
  json["in_time"] = outcome.in_time;
  json["limited_by"] = outcome.capped ? "completion_cap" : "deadline";
  json["completion_s"] = outcome.completion.value;
  json["total_tokens"] = outcome.total_tokens;
  json["usd"] = or_null(outcome.usd);
  json["usd_per_branch"] = or_null(outcome.usd_per_branch);
  return json;
}

Json thresholds_json(const DeadlineThresholds& thresholds) {
  Json json;
  json["answer_tokens_per_s"] = value_or_null(thresholds.answer);
  json["times_budget_tokens_per_s"] = value_or_null(thresholds.times_budget);
  json["completion_cap_tokens_per_s"] = value_or_null(thresholds.cap);
  json["loop_tokens_per_s"] = value_or_null(thresholds.loop);
  return json;
}

}  // namespace

std::string deadline_json(const DeadlineStudy& study) {
  Json json = document();
  json["inputs"] = inputs(study.question);
  json["systems"] = Json::array();
  for (const DeadlineOutcome& outcome : study.outcomes) {
    json["systems"].push_back(system_json(outcome, study.speedup_for_times));
  }
  json["thresholds"] = thresholds_json(study.thresholds);
  json["sensitivity"] = Json::array();
  for (const DeadlineSensitivity& line : study.sensitivity) {
    json["sensitivity"].push_back({{"key", line.key},
                                   {"input_low", line.input_low},
                                   {"input_high", line.input_high},
                                   {"reasoning_tokens_low", line.budget_low},
                                   {"reasoning_tokens_high", line.budget_high}});
  }
  return dumped(json);
}

}  // namespace waferline::report
