#include "mapping/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "mapping/grid.hpp"
#include "mapping/limits.hpp"

namespace waferline::mapping {
namespace {

/// Hops from each region to the next; the last one's lead back to the first.
void connect(const Wafer& wafer, std::vector<PlacedRegion>& regions) {
  for (std::size_t i = 0; i < regions.size(); ++i) {
    PlacedRegion& from = regions[i];
    const bool last = i + 1 == regions.size();
    const PlacedRegion& to = regions[last ? 0 : i + 1];
    from.next_on_other_wafer = from.region.wafer != to.region.wafer;
    if (from.next_on_other_wafer) {
      const Region entry = last ? first_pe(to.region) : to.region;
      from.hops_to_next = hops_to_edge(wafer.usable(), from.region) + hops_to_edge(wafer.usable(), entry);
    } else {
      from.hops_to_next = last ? hops_back(from.region, to.region) : hops_between(from, to);
    }
  }
}

std::string where_embedding_is(const Assembly& assembly, const Plan& plan) {
  if (assembly.model.tied_embeddings)
    return "the input embedding is the output head's matrix: its row comes from there";
  const std::int64_t regions = plan.sharing(RegionUse::embedding);
  if (regions > 0) return fmt::format("the input embedding has {} region(s) of its own", regions);
  return "the input embedding does not fit beside the layers: the host sends the row of each token";
}

}  // namespace

Placement assemble(const Assembly& assembly, const Problem& problem, const Plan& plan) {
  Placement placement;
  placement.wafers = plan.wafers();
  for (const PlannedRegion& planned : plan.regions) {
    PlacedRegion region;
    static_cast<PlannedRegion&>(region) = planned;
    region.sram = sram_of(problem, plan, planned);
    assert(region.sram.free().value >= 0 && "a region never holds more than its SRAM");
    placement.pes_used += planned.region.extent.pes();
    placement.layers_per_region = std::max(placement.layers_per_region, planned.layer_count);
    placement.regions.push_back(region);
  }
  connect(assembly.wafer, placement.regions);
  placement.head_regions = plan.sharing(RegionUse::head);
  placement.embedding_on_wafer = plan.sharing(RegionUse::embedding) > 0 || assembly.model.tied_embeddings;
  placement.fullest =
      std::min_element(placement.regions.begin(), placement.regions.end(), [](const auto& a, const auto& b) {
        return a.sram.free() < b.sram.free();
      })->sram;
  placement.max_users = users_of(problem, plan);
  placement.max_context_tokens = longest_context(assembly, plan);
  placement.colors_used = colors_of(assembly, plan);
  placement.colors_available = assembly.wafer.fabric.colors.value;
  placement.notes.push_back(where_embedding_is(assembly, plan));
  return placement;
}

}  // namespace waferline::mapping
