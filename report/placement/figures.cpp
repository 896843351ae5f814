#include "report/placement/figures.hpp"

#include <algorithm>

namespace waferline::report {

PipelineFigures pipeline_figures(const PlacementAnswer& answer) {
  const estimate::DecodeEstimate& decode = answer.decode;
  PipelineFigures figures;
  figures.stages = std::ssize(decode.stages);
  // Users beyond pass / slowest stage find every stage taken.
  figures.users_to_fill = decode.pass.expected / decode.slowest_stage;
  figures.busy_share = std::min(1.0, static_cast<double>(decode.placement.max_users) / figures.users_to_fill);
  figures.tokens_per_s = figures.busy_share * decode.pipelined_tokens_per_s;
  figures.idle_share_of_one = 1 - 1 / std::max(1.0, static_cast<double>(figures.stages));
  Bytes most;
  for (const mapping::PlacedRegion& placed : decode.placement.regions) most = std::max(most, placed.sram.kv);
  figures.cache_per_user = Bytes{most.value / std::max<std::int64_t>(1, decode.request.batch)};
  return figures;
}

Seconds wafer_time(const PlacementAnswer& answer, Cycles cycles) {
  return cycles / answer.wafer.clock.value;
}

}  // namespace waferline::report
