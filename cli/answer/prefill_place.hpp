#pragma once
// Prefill on another system than the one that decodes, and whole answers on GPUs.

#include <cstdint>
#include <optional>
#include <string>

#include "cli/gpu_systems.hpp"
#include "estimate/answer/answer_time.hpp"
#include "report/answer/whole_answer.hpp"

namespace waferline::cli {

struct PrefillElsewhere {
  estimate::PrefillEstimate estimate;
  std::string where;  ///< "on h100x8", "on 1 further wse3"
};

/// Prefill of the same model on a wafer by name, or on GPUs as NAMExCOUNT.
/// Errors: ConfigError naming --prefill-on; DoesNotFit.
PrefillElsewhere prefill_elsewhere(const std::string& system, const estimate::PlacedModel& placed,
                                   const std::optional<std::string>& engine, const estimate::PrefillRequest& request);

/// The whole answer on GPUs for one user of `batch`; what does not fit or is not known is said in `problem`.
report::GpuAnswerTime answer_on_gpus(const GpuSystem& system, const models::Model& model,
                                     const std::optional<std::string>& engine, const estimate::AnswerRequest& request,
                                     std::int64_t batch);

}  // namespace waferline::cli
