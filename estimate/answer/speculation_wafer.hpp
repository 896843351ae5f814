#pragma once
// Speculation on wafers: what drafting and verifying cost there, and how many tokens to draft.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "estimate/answer/prefill.hpp"
#include "estimate/speculation.hpp"
#include "estimate/wafer.hpp"

namespace waferline::estimate {

/// Who drafts.
enum class DraftSource : std::uint8_t {
  model,     ///< another model, on wafers of its own
  mtp_head,  ///< a multi-token-prediction layer of the model itself, then its output head
  stated     ///< as long as it was said to take
};

struct DraftCost {
  DraftSource source = DraftSource::stated;
  Seconds token;            ///< one drafted token
  std::string what;         ///< for people
  std::int64_t wafers = 0;  ///< of its own
};

/// A draft model on the fewest wafers of the same kind that hold it; a drafted token is one pass there.
/// Errors: DoesNotFit; ConfigError if its vocabulary is not the model's.
DraftCost draft_by_model(const models::Model& draft, const PlacedModel& placed, std::int64_t context_tokens);

/// A prediction layer of the model: its layer, joining projection and the output head, in the last region. The layer
/// must fit beside the others on as many wafers.
/// Errors: ConfigError if the checkpoint holds none; DoesNotFit.
DraftCost draft_by_mtp_head(const PlacedModel& placed, std::int64_t context_tokens);

struct SpeculationRequest {
  DraftCost draft;
  std::vector<double>
      acceptance;  ///< [i]: chance that draft i + 1 is accepted if all before it were; as many are drafted
};

struct SpeculationAnswer {
  SpeculationRequest request;
  std::vector<Seconds> verification;  ///< [k]: the model with k + 1 rows, as a batch or one behind the other
  Seconds fixed_per_token;            ///< of the software, for each token that comes out
  SpeculationStudy study;
};

/// Draft lengths from 0 to as many as acceptances are given. Verification is a pass with k + 1 rows of one user through
/// the placement as a batch, or as many passes one behind the other in the pipeline, whichever is faster; tokens that
/// come out pay the software's fixed time each. Model: F96. Errors: ConfigError for a probability outside 0 to 1.
SpeculationAnswer study_speculation_on_wafers(const PlacedModel& placed, std::int64_t context_tokens,
                                              SpeculationRequest request);

}  // namespace waferline::estimate
