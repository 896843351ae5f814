#pragma once
// A path through a collective: what it counts, and how long it is at given rates.

#include <cstdint>

#include "kernels/collective.hpp"

namespace waferline::kernels {

/// Grows by the events on one path. Of two paths the longer one is critical.
class CriticalPath {
 public:
  explicit CriticalPath(const CollectiveRates& rates) : rates_(&rates) {}

  /// A wavelet is sent over `hops` links and combined there: ramp up, links, ramp down, stage.
  CriticalPath& fold(std::int64_t hops) { return folds(1, hops); }
  /// `count` folds over `hops` links in all.
  CriticalPath& folds(std::int64_t count, std::int64_t hops) {
    counts_.stages += count;
    counts_.ramps += 2 * count;
    counts_.hops += hops;
    cycles_ += static_cast<double>(count) * (rates_->stage_cycles + 2 * rates_->ramp_cycles) +
               static_cast<double>(hops) * rates_->hop_cycles;
    return *this;
  }
  /// A wavelet is sent over `hops` links and stored there; storing takes the slot of one wavelet.
  CriticalPath& delivery(std::int64_t hops) {
    counts_.ramps += 2;
    counts_.hops += hops;
    cycles_ += 2 * rates_->ramp_cycles + static_cast<double>(hops) * rates_->hop_cycles;
    return payload(1);
  }
  /// Cycles in the adder alone.
  CriticalPath& stages(std::int64_t count) {
    counts_.stages += count;
    cycles_ += static_cast<double>(count) * rates_->stage_cycles;
    return *this;
  }
  CriticalPath& payload(std::int64_t wavelets) {
    counts_.payload_slots += wavelets;
    cycles_ += static_cast<double>(wavelets);
    return *this;
  }
  CriticalPath& task_switch(std::int64_t count = 1) {
    counts_.switches += count;
    cycles_ += static_cast<double>(count) * rates_->switch_cycles;
    return *this;
  }
  /// Continues as the longer of the two; as itself if they are equal.
  CriticalPath& join(const CriticalPath& other) {
    if (other.cycles_ > cycles_) *this = other;
    return *this;
  }

  const CollectiveCounts& counts() const { return counts_; }
  double cycles() const { return cycles_; }

 private:
  const CollectiveRates* rates_;
  CollectiveCounts counts_;
  double cycles_ = 0;
};

class TreeLayout;

/// The critical path of a chain or k-tree from the first wavelet sent to the last one combined at the root.
CriticalPath tree_path(const TreeLayout& layout, std::int64_t wavelets, const CollectiveRates& rates);

/// Busiest directed link and PE of a chain or k-tree, in units of the payload: how often the payload crosses a link,
/// and how often a PE combines it. With `multicast`, the way back is counted in.
struct TreeTraffic {
  std::int64_t link_payloads = 0;
  std::int64_t combined_payloads = 0;
};
TreeTraffic tree_traffic(const TreeLayout& layout, bool multicast);

}  // namespace waferline::kernels
