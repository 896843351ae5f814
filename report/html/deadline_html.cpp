#include <fmt/format.h>

#include "report/deadline.hpp"
#include "report/html/chart.hpp"
#include "report/html/markup.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using namespace estimate;

Shown tokens(std::string key, double value) {
  return {std::move(key), value, whole(value)};
}

/// An estimate with the digits that it has; what was given or published in full.
Shown rate(std::string key, const RatedSystem& system) {
  return {std::move(key), system.rate.value,
          system.low ? rate_text(system.rate.value) : plain_number(system.rate.value)};
}

Shown seconds(std::string key, Seconds value) {
  return {std::move(key), value.value, plain_seconds(value)};
}

Quoted name_of(const DeadlineStudy& study, std::size_t system) {
  return {fmt::format("/systems/{}/name", system), study.outcomes[system].system.name};
}

std::string lead(const DeadlineStudy& study) {
  const DeadlineRequest& request = study.question.request;
  std::string text = "<ul class=\"answer\">\n";
  for (std::size_t i = 0; i < study.outcomes.size(); ++i) {
    const DeadlineOutcome& outcome = study.outcomes[i];
    const std::string key = fmt::format("/systems/{}", i);
    text += fmt::format("<li>{}: {} reasoning tokens at {} tokens/s{}</li>\n", quoted(name_of(study, i)),
                        shown(tokens(key + "/reasoning_tokens", outcome.reasoning_tokens)),
                        shown(rate(key + "/tokens_per_s", outcome.system)),
                        outcome.in_time ? "" : "; the answer alone is late");
  }
  text += fmt::format(
      "</ul>\n<p>Deadline {}, of which overhead {}, tools {} and checking {} are fixed; the answer takes {} "
      "tokens.{}</p>\n",
      shown(seconds("/inputs/deadline_s", request.deadline)), shown(seconds("/inputs/overhead_s", request.overhead)),
      shown(seconds("/inputs/tool_time_s", request.tool_time)),
      shown(seconds("/inputs/check_time_s", request.check_time)),
      shown(tokens("/inputs/answer_tokens", static_cast<double>(request.answer_tokens))),
      request.completion_cap
          ? " Reasoning and answer together end at " +
                shown(tokens("/inputs/completion_cap", static_cast<double>(*request.completion_cap))) + " tokens."
          : "");
  return text;
}

std::vector<std::string> outcome_row(const DeadlineStudy& study, std::size_t system) {
  const DeadlineOutcome& outcome = study.outcomes[system];
  const std::string key = fmt::format("/systems/{}", system);
  std::vector<std::string> row{quoted(name_of(study, system)), shown(rate(key + "/tokens_per_s", outcome.system)),
                               shown(tokens(key + "/reasoning_tokens", outcome.reasoning_tokens))};
  row.push_back(outcome.ratio ? shown({key + "/ratio_to_baseline", *outcome.ratio, times_text(*outcome.ratio)}) : "-");
  row.push_back(shown({key + "/speedup", outcome.speedup, times_text(outcome.speedup)}));
  row.push_back(shown({key + "/completion_s", outcome.completion.value, seconds_text(outcome.completion)}));
  row.push_back(shown(tokens(key + "/total_tokens", outcome.total_tokens)));
  row.push_back(outcome.usd ? "$" + shown({key + "/usd", *outcome.usd, significant(*outcome.usd, 3)}) : "-");
  row.emplace_back(outcome.capped ? "the cap" : outcome.in_time ? "the deadline" : "too late");
  return row;
}

std::string budget_section(const DeadlineStudy& study) {
  std::vector<Bar> bars;
  std::vector<double> budgets;
  HtmlTable table{"What fits on each system",
                  {"system", "tokens/s", "reasoning tokens", "of the baseline's", "speed-up", "complete after",
                   "tokens in all", "cost", "limited by"},
                  {},
                  {false, true, true, true, true, true, true, true}};
  for (std::size_t i = 0; i < study.outcomes.size(); ++i) {
    const DeadlineOutcome& outcome = study.outcomes[i];
    const std::string key = fmt::format("/systems/{}", i);
    table.rows.push_back(outcome_row(study, i));
    bars.push_back({name_of(study, i), "", tokens(key + "/reasoning_tokens", outcome.reasoning_tokens), 0,
                    outcome.reasoning_tokens, outcome.reasoning_tokens_low, outcome.reasoning_tokens_high,
                    i == study.question.baseline ? 1 : 0});
  }
  const std::string chart =
      bar_chart({"budgets", "Reasoning tokens before the deadline", "One bar for each system, with its band if known."},
                bars, {"reasoning tokens"}, false);
  return section_html("budgets", "Reasoning tokens that fit",
                      figure_html("The baseline in its own colour", chart) + table_html(table));
}

std::string loop_section(const DeadlineStudy& study) {
  if (!study.question.loop) return {};
  const AgentLoop& loop = *study.question.loop;
  std::vector<Bar> bars;
  HtmlTable table{"Time of the whole loop", {"system", "time"}, {}, {false, true}};
  for (std::size_t i = 0; i < study.outcomes.size(); ++i) {
    const DeadlineOutcome& outcome = study.outcomes[i];
    if (!outcome.loop) continue;
    const Shown time{fmt::format("/systems/{}/loop_seconds", i), outcome.loop->value, seconds_text(*outcome.loop)};
    bars.push_back({name_of(study, i), "", time, 0, time.value, {}, {}, i == study.question.baseline ? 1 : 0});
    table.rows.push_back({quoted(name_of(study, i)), shown(time)});
  }
  const std::string what =
      fmt::format("<p>{} steps, one after the other, each with {} overhead, {} output tokens and {} in tools.</p>\n",
                  shown(tokens("/inputs/loop/steps", static_cast<double>(loop.steps))),
                  shown(seconds("/inputs/loop/step_overhead_s", loop.step_overhead)),
                  shown(tokens("/inputs/loop/step_tokens", static_cast<double>(loop.step_tokens))),
                  shown(seconds("/inputs/loop/step_tool_time_s", loop.step_tool_time)));
  const std::string chart =
      bar_chart({"loop", "Time of the agent loop", "One bar for each system."}, bars, {"seconds"}, false);
  return section_html("loop", "Agent loop",
                      what + pair_html(figure_html("Shorter is better", chart), table_html(table)));
}

std::string threshold_section(const DeadlineStudy& study) {
  const DeadlineThresholds& thresholds = study.thresholds;
  HtmlTable table{"Slowest rate at which it is possible", {"what", "tokens/s"}, {}, {false, true}};
  const auto add = [&](const std::string& what, const char* key, const std::optional<TokensPerSecond>& value) {
    table.rows.push_back(
        {what, value ? shown({std::string("/thresholds/") + key, value->value, significant(value->value, 5)})
                     : "no rate is enough"});
  };
  add("the answer without any reasoning", "answer_tokens_per_s", thresholds.answer);
  add(shown({"/inputs/times_budget", study.question.times_budget, plain_number(study.question.times_budget)}) +
          " times the baseline's budget",
      "times_budget_tokens_per_s", thresholds.times_budget);
  if (study.question.request.completion_cap)
    add("the completion cap used up", "completion_cap_tokens_per_s", thresholds.cap);
  if (study.question.loop) add("the agent loop done", "loop_tokens_per_s", thresholds.loop);
  return section_html("thresholds", "Which speed is needed", table_html(table));
}

/// What each input does to one system's budget.
std::string sensitivity_chart(const DeadlineStudy& study, std::size_t system) {
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < study.sensitivity.size(); ++i) {
    const DeadlineSensitivity& line = study.sensitivity[i];
    const std::string key = fmt::format("/sensitivity/{}", i);
    if (line.budget_low[system] == line.budget_high[system]) continue;
    ranges.push_back({{key + "/key", line.key},
                      tokens(fmt::format("{}/reasoning_tokens_low/{}", key, system), line.budget_low[system]),
                      tokens(fmt::format("{}/reasoning_tokens_high/{}", key, system), line.budget_high[system])});
  }
  return range_chart({fmt::format("sensitivity-{}", system), "What moves the reasoning tokens of one system",
                      "Reasoning tokens with one input a fifth smaller and a fifth larger, around the answer."},
                     ranges, study.outcomes[system].reasoning_tokens, {"reasoning tokens"});
}

HtmlTable sensitivity_table(const DeadlineStudy& study) {
  HtmlTable table{"Reasoning tokens with one input a fifth smaller and a fifth larger", {"input"}, {}, {false}};
  for (std::size_t s = 0; s < study.outcomes.size(); ++s) {
    table.headings.push_back(quoted(name_of(study, s)) + ", smaller");
    table.headings.push_back(quoted(name_of(study, s)) + ", larger");
    table.numeric.insert(table.numeric.end(), {true, true});
  }
  for (std::size_t i = 0; i < study.sensitivity.size(); ++i) {
    const DeadlineSensitivity& line = study.sensitivity[i];
    const std::string key = fmt::format("/sensitivity/{}", i);
    std::vector<std::string> row{quoted({key + "/key", line.key})};
    for (std::size_t s = 0; s < line.budget_low.size(); ++s) {
      row.push_back(shown(tokens(fmt::format("{}/reasoning_tokens_low/{}", key, s), line.budget_low[s])));
      row.push_back(shown(tokens(fmt::format("{}/reasoning_tokens_high/{}", key, s), line.budget_high[s])));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string sensitivity_section(const DeadlineStudy& study) {
  std::string charts = "<div class=\"pair\">\n";
  for (std::size_t s = 0; s < study.outcomes.size(); ++s) {
    const std::string chart = sensitivity_chart(study, s);
    if (chart.empty()) continue;  // the answer is late whatever the input
    charts += fmt::format("<figure><figcaption>{}; the line is the answer</figcaption>\n{}</figure>\n",
                          quoted(name_of(study, s)), chart);
  }
  return section_html("sensitivity", "What moves the answer",
                      charts + "</div>\n" + table_html(sensitivity_table(study)));
}

std::string sources_section(const DeadlineStudy& study) {
  HtmlTable sources{"Where the rates come from", {"system", "source"}, {}, {}, false, true};
  for (std::size_t s = 0; s < study.outcomes.size(); ++s) {
    sources.rows.push_back({quoted(name_of(study, s)),
                            quoted({fmt::format("/systems/{}/rate_source", s), study.outcomes[s].system.source})});
  }
  return section_html("sources", "What it rests on",
                      paragraph_html("T = F + (B + A)/s + U + V: deadline, overhead, reasoning and answer tokens at s "
                                     "tokens per second, tools, checking. Tokens come one after the other.") +
                          table_html(sources));
}

}  // namespace

std::string deadline_html(const DeadlineStudy& study, const std::string& command) {
  HtmlPage page;
  const Seconds deadline = study.question.request.deadline;
  page.title = fmt::format("What fits in {}", plain_seconds(deadline));
  page.heading = "What fits in " + shown(seconds("/inputs/deadline_s", deadline));
  page.lead = lead(study);
  page.body = budget_section(study) + loop_section(study) + threshold_section(study) + sensitivity_section(study) +
              sources_section(study);
  page.command = command;
  return page_html(page);
}

}  // namespace waferline::report
