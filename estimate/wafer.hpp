#pragma once
// How long one decoded token takes on wafers, what the time is made of, and how sure the figure is.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/software.hpp"
#include "arch/units.hpp"
#include "arch/wafer.hpp"
#include "mapping/placement.hpp"
#include "mapping/plan_file.hpp"
#include "models/model.hpp"

namespace waferline::estimate {

struct DecodeRequest {
  std::int64_t context_tokens = 8192;  ///< tokens already in the cache of each user
  std::int64_t batch = 1;              ///< users whose tokens pass together
  std::optional<std::int64_t> wafers;  ///< nothing: the fewest that fit
  std::optional<int> weight_bits;      ///< 16, 8 or 4; nothing: as the checkpoint stores them
  std::optional<DType> kv_dtype;       ///< nothing: as the checkpoint says
  mapping::Objective objective = mapping::Objective::latency;
  std::int64_t users = 1;                         ///< users whose caches are to be held, those of the batch at least
  std::optional<mapping::Refinement> refinement;  ///< trial after the exact search
  std::optional<mapping::PlanFile> plan;          ///< regions as given; nothing: the best placement under `objective`
  double accepted_tokens = 1;                     ///< mean tokens that one pass yields; above 1 with speculation
};

/// Low <= expected <= high.
struct SecondsBand {
  Seconds low;
  Seconds expected;
  Seconds high;
};

/// Tokens per second of one user; `low` is the slow end.
struct RateBand {
  double low = 0;
  double expected = 0;
  double high = 0;
};

/// One part of the time of a token.
struct BreakdownPart {
  std::string name;  ///< key of `breakdown_s`
  Seconds time;
};

/// A time that no software can beat on this hardware, with what the estimate is in multiples of it.
struct BoundLine {
  std::string name;  ///< "aggregate_bandwidth", "layer_serial_bandwidth" or "distance"
  Seconds time;
  double estimate_over_bound = 0;
};

/// One input of the answer and where it comes from.
struct Assumption {
  std::string key;    ///< e.g. "software.vector_instruction_overhead"
  std::string value;  ///< with unit and band
  std::string kind;   ///< measured, simulated, vendor, derived, fitted on N points, assumed, request
  std::string source;
};

/// Tokens per second with one input at either end of its band and all others as expected. Sorted by effect.
struct SensitivityLine {
  std::string key;
  double tokens_per_s_low = 0;
  double tokens_per_s_high = 0;
};

/// One stage of the pipeline: everything from the token's arrival in a region to its departure.
struct StageTime {
  std::int64_t region = 0;  ///< index into Placement::regions
  Seconds time;
};

struct DecodeEstimate {
  std::string model;
  std::string system;
  std::string software;
  DecodeRequest request;
  mapping::Placement placement;

  SecondsBand tpot;                      ///< time per output token of one user, speculation included
  RateBand tokens_per_s;                 ///< of one user
  SecondsBand pass;                      ///< one pass through all stages: (tpot - fixed) x accepted_tokens
  std::vector<BreakdownPart> breakdown;  ///< parts of tpot.expected; they add up to it
  std::vector<BoundLine> bounds;

  std::vector<StageTime> stages;
  Seconds slowest_stage;              ///< the head's stage included
  double pipelined_tokens_per_s = 0;  ///< of all users together, every stage busy
  std::int64_t wafer_hops = 0;        ///< wafer-to-wafer transfers of one pass, the way back included
  std::vector<Assumption> assumptions;
  std::vector<SensitivityLine> sensitivity;
  std::vector<std::string> notes;
};

/// Passes per second of a pipeline whose stages are all busy: the slowest stage sets the pace, however many there are.
/// Precondition: at least one stage.
double pipeline_rate(const std::vector<Seconds>& stages);

/// Latency of decoding on wafers (docs/model.md, F20 and following).
/// Errors: DoesNotFit with what is short and what would help; ConfigError for a request out of range;
///         std::logic_error if a result were faster than its byte, hop or arithmetic bound.
DecodeEstimate estimate_decode(const models::Model& model, const Wafer& wafer, const SoftwareProfile& software,
                               const DecodeRequest& request);

}  // namespace waferline::estimate
