#pragma once
// What an answer costs in dollars and joules, from a price list or from what a system is rated at.

#include <cstdint>
#include <optional>

#include "estimate/answer/answer_time.hpp"

namespace waferline::estimate {

/// Rates as they are given. Those of a system are of one wafer and count whether it is busy or not.
struct CostRates {
  std::optional<double> usd_per_million_output_tokens;
  std::optional<double> usd_per_hour;
  std::optional<Watts> watts;  ///< nameplate: nobody measured what an answer draws
};

/// One answer, as the only one on the system or as one of as many as keep it busiest.
struct CostShare {
  Seconds system_time;  ///< of all wafers together, that this answer is charged
  std::optional<double> usd;
  std::optional<double> joules;
};

struct AnswerCost {
  CostRates rates;
  std::int64_t wafers = 0;
  std::optional<double> usd_by_price;  ///< output tokens x price
  CostShare alone;                     ///< end-to-end time
  CostShare busy;                      ///< prefill and output tokens at the rate of all users together
  double users_when_busy = 1;
};

/// As many users as keep the pipeline busiest, and what a token of each then takes of the system.
struct BusyShare {
  double users = 1;
  Seconds time_per_token;
};
BusyShare busy_share(const DecodeEstimate& decode);

/// Model: F97. Errors: ConfigError naming the flag for a rate that is negative.
AnswerCost answer_cost(const AnswerTime& answer, const CostRates& rates, std::int64_t wafers, const BusyShare& busy);

}  // namespace waferline::estimate
