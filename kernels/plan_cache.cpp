#include "kernels/plan_cache.hpp"

namespace waferline::kernels {
namespace {

constexpr std::size_t kFirstSlots = 256;

std::size_t hash_of(std::int64_t pes, std::int64_t wavelets) {
  const std::uint64_t mixed = static_cast<std::uint64_t>(pes) * 0x9E3779B97F4A7C15ULL +
                              static_cast<std::uint64_t>(wavelets) * 0xC2B2AE3D27D4EB4FULL;
  return static_cast<std::size_t>(mixed >> 32U);
}

/// What depends on the payload from its own path, the rest from the path of one wavelet.
void hide_payload(CollectiveCounts& one, const CollectiveCounts& all) {
  one.payload_slots = all.payload_slots;
  one.link_wavelets = all.link_wavelets;
  one.combines = all.combines;
}

}  // namespace

PlanCache::PlanCache(const CollectiveChoice& choice) : choice_(choice), slots_(kFirstSlots) {}

PlanCache::Slot& PlanCache::slot_for(std::int64_t pes, std::int64_t wavelets) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash_of(pes, wavelets) & mask;
  while (slots_[at].pes >= 0 && (slots_[at].pes != pes || slots_[at].wavelets != wavelets)) at = (at + 1) & mask;
  return slots_[at];
}

void PlanCache::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.pes >= 0) slot_for(slot.pes, slot.wavelets) = slot;
  }
}

const PlannedReduction& PlanCache::plan(std::int64_t pes, std::int64_t wavelets) {
  Slot& found = slot_for(pes, wavelets);
  if (found.pes >= 0) return found.planned;
  const PlannedReduction made = make(pes, wavelets);  // may add another
  if (2 * ++used_ > slots_.size()) grow();
  Slot& slot = slot_for(pes, wavelets);
  slot = {pes, wavelets, made};
  return slot.planned;
}

CollectivePlan PlanCache::arrange(std::int64_t pes, std::int64_t wavelets) const {
  if (choice_.algorithm != Algorithm::k_tree) {
    CollectivePlan plan;
    plan.algorithm = choice_.algorithm;
    plan.root = choice_.root;
    plan.groups[0] = pes;
    return plan;
  }
  if (choice_.group_pes > 0 && choice_.group_pes < pes) {
    return k_tree_plan(pes, {choice_.group_pes, ceil_div(pes, choice_.group_pes)}, choice_.root);
  }
  return choice_.root == Root::middle ? best_plan(pes, wavelets, choice_.rates, choice_.levels)
                                      : best_end_plan(pes, wavelets);
}

CollectivePlan PlanCache::best_end_plan(std::int64_t pes, std::int64_t wavelets) const {
  CollectivePlan best = k_tree_plan(pes, {pes}, Root::end);
  if (choice_.levels < 2) return best;
  const auto cycles = [&](const CollectivePlan& plan) {
    return time(count_reduce(plan, pes, wavelets, choice_.rates), choice_.rates);
  };
  Cycles least = cycles(best);
  for (std::int64_t group = 2; group < pes; ++group) {
    const CollectivePlan plan = k_tree_plan(pes, {group, ceil_div(pes, group)}, Root::end);
    if (const Cycles needed = cycles(plan); needed < least) {
      least = needed;
      best = plan;
    }
  }
  return best;
}

PlannedReduction PlanCache::make(std::int64_t pes, std::int64_t wavelets) {
  PlannedReduction planned;
  if (choice_.payload_hidden && wavelets > 1) {
    // The path is that of a single wavelet; the others pass behind its stages as far as they can.
    planned = plan(pes, 1);
    hide_payload(planned.reduce, count_reduce(planned.plan, pes, wavelets, choice_.rates));
    hide_payload(planned.allreduce, count_allreduce(planned.plan, pes, wavelets, choice_.rates));
    return planned;
  }
  planned.plan = arrange(pes, wavelets);
  planned.reduce = count_reduce(planned.plan, pes, wavelets, choice_.rates);
  planned.allreduce = count_allreduce(planned.plan, pes, wavelets, choice_.rates);
  return planned;
}

}  // namespace waferline::kernels
