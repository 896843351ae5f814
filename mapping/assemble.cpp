#include "mapping/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include "mapping/limits.hpp"
#include "mapping/packing.hpp"

namespace waferline::mapping {
namespace {

/// Regions in the order of the pipeline, without hops and SRAM.
std::vector<PlacedRegion> lay_out(const Layout& layout) {
  std::vector<PlacedRegion> regions;
  regions.reserve(static_cast<std::size_t>(layout.regions()));
  const auto add = [&](RegionUse use, std::int64_t first_layer, std::int64_t layer_count) {
    PlacedRegion placed;
    placed.region = region_at(layout.grid, std::ssize(regions));
    placed.use = use;
    placed.first_layer = first_layer;
    placed.layer_count = layer_count;
    regions.push_back(placed);
  };
  for (std::int64_t i = 0; i < layout.embedding_regions; ++i) add(RegionUse::embedding, 0, 0);
  std::int64_t layer = 0;
  for (const std::int64_t count : layout.layers) {
    add(RegionUse::layers, layer, count);
    layer += count;
  }
  for (std::int64_t i = 0; i < layout.head_regions; ++i) add(RegionUse::head, 0, 0);
  return regions;
}

/// Hops from each region to the next; the last one's lead back to the first.
void connect(const Layout& layout, std::vector<PlacedRegion>& regions) {
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Region& from = regions[i].region;
    const Region& to = regions[i + 1 < regions.size() ? i + 1 : 0].region;
    regions[i].next_on_other_wafer = from.wafer != to.wafer;
    regions[i].hops_to_next = from.wafer == to.wafer ? hops_between(from, to, layout.replicated())
                                                     : hops_to_edge(layout.grid, from) + hops_to_edge(layout.grid, to);
  }
}

void fill(const Assembly& assembly, const Layout& layout, std::vector<PlacedRegion>& regions) {
  const SramUse empty = empty_region(assembly.wafer, assembly.software);
  const Extent extent = layout.extent();
  const std::vector<PartCost>& layers = assembly.costs.layers(extent);
  for (PlacedRegion& region : regions) {
    region.sram = empty;
    if (region.use == RegionUse::head) {
      region.sram = with_part(empty, assembly.costs.head(extent, layout.head_regions));
    } else if (region.use == RegionUse::embedding) {
      region.sram = with_part(empty, assembly.costs.embedding(extent, layout.embedding_regions));
    }
    for (std::int64_t i = 0; i < region.layer_count; ++i) {
      const std::size_t kind = assembly.kinds.of_layer[static_cast<std::size_t>(region.first_layer + i)];
      region.sram = with_part(region.sram, layers[kind]);
    }
    assert(region.sram.free().value >= 0 && "a region never holds more than its SRAM");
  }
}

/// Puts the embedding on the regions that are left, if it fits there.
void add_embedding(const Assembly& assembly, Layout& layout) {
  if (assembly.model.tied_embeddings) return;
  const std::int64_t spare = layout.wafers * layout.grid.count() - layout.regions();
  const SramUse empty = empty_region(assembly.wafer, assembly.software);
  const Extent extent = layout.extent();
  layout.embedding_regions =
      fewest_regions(empty, spare, [&](std::int64_t n) { return assembly.costs.embedding(extent, n); });
}

std::string where_embedding_is(const Assembly& assembly, const Layout& layout) {
  if (assembly.model.tied_embeddings)
    return "the input embedding is the output head's matrix: its row comes from there";
  if (layout.embedding_regions > 0) {
    return fmt::format("the input embedding has {} region(s) of its own", layout.embedding_regions);
  }
  return "the input embedding does not fit beside the layers: the host sends the row of each token";
}

}  // namespace

std::int64_t pipeline_hops(const Layout& layout) {
  std::vector<PlacedRegion> regions = lay_out(layout);
  connect(layout, regions);
  std::int64_t hops = 0;
  for (const PlacedRegion& region : regions) hops += region.hops_to_next + layout.extent().cols - 1;
  return hops;
}

Placement assemble(const Assembly& assembly, Layout layout) {
  add_embedding(assembly, layout);
  Placement placement;
  placement.wafers = layout.wafers;
  placement.grid_rows = layout.grid.rows;
  placement.grid_cols = layout.grid.cols;
  placement.region_extent = layout.grid.extent();
  placement.turned = layout.turned;
  placement.layers_per_region = *std::max_element(layout.layers.begin(), layout.layers.end());
  placement.head_regions = layout.head_regions;
  placement.embedding_on_wafer = layout.embedding_regions > 0 || assembly.model.tied_embeddings;
  placement.regions = lay_out(layout);
  connect(layout, placement.regions);
  fill(assembly, layout, placement.regions);
  placement.pes_used = std::ssize(placement.regions) * placement.region_extent.pes();
  placement.fullest =
      std::min_element(placement.regions.begin(), placement.regions.end(), [](const auto& a, const auto& b) {
        return a.sram.free() < b.sram.free();
      })->sram;
  placement.max_users = most_users(assembly, placement);
  placement.max_context_tokens = longest_context(assembly, placement);
  placement.colors_used = assembly.costs.colors();
  placement.colors_available = assembly.wafer.fabric.colors.value;
  placement.notes.push_back(where_embedding_is(assembly, layout));
  return placement;
}

}  // namespace waferline::mapping
