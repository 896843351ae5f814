#pragma once
// The speed of a model on wafers beside GPUs, as text and as JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "estimate/gpu.hpp"
#include "estimate/wafer.hpp"
#include "models/inspect.hpp"
#include "report/page.hpp"
#include "traces/endpoint_rows.hpp"

namespace waferline::report {

/// One GPU system: both answers, and why this engine speaks for it.
struct GpuAnswer {
  GpuEstimate estimate;
  std::string engine_reason;
};

/// Which software profile, with how many tokens a pass, stands for a service that speculates.
struct SpeculatingService {
  std::string software;
  double accepted_tokens = 1;
};

/// Everything that one estimate says.
struct EstimateAnswer {
  models::Inspection model;
  estimate::DecodeEstimate decode;
  std::int64_t usable_pes_per_wafer = 0;
  std::vector<GpuAnswer> gpus;
  std::vector<traces::EndpointRow> published;             ///< speeds of this model on this wafer, oldest first
  std::optional<SpeculatingService> speculating_service;  ///< where `published` calls for it and the request does not
};

/// The answer first, then what limits it, bounds, memory, GPUs, and what moves the answer most.
Lines estimate_text(const EstimateAnswer& answer, const Page& page);

/// Schema 1, `estimate`.
std::string estimate_json(const EstimateAnswer& answer);

}  // namespace waferline::report
