// Follows: definitions of docs/model/60-serving.md, F90.
#include "estimate/serving_summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace waferline::estimate {
namespace {

/// Tokens per second of all users at the number of users that gives most.
double greatest_rate(const ServingSystem& system) {
  double most = 0;
  for (std::size_t n = 0; n < system.token_time.size(); ++n) {
    most = std::max(most, static_cast<double>(n + 1) / system.token_time[n].value);
  }
  return most;
}

}  // namespace

Percentiles percentiles(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](std::size_t percent) { return values[(percent * values.size() + 99) / 100 - 1]; };
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {at(50), at(90), at(99), sum / static_cast<double>(values.size())};
}

ServingSummary summarise(const ServingSystem& system, std::span<const ServingRequest> requests, const ServingRun& run) {
  if (requests.size() != run.requests.size()) throw std::invalid_argument("summarise: a run of other requests");
  ServingSummary summary;
  std::vector<double> ttft;
  std::vector<double> tpot;
  std::vector<double> rates;
  std::vector<double> end_to_end;
  double tokens = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const ServedRequest& served = run.requests[i];
    if (served.refused) {
      ++summary.refused;
      continue;
    }
    const auto more = static_cast<double>(requests[i].output_tokens - 1);
    ttft.push_back((served.first_token - requests[i].arrival).value);
    end_to_end.push_back((served.finished - requests[i].arrival).value);
    tokens += more + 1;
    if (more == 0) continue;
    tpot.push_back((served.finished - served.first_token).value / more);
    rates.push_back(1 / tpot.back());
  }
  summary.served = static_cast<std::int64_t>(ttft.size());
  const auto served = static_cast<double>(summary.served);
  summary.ttft_s = percentiles(std::move(ttft));
  summary.tpot_s = percentiles(std::move(tpot));
  summary.tokens_per_s_per_user = percentiles(std::move(rates));
  summary.end_to_end_s = percentiles(std::move(end_to_end));
  if (summary.served == 0) return summary;
  const double span = (run.end - requests.front().arrival).value;
  if (!(span > 0)) return summary;
  summary.output_tokens_per_s = tokens / span;
  summary.requests_per_s = served / span;
  summary.prefill_utilisation = run.prefill_busy.value / span;
  summary.decode_utilisation = (tokens - served) / span / greatest_rate(system);
  summary.mean_decoding_users = run.decoding_users.value / span;
  return summary;
}

}  // namespace waferline::estimate
