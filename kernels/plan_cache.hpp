#pragma once
// Remembers the arrangement of the collectives that were already asked for. A layer needs about ten, most of them
// alike.

#include <cstdint>
#include <vector>

#include "kernels/collective.hpp"

namespace waferline::kernels {

/// How the software arranges its reductions.
struct CollectiveChoice {
  Algorithm algorithm = Algorithm::k_tree;
  Root root = Root::middle;
  int levels = 2;               ///< of a k-tree
  std::int64_t group_pes = 0;   ///< PEs in a group of a two-level tree; 0: the size with the least time
  bool payload_hidden = false;  ///< words pass behind the stages: judged for one wavelet
  CollectiveRates rates;        ///< by which the least time is judged
};

/// A reduction's plan with its counts.
struct PlannedReduction {
  CollectivePlan plan;
  CollectiveCounts reduce;
  CollectiveCounts allreduce;
};

/// Plans by line length and wavelets. Not shared between threads: each has its own.
class PlanCache {
 public:
  explicit PlanCache(const CollectiveChoice& choice);

  /// Plans that were worked out so far.
  std::size_t size() const { return used_; }

  /// The plan for a line of `pes` (at least 1) and `wavelets` (at least 0). The reference holds until the next call.
  const PlannedReduction& plan(std::int64_t pes, std::int64_t wavelets);

  const CollectiveChoice& choice() const { return choice_; }

 private:
  struct Slot {
    std::int64_t pes = -1;
    std::int64_t wavelets = -1;
    PlannedReduction planned;
  };
  CollectivePlan arrange(std::int64_t pes, std::int64_t wavelets) const;
  CollectivePlan best_end_plan(std::int64_t pes, std::int64_t wavelets) const;
  PlannedReduction make(std::int64_t pes, std::int64_t wavelets);
  Slot& slot_for(std::int64_t pes, std::int64_t wavelets);
  void grow();

  CollectiveChoice choice_;
  std::vector<Slot> slots_;  ///< open addressing; a power of two, at most half full
  std::size_t used_ = 0;
};

}  // namespace waferline::kernels
