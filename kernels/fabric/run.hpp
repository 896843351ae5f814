#pragma once
// Runs a program on the stepped fabric: every wavelet moves, one cycle at a time, and the sums are the fabric's own.

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/fabric/memory.hpp"
#include "kernels/fabric/program.hpp"

namespace waferline::kernels::fabric {

/// A PE that is not done, and why.
struct WaitingPe {
  std::int64_t line = 0;
  std::int64_t position = 0;
  int operation = 0;  ///< index in its program
  Operation::Kind kind = Operation::Kind::wait;
  int color = -1;         ///< that it waits for
  bool for_input = true;  ///< no wavelet of that color has come; otherwise the ramp to the router is full
  std::int64_t words_done = 0;
  std::int64_t words = 0;
};

/// Nothing moves any more and not all PEs are done. The text names the first of them.
class FabricDeadlock : public std::runtime_error {
 public:
  FabricDeadlock(std::int64_t cycle, std::vector<WaitingPe> waiting);
  std::int64_t cycle() const { return cycle_; }
  const std::vector<WaitingPe>& waiting() const { return waiting_; }

 private:
  std::int64_t cycle_;
  std::vector<WaitingPe> waiting_;
};

/// What moved in a run.
struct FabricTraffic {
  std::int64_t wavelet_hops = 0;  ///< link traversals
  std::int64_t combines = 0;      ///< words combined
  bool operator==(const FabricTraffic&) const = default;
};

struct FabricRun {
  std::int64_t cycles = 0;  ///< until the last PE is done, start-up included
  FabricTraffic traffic;
  std::int64_t link_wavelets = 0;      ///< over the busiest directed link, mean over the lines
  std::int64_t combines = 0;           ///< words combined by the PEs of the busiest position, mean over the lines
  std::int64_t stepped_pe_cycles = 0;  ///< PEs x cycles, idle ones included
  double state_bytes_per_pe = 0;       ///< of the host, vectors in SRAM and shared tables apart
  std::vector<std::int32_t> finished;  ///< cycle in which each PE was done, start-up apart, [line][position]
};

/// Runs `program` on the vectors in `memory`, which hold the results afterwards. Each PE begins after the cycle that
/// `starts` gives for it, [line][position]; empty: all at once. Uses at most `threads` threads and never more than
/// there are processors; bits and cycles do not depend on their number. Errors: ConfigError for a program that does not
/// fit together or a memory of another shape; FabricDeadlock.
FabricRun run(const FabricProgram& program, FabricMemory& memory, int threads,
              std::span<const std::int32_t> starts = {});

}  // namespace waferline::kernels::fabric
