#pragma once
// The curves of an estimate's page: the same estimate at other contexts and numbers of users.

#include <optional>
#include <string>
#include <vector>

#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "cli/gpu_systems.hpp"
#include "models/model.hpp"
#include "report/estimate.hpp"

namespace waferline::cli {

struct SeriesInputs {
  const models::Model& model;
  const Wafer& wafer;
  const SoftwareProfile& software;
  const models::Model& stored;  ///< with the types that the GPUs hold
  std::vector<GpuSystem> gpus;
  std::optional<std::string> engine;
};

/// Estimates on as many wafers as `answer` uses: at its number of users over contexts in steps of four up to the
/// longest that fits, and at its context over users in steps of two up to the most that fit, 1,024 at most. The asked
/// point is always among them; a point that does not fit is left out.
report::PageSeries page_series(const SeriesInputs& inputs, const estimate::DecodeEstimate& answer);

}  // namespace waferline::cli
