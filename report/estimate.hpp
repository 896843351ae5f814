#pragma once
// The speed of a model on wafers beside GPUs, as text and as JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "estimate/gpu.hpp"
#include "estimate/wafer.hpp"
#include "models/inspect.hpp"
#include "report/answer/whole_answer.hpp"
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

/// Tokens per second of all users of a pass: of the estimate, or the most that a bound allows.
struct RoofRate {
  std::string name;  ///< "estimate", or that of the bound
  double tokens_per_s = 0;
};

/// The same estimate at another context or number of users.
struct SeriesPoint {
  std::int64_t context_tokens = 0;
  std::int64_t users = 1;
  estimate::RateBand tokens_per_s;          ///< of one user
  double pipelined_tokens_per_s = 0;        ///< of all users, every stage busy
  std::vector<std::optional<double>> gpus;  ///< tokens/s of one user on each GPU system; nothing where it has no room
  std::vector<RoofRate> roof;               ///< the estimate, then each bound above 0 s
};

/// What the page draws beyond the answer: it is in the document too when a page is made.
struct PageSeries {
  std::vector<SeriesPoint> over_context;
  std::vector<SeriesPoint> over_users;
};

/// Everything that one estimate says.
struct EstimateAnswer {
  models::Inspection model;
  estimate::DecodeEstimate decode;
  std::int64_t usable_pes_per_wafer = 0;
  Extent usable_extent;  ///< rectangle of PEs of one wafer that programs can use
  std::vector<GpuAnswer> gpus;
  std::vector<traces::EndpointRow> published;             ///< speeds of this model on this wafer, oldest first
  std::optional<SpeculatingService> speculating_service;  ///< where `published` calls for it and the request does not
  std::optional<PageSeries> series;                       ///< only where a page is made
  WholeAnswer whole;                                      ///< from request to last token, where asked for
};

/// The answer first, then what limits it, bounds, memory, GPUs, and what moves the answer most.
Lines estimate_text(const EstimateAnswer& answer, const Page& page);

/// Schema 1, `estimate`.
std::string estimate_json(const EstimateAnswer& answer);

/// One self-contained page with charts. Its numbers carry their pointers into estimate_json of the same answer.
/// `command` is shown as what made it. Precondition: `answer.series` is there.
std::string estimate_html(const EstimateAnswer& answer, const std::string& command);

}  // namespace waferline::report
