#pragma once
// From a chosen grid to the full account of a placement, or of what is short.

#include <cstdint>
#include <vector>

#include "mapping/grid.hpp"
#include "mapping/part_costs.hpp"
#include "mapping/placement.hpp"

namespace waferline::mapping {

/// A grid with what each of its regions holds, in the order of the pipeline: embedding, layers, head.
struct Layout {
  Grid grid;
  bool turned = false;  ///< schedules run with rows and columns exchanged
  std::int64_t wafers = 0;
  std::vector<std::int64_t> layers;  ///< consecutive layers of each region; empty: does not fit
  std::int64_t head_regions = 0;
  std::int64_t embedding_regions = 0;  ///< 0: the host sends the row

  /// Rows and columns as the schedules see them.
  Extent extent() const { return turned ? Extent{grid.extent().cols, grid.extent().rows} : grid.extent(); }
  Axis replicated() const { return turned ? Axis::y : Axis::x; }
  std::int64_t regions() const { return std::ssize(layers) + head_regions + embedding_regions; }
};

/// Everything that an account needs.
struct Assembly {
  const models::Model& model;
  const Wafer& wafer;
  const SoftwareProfile& software;
  const PlaceRequest& request;
  const LayerKinds& kinds;
  PartCosts& costs;
};

/// Links on the way from region to region, over each one's width, to the edge where the next wafer follows, and of the
/// chosen token back to the first region.
std::int64_t pipeline_hops(const Layout& layout);

Placement assemble(const Assembly& assembly, Layout layout);

Misfit no_room_at_all(const Assembly& assembly);
Misfit layer_too_large(const Assembly& assembly);
Misfit too_few_wafers(const Assembly& assembly, std::int64_t needed);

}  // namespace waferline::mapping
