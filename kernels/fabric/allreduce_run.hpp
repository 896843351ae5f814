#pragma once
// One reduction on the lines of a rectangle, three times: closed form, sweep, and wavelet by wavelet.

#include <cstdint>
#include <optional>

#include "kernels/collective.hpp"
#include "kernels/fabric/compile.hpp"
#include "kernels/fabric/run.hpp"

namespace waferline::kernels::fabric {

struct AllreduceQuestion {
  CollectivePlan plan;
  Lineup lineup;
  FabricTiming timing;
  Combine combine = Combine::sum;
  bool to_root = false;        ///< without the multicast of the result
  bool step_wavelets = false;  ///< move every wavelet too
  int threads = 1;
  std::uint32_t seed = 1;  ///< of the vectors
};

/// What moving every wavelet gave.
struct SteppedAllreduce {
  FabricRun run;
  double host_seconds = 0;
  double largest_error = 0;  ///< of the sums against double precision, over the largest sum of magnitudes
};

struct AllreduceAnswer {
  CollectiveCounts counts;
  std::int64_t root = 0;
  Cycles closed_form;
  std::int64_t swept_cycles = 0;
  std::optional<SteppedAllreduce> stepped;

  /// Whether all that was computed agrees to the cycle.
  bool agrees() const;
};

/// Runs the reduction on seeded vectors. Errors: ConfigError for a plan that does not cover the line, or sizes out of
/// range.
AllreduceAnswer run_allreduce(const AllreduceQuestion& question);

}  // namespace waferline::kernels::fabric
