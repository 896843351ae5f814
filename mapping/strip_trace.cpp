// From the states of the dynamic program to the plan that they stand for.
#include <algorithm>
#include <cassert>
#include <vector>

#include "mapping/strip_search.hpp"

namespace waferline::mapping {

/// Deals `count` layers out over exactly `regions` regions as evenly as their SRAM allows.
void StripSearch::add_layers(const Arrival& arrival, std::int64_t count, std::int64_t regions, Plan& plan) const {
  const std::int64_t all = arrival.layer + count;
  std::vector<std::int64_t> ends;
  for (std::int64_t most = ceil_div(count, regions); most <= count; ++most) {
    ends.clear();
    std::int64_t layer = arrival.layer;
    for (std::int64_t region = 0; region < regions; ++region) {
      const std::int64_t must_leave = regions - region - 1;
      const std::int64_t fits = next_[arrival.option][static_cast<std::size_t>(layer)];
      layer = std::min({layer + most, fits, all - must_leave});
      ends.push_back(layer);
    }
    if (layer == all) break;
  }
  assert(!ends.empty() && ends.back() == all && "the program has counted so many regions");
  std::int64_t first = arrival.layer;
  for (std::int64_t i = 0; i < regions; ++i) {
    PlannedRegion region = shapes_[arrival.shape].region(strips_, arrival.strip, arrival.first_slot + i);
    region.expert_bands = options_[arrival.option].form.expert_bands;
    region.latent_copies = options_[arrival.option].form.latent_copies;
    region.first_layer = first;
    region.layer_count = ends[static_cast<std::size_t>(i)] - first;
    first = ends[static_cast<std::size_t>(i)];
    plan.regions.push_back(region);
  }
}

Plan StripSearch::trace_back(const Ending& ending) {
  struct Leg {
    Arrival arrival;
    std::int64_t layers = 0;
    std::int64_t regions = 0;
  };
  std::vector<Leg> legs;
  if (ending.regions > 0) {
    legs.push_back({ending.arrival, static_cast<std::int64_t>(layers()) - ending.arrival.layer, ending.regions});
  }
  Index before = ending.arrival.before;
  std::int64_t layer = ending.arrival.layer;
  for (std::int64_t strip = ending.arrival.strip; strip > 0; --strip) {
    const auto last = static_cast<std::size_t>(before);
    const StripState& full = states_->at(strip, layer, last);
    layer -= full.layers_here;
    legs.push_back({{0, strip - 1, last, static_cast<std::size_t>(full.option), full.first_slot, layer, full.before},
                    full.layers_here,
                    walks_.slots(strip - 1, last) - full.first_slot});
    before = full.before;
  }
  std::reverse(legs.begin(), legs.end());
  Plan plan;
  const Arrival& first = legs.empty() ? ending.arrival : legs.front().arrival;
  for (std::int64_t slot = 0; slot < first.first_slot; ++slot) {
    plan.regions.push_back(shapes_[first.shape].region(strips_, 0, slot));
    plan.regions.back().use = RegionUse::embedding;
  }
  for (const Leg& leg : legs) {
    if (leg.regions > 0) add_layers(leg.arrival, leg.layers, leg.regions, plan);
  }
  std::int64_t strip = ending.head_strip;
  std::int64_t slot = ending.head_slot;
  for (std::int64_t i = 0; i < ending.head_regions; ++i) {
    if (slot == walks_.slots(strip, ending.head_shape)) {
      ++strip;
      slot = 0;
    }
    plan.regions.push_back(shapes_[ending.head_shape].region(strips_, strip, slot++));
    plan.regions.back().use = RegionUse::head;
  }
  return plan;
}

}  // namespace waferline::mapping
