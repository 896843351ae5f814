#pragma once
// Many users on one system, as text and as JSON.

#include <string>
#include <vector>

#include "estimate/serving_summary.hpp"
#include "report/page.hpp"

namespace waferline::report {

struct ServingAnswer {
  std::string model;
  std::string system;  ///< "stated" if its times are
  std::string software;
  std::int64_t wafers = 0;  ///< 0: times as stated, no model, software and context
  std::string workload;     ///< where the requests come from
  estimate::ServingSystem serving;
  Seconds pass;  ///< one token through all stages
  Seconds slowest_stage;
  std::int64_t context_tokens = 0;  ///< at which they were estimated
  std::string prefill_source;
  estimate::ServingSummary summary;
  std::vector<estimate::LoadPoint> curve;  ///< empty for a recorded workload
};

/// The answer for people: latencies first, then what is busy, then the curve.
Lines serving_text(const ServingAnswer& answer, const Page& page);

/// Schema 1, `serve`.
std::string serving_json(const ServingAnswer& answer);

}  // namespace waferline::report
