#pragma once
// From an arrangement of a collective to routes and programs.

#include <cstdint>

#include "kernels/collective.hpp"
#include "kernels/fabric/program.hpp"

namespace waferline::kernels::fabric {

/// Parallel lines of PEs that all run the same collective on vectors of `words` wavelets.
struct Lineup {
  std::int64_t positions = 1;  ///< PEs of a line
  std::int64_t lines = 1;
  std::int64_t words = 1;
};

/// Every PE's vector is combined at `root_index(plan, positions)`; a ring leaves the result on every PE.
/// Errors: ConfigError for a plan that does not cover the line, or sizes and timing out of range.
FabricProgram compile_reduce(const CollectivePlan& plan, const Lineup& lineup, const FabricTiming& timing,
                             Combine combine = Combine::sum);

/// A reduction and the multicast from its root. Errors: as compile_reduce.
FabricProgram compile_allreduce(const CollectivePlan& plan, const Lineup& lineup, const FabricTiming& timing,
                                Combine combine = Combine::sum);

/// The vector of the PE at `root` of each line goes to all others. Errors: as compile_reduce.
FabricProgram compile_multicast(std::int64_t root, const Lineup& lineup, const FabricTiming& timing);

/// The vector of position 0 of line 0 goes to all PEs: along line 0, and from there to all lines. Errors: as
/// compile_reduce.
FabricProgram compile_broadcast_2d(const Lineup& lineup, const FabricTiming& timing);

}  // namespace waferline::kernels::fabric
