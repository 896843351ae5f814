// Follows: docs/model/60-serving.md, F97.
#include "estimate/answer/answer_cost.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/error.hpp"

namespace waferline::estimate {
namespace {

constexpr double seconds_per_hour = 3'600;

void require_rate(const char* flag, double rate) {
  if (rate >= 0) return;
  throw ConfigError(fmt::format("{}: is {}, permitted is 0 or more", flag, rate));
}

CostShare share(Seconds time, const CostRates& rates, std::int64_t wafers) {
  CostShare share;
  share.system_time = time * static_cast<double>(wafers);
  if (rates.usd_per_hour) share.usd = share.system_time.value / seconds_per_hour * *rates.usd_per_hour;
  if (rates.watts) share.joules = share.system_time.value * rates.watts->value;
  return share;
}

}  // namespace

BusyShare busy_share(const DecodeEstimate& decode) {
  // More users than stages of the slowest one's length only wait for each other.
  const double stages = decode.pass.expected / decode.slowest_stage;
  BusyShare busy;
  busy.users = std::max(1.0, std::min(static_cast<double>(decode.placement.max_users), stages));
  busy.time_per_token = decode.pass.expected / busy.users / decode.request.accepted_tokens;
  return busy;
}

AnswerCost answer_cost(const AnswerTime& answer, const CostRates& rates, std::int64_t wafers, const BusyShare& busy) {
  require_rate("--price-per-million", rates.usd_per_million_output_tokens.value_or(0));
  require_rate("--dollars-per-hour", rates.usd_per_hour.value_or(0));
  require_rate("--watts", rates.watts.value_or(Watts{}).value);
  AnswerCost cost;
  cost.rates = rates;
  cost.wafers = wafers;
  cost.users_when_busy = busy.users;
  const auto output = static_cast<double>(answer.request.output_tokens);
  if (rates.usd_per_million_output_tokens) cost.usd_by_price = output / 1e6 * *rates.usd_per_million_output_tokens;
  cost.alone = share(answer.end_to_end.expected, rates, wafers);
  // Prefill elsewhere is another system's, and neither wait nor transfer keeps this one busy.
  const Seconds prefill = answer.transfer ? Seconds{} : answer.prefill.busiest_stage;
  cost.busy = share(prefill + busy.time_per_token * output, rates, wafers);
  return cost;
}

}  // namespace waferline::estimate
