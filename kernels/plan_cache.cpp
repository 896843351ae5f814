#include "kernels/plan_cache.hpp"

namespace waferline::kernels {
namespace {

constexpr std::size_t kFirstSlots = 256;

std::size_t hash_of(std::int64_t pes, std::int64_t wavelets) {
  const std::uint64_t mixed = static_cast<std::uint64_t>(pes) * 0x9E3779B97F4A7C15ULL +
                              static_cast<std::uint64_t>(wavelets) * 0xC2B2AE3D27D4EB4FULL;
  return static_cast<std::size_t>(mixed >> 32U);
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
  if (2 * ++used_ > slots_.size()) grow();
  Slot& slot = slot_for(pes, wavelets);
  slot = {pes, wavelets, make(pes, wavelets)};
  return slot.planned;
}

PlannedReduction PlanCache::make(std::int64_t pes, std::int64_t wavelets) const {
  PlannedReduction planned;
  if (choice_.algorithm != Algorithm::k_tree) {
    planned.plan.algorithm = choice_.algorithm;
    planned.plan.root = choice_.root;
    planned.plan.groups[0] = pes;
  } else if (choice_.group_pes > 0 && choice_.group_pes < pes) {
    planned.plan = k_tree_plan(pes, {choice_.group_pes, ceil_div(pes, choice_.group_pes)}, choice_.root);
  } else {
    planned.plan = best_plan(pes, wavelets, choice_.rates, choice_.levels);
  }
  planned.reduce = count_reduce(planned.plan, pes, wavelets, choice_.rates);
  planned.allreduce = count_allreduce(planned.plan, pes, wavelets, choice_.rates);
  return planned;
}

}  // namespace waferline::kernels
