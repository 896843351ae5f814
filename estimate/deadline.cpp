// Follows: "The deadline dividend" (https://deadline-dividend.onrender.com/), T = F + (B + A)/s + U + V; docs/model.md,
// F60 to F64.
#include "estimate/deadline.hpp"

#include <algorithm>
#include <limits>

namespace waferline::estimate {
namespace {

double tokens_in(Seconds time, TokensPerSecond rate) {
  return time.value * rate.value;
}

double largest_budget(const DeadlineRequest& request) {
  if (!request.completion_cap) return std::numeric_limits<double>::infinity();
  return static_cast<double>(*request.completion_cap - request.answer_tokens);
}

Seconds fixed_loop_time(const AgentLoop& loop) {
  return static_cast<double>(loop.steps) * (loop.step_overhead + loop.step_tool_time);
}

double loop_tokens(const AgentLoop& loop) {
  return static_cast<double>(loop.steps) * static_cast<double>(loop.step_tokens);
}

}  // namespace

Seconds decoding_time(const DeadlineRequest& request) {
  return request.deadline - request.overhead - request.tool_time - request.check_time;
}

double reasoning_budget(const DeadlineRequest& request, TokensPerSecond rate) {
  const double in_time = tokens_in(decoding_time(request), rate) - static_cast<double>(request.answer_tokens);
  return std::max(0.0, std::min(in_time, largest_budget(request)));
}

Seconds completion_time(const DeadlineRequest& request, TokensPerSecond rate, double reasoning_tokens) {
  return request.overhead + time_for(reasoning_tokens + static_cast<double>(request.answer_tokens), rate) +
         request.tool_time + request.check_time;
}

std::optional<double> speedup_for_times(const DeadlineRequest& request, double baseline_budget, double times) {
  const auto answer = static_cast<double>(request.answer_tokens);
  if (baseline_budget <= 0 || times * baseline_budget > largest_budget(request)) return std::nullopt;
  return (times * baseline_budget + answer) / (baseline_budget + answer);
}

std::optional<TokensPerSecond> rate_for_budget(const DeadlineRequest& request, double reasoning_tokens) {
  const Seconds time = decoding_time(request);
  if (time <= Seconds{0} || reasoning_tokens > largest_budget(request)) return std::nullopt;
  return TokensPerSecond{(reasoning_tokens + static_cast<double>(request.answer_tokens)) / time.value};
}

Seconds loop_time(const AgentLoop& loop, TokensPerSecond rate) {
  return fixed_loop_time(loop) + time_for(loop_tokens(loop), rate);
}

std::optional<TokensPerSecond> rate_for_loop(const AgentLoop& loop, Seconds deadline) {
  const Seconds left = deadline - fixed_loop_time(loop);
  if (left <= Seconds{0}) return std::nullopt;
  return TokensPerSecond{loop_tokens(loop) / left.value};
}

}  // namespace waferline::estimate
