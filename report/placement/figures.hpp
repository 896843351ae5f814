#pragma once
// Figures of a placement that text, JSON and page show alike. For the .cpp files of report/.

#include <cstdint>

#include "report/placement/placement.hpp"

namespace waferline::report {

/// How the stages are filled: one token in every stage needs as many users as stages of the slowest one's length.
struct PipelineFigures {
  std::int64_t stages = 0;
  double users_to_fill = 0;      ///< users in flight who keep the slowest stage busy
  double busy_share = 0;         ///< of what the stages could do, with as many users as fit; at most 1
  double tokens_per_s = 0;       ///< over the users who fit
  double idle_share_of_one = 0;  ///< of the stages' time, with one user alone
  Bytes cache_per_user;          ///< on the PE that holds most of it
};

PipelineFigures pipeline_figures(const PlacementAnswer& answer);

/// Time of cycles of the answer's wafer.
Seconds wafer_time(const PlacementAnswer& answer, Cycles cycles);

}  // namespace waferline::report
