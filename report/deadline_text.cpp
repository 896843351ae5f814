#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/deadline.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using namespace estimate;

std::string fixed_times(const DeadlineRequest& request) {
  std::string text = plain_seconds(request.overhead) + " overhead";
  if (request.tool_time.value > 0) text += " + " + plain_seconds(request.tool_time) + " tools";
  if (request.check_time.value > 0) text += " + " + plain_seconds(request.check_time) + " checking";
  return text;
}

Lines heading(const DeadlineQuestion& question, const Page& page) {
  const DeadlineRequest& request = question.request;
  std::string text = fmt::format("{} = {} + (B reasoning + {} answer tokens) / rate", plain_seconds(request.deadline),
                                 fixed_times(request), count_text(request.answer_tokens));
  if (request.completion_cap) {
    text += fmt::format(", reasoning and answer at most {} tokens", count_text(*request.completion_cap));
  }
  Lines lines{fmt::format("Reasoning that fits before a deadline of {}", plain_seconds(request.deadline))};
  append(lines, wrapped(text, page.width, 2));
  return lines;
}

/// A rate that was given is shown as given, an estimate only as far as it is known.
std::string rate_cell(const RatedSystem& system) {
  return system.low ? rate_text(system.rate.value) : plain_number(system.rate.value);
}

std::string budget_cell(const DeadlineOutcome& outcome) {
  if (!outcome.in_time) return "late";
  return whole(outcome.reasoning_tokens) + (outcome.capped ? " (cap)" : "");
}

std::string band_cell(const DeadlineOutcome& outcome) {
  if (!outcome.reasoning_tokens_low || !outcome.reasoning_tokens_high) return "";
  return fmt::format("{} to {}", whole(*outcome.reasoning_tokens_low), whole(*outcome.reasoning_tokens_high));
}

Lines outcome_table(const DeadlineStudy& study, const Page& page) {
  const auto any = [&](const auto& holds) { return std::any_of(study.outcomes.begin(), study.outcomes.end(), holds); };
  const bool bands = any([](const DeadlineOutcome& o) { return o.reasoning_tokens_low.has_value(); });
  const bool prices = any([](const DeadlineOutcome& o) { return o.usd.has_value(); });
  std::vector<Table::Column> columns{{"system", Align::wrap},    {"tokens/s", Align::right}, {"speed-up", Align::right},
                                     {"B tokens", Align::right}, {"B ratio", Align::right},  {"done at", Align::right}};
  if (bands) columns.push_back({"B band", Align::right});
  const bool branches = prices && study.question.branches > 1;
  if (branches) columns.push_back({"US$ each", Align::right});
  if (prices) columns.push_back({branches ? "US$ all" : "US$", Align::right});
  Table table(columns);
  for (const DeadlineOutcome& outcome : study.outcomes) {
    std::vector<std::string> cells{outcome.system.name,
                                   rate_cell(outcome.system),
                                   times_text(outcome.speedup),
                                   budget_cell(outcome),
                                   outcome.ratio ? times_text(*outcome.ratio) : "-",
                                   fmt::format("{} s", significant(outcome.completion.value, 3))};
    if (bands) cells.push_back(band_cell(outcome));
    if (branches) cells.push_back(outcome.usd_per_branch ? significant(*outcome.usd_per_branch, 3) : "");
    if (prices) cells.push_back(outcome.usd ? significant(*outcome.usd, 3) : "");
    table.add(std::move(cells));
  }
  return table.lines(page);
}

/// The sentence on m times the baseline's budget.
std::string multiple_text(const DeadlineStudy& study) {
  const DeadlineQuestion& question = study.question;
  const std::string& baseline = question.systems[question.baseline].name;
  const double budget = study.outcomes[question.baseline].reasoning_tokens;
  const std::string wanted = fmt::format("{:g} times the budget of {}", question.times_budget, baseline);
  if (budget <= 0) return fmt::format("{}: it has none, so no multiple is more.", wanted);
  if (!study.speedup_for_times) {
    return fmt::format("{} ({} tokens) exceeds the completion cap: no speed reaches it.", wanted,
                       whole(question.times_budget * budget));
  }
  return fmt::format("{} ({} tokens) needs {} its speed, {} tokens/s.", wanted, whole(question.times_budget * budget),
                     times_text(*study.speedup_for_times), rate_text(study.thresholds.times_budget->value));
}

Lines loop_table(const DeadlineStudy& study, const Page& page) {
  const AgentLoop& loop = *study.question.loop;
  Lines lines{""};
  append(lines, wrapped(fmt::format("Agent loop: {} steps, each {} fixed + {} tokens + {} tools",
                                    count_text(loop.steps), plain_seconds(loop.step_overhead),
                                    count_text(loop.step_tokens), plain_seconds(loop.step_tool_time)),
                        page.width, 0, 2));
  double slowest = 0;
  for (const DeadlineOutcome& outcome : study.outcomes) slowest = std::max(slowest, outcome.loop->value);
  Table table({{"", Align::wrap}, {"", Align::right}, {""}});
  for (const DeadlineOutcome& outcome : study.outcomes) {
    table.add({outcome.system.name, fmt::format("{:.1f} s", outcome.loop->value),
               bar(slowest > 0 ? outcome.loop->value / slowest : 0, page.width / 3, page.unicode)});
  }
  append(lines, table.lines(page));
  return lines;
}

std::string threshold(const std::optional<TokensPerSecond>& rate) {
  return rate ? rate_text(rate->value) + " tokens/s" : "no rate";
}

Lines threshold_table(const DeadlineStudy& study, const Page& page) {
  const DeadlineQuestion& question = study.question;
  Table table({{"", Align::wrap}, {"", Align::right}});
  table.add({"the answer without reasoning", threshold(study.thresholds.answer)});
  table.add({fmt::format("{:g} times the baseline's budget", question.times_budget),
             threshold(study.thresholds.times_budget)});
  if (question.request.completion_cap) table.add({"all of the completion cap", threshold(study.thresholds.cap)});
  if (question.loop) {
    table.add({fmt::format("the agent loop within {}", plain_seconds(question.request.deadline)),
               threshold(study.thresholds.loop)});
  }
  Lines lines{"", "Slowest rate that makes it"};
  append(lines, table.lines(page));
  return lines;
}

Lines sensitivity_table(const DeadlineStudy& study, const Page& page) {
  std::vector<Table::Column> columns{{"B tokens with", Align::left}};
  // As many systems as a page holds; the rest is in the JSON.
  const std::size_t shown = std::min<std::size_t>(study.outcomes.size(), static_cast<std::size_t>(page.width) / 24);
  for (std::size_t i = 0; i < shown; ++i) columns.push_back({study.outcomes[i].system.name, Align::right});
  Table table(columns);
  for (const DeadlineSensitivity& line : study.sensitivity) {
    std::vector<std::string> cells{fmt::format("{} -20 % / +20 %", line.key == "tokens_per_s" ? "rate" : line.key)};
    for (std::size_t i = 0; i < shown; ++i) {
      cells.push_back(fmt::format("{} / {}", whole(line.budget_low[i]), whole(line.budget_high[i])));
    }
    table.add(std::move(cells));
  }
  Lines lines{"", "What moves the budget"};
  append(lines, table.lines(page));
  if (shown < study.outcomes.size()) {
    lines.push_back(fmt::format("  ({} more in the JSON)", study.outcomes.size() - shown));
  }
  return lines;
}

/// How far each input's fifth moves the baseline's budget, as bars, the longest first.
Lines sensitivity_plot(const DeadlineStudy& study, const Page& page) {
  const std::size_t baseline = study.question.baseline;
  std::vector<std::pair<double, std::string>> swings;
  for (const DeadlineSensitivity& line : study.sensitivity) {
    swings.emplace_back(std::abs(line.budget_high[baseline] - line.budget_low[baseline]),
                        line.key == "tokens_per_s" ? "rate" : line.key);
  }
  std::stable_sort(swings.begin(), swings.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (swings.empty() || swings.front().first <= 0) return {};
  Table table({{""}, {"", Align::right}, {""}});
  for (const auto& [swing, key] : swings) {
    table.add({key, whole(swing), bar(swing / swings.front().first, page.width / 3, page.unicode)});
  }
  Lines lines{"", fmt::format("Tokens between the two ends, {}", study.outcomes[baseline].system.name)};
  append(lines, table.lines(page));
  return lines;
}

Lines sources(const DeadlineStudy& study, const Page& page) {
  Lines lines{"", "Rates"};
  Table table({{""}, {"", Align::wrap}});
  for (const DeadlineOutcome& outcome : study.outcomes) table.add({outcome.system.name, outcome.system.source});
  append(lines, table.lines(page));
  return lines;
}

}  // namespace

Lines deadline_text(const DeadlineStudy& study, const Page& page) {
  Lines lines = heading(study.question, page);
  lines.emplace_back();
  append(lines, outcome_table(study, page));
  lines.emplace_back();
  append(lines, wrapped(multiple_text(study), page.width, 2));
  if (study.question.branches > 1) {
    append(lines, wrapped(fmt::format("{} branches side by side, each with the budget above; the price is for all.",
                                      count_text(study.question.branches)),
                          page.width, 2));
  }
  if (study.question.loop) append(lines, loop_table(study, page));
  append(lines, threshold_table(study, page));
  append(lines, sensitivity_table(study, page));
  append(lines, sensitivity_plot(study, page));
  append(lines, sources(study, page));
  return lines;
}

}  // namespace waferline::report
