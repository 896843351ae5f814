#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include "arch/error.hpp"
#include "mapping/assemble.hpp"
#include "mapping/grid.hpp"
#include "mapping/packing.hpp"
#include "mapping/placement.hpp"

namespace waferline::mapping {
namespace {

constexpr std::int64_t kMostHeadRegions = 64;

struct Problem {
  const models::Model& model;
  const Wafer& wafer;
  const LayerKinds& kinds;
  PartCosts& costs;
  SramUse empty;
};

/// Cycles of everything that depends on the grid: layers, head, and the way between regions.
double pass_cycles(const Problem& problem, const Layout& layout) {
  const Extent extent = layout.extent();
  const std::vector<PartCost>& layers = problem.costs.layers(extent);
  double cycles = problem.costs.head(extent, layout.head_regions).cycles.value;
  for (std::size_t kind = 0; kind < layers.size(); ++kind) {
    cycles += static_cast<double>(problem.kinds.count[kind]) * layers[kind].cycles.value;
  }
  return cycles + static_cast<double>(pipeline_hops(layout)) * problem.wafer.fabric.hop.value.value;
}

/// The layout of one grid on `wafers` wafers; no regions if it does not fit.
Layout try_grid(const Problem& problem, const Grid& grid, bool turned, std::int64_t wafers) {
  Layout layout{grid, turned, wafers, {}, 0, 0};
  const Extent extent = layout.extent();
  const std::int64_t slots = wafers * grid.count();
  const auto head_on = [&](std::int64_t regions) { return problem.costs.head(extent, regions); };
  layout.head_regions = fewest_regions(problem.empty, std::min(slots - 1, kMostHeadRegions), head_on);
  if (layout.head_regions == 0) return layout;
  layout.layers = pack_evenly(problem.kinds, problem.costs.layers(extent), problem.empty, slots - layout.head_regions);
  return layout;
}

/// Whether some layer's weights alone, without any padding, exceed what a region of `pes` PEs leaves for them.
bool hopeless(const Problem& problem, std::int64_t pes, Bytes largest_layer) {
  return largest_layer.value > pes * std::max<std::int64_t>(problem.empty.free().value, 0);
}

/// Best layout on exactly `wafers` wafers, or one without layers.
Layout best_layout(const Problem& problem, std::int64_t wafers) {
  const Extent usable = problem.wafer.usable();
  const auto parts = std::ssize(problem.kinds.of_layer) + 1;
  // More regions than parts help nobody; up to a third more, so that a count without divisors finds a grid.
  const std::int64_t most = ceil_div(parts, wafers) * 4 / 3 + 2;
  const Bytes largest = problem.costs.largest_layer();
  Layout best;
  double best_cycles = std::numeric_limits<double>::infinity();
  for (std::int64_t rows = 1; rows <= std::min(most, usable.rows); ++rows) {
    for (std::int64_t cols = 1; rows * cols <= most && cols <= usable.cols; ++cols) {
      const Grid grid{rows, cols, usable};
      if (wafers * grid.count() < 2 || hopeless(problem, grid.extent().pes(), largest)) continue;
      for (const bool turned : {false, true}) {
        Layout layout = try_grid(problem, grid, turned, wafers);
        if (layout.layers.empty()) continue;
        const double cycles = pass_cycles(problem, layout);
        if (cycles >= best_cycles) continue;
        best_cycles = cycles;
        best = std::move(layout);
      }
    }
  }
  return best;
}

/// Fewest wafers whose SRAM could hold the weights without any padding.
std::int64_t fewest_imaginable(const Problem& problem) {
  const std::int64_t each = problem.wafer.usable().pes() * problem.empty.free().value;
  return std::max<std::int64_t>(1, ceil_div(problem.costs.all_layers().value, each));
}

void check(const PlaceRequest& request) {
  const auto at_least_one = [](const char* key, std::int64_t value) {
    if (value < 1) throw ConfigError(fmt::format("{}: {} (permitted: 1 or more)", key, value));
  };
  at_least_one("context", request.context_tokens);
  at_least_one("batch", request.batch);
  at_least_one("wafers", request.wafers.value_or(1));
}

}  // namespace

PlaceResult place(const models::Model& model, const Wafer& wafer, const SoftwareProfile& software,
                  const PlaceRequest& request) {
  check(request);
  const LayerKinds kinds = group_layers(model);
  PartCosts costs(model, kinds, wafer, software, {request.batch, request.context_tokens, 1});
  const Problem problem{model, wafer, kinds, costs, empty_region(wafer, software)};
  const Assembly assembly{model, wafer, software, request, kinds, costs};
  if (problem.empty.free().value <= 0) return no_room_at_all(assembly);
  // One region a wafer for every layer and head region is the most that can ever help.
  const auto most = std::ssize(kinds.of_layer) + kMostHeadRegions;
  const std::int64_t first = request.wafers.value_or(fewest_imaginable(problem));
  const std::int64_t last = request.wafers.value_or(most);
  for (std::int64_t wafers = first; wafers <= last; ++wafers) {
    const Layout layout = best_layout(problem, wafers);
    if (!layout.layers.empty()) return assemble(assembly, layout);
  }
  if (!request.wafers) return layer_too_large(assembly);
  for (std::int64_t wafers = std::max(first + 1, fewest_imaginable(problem)); wafers <= most; ++wafers) {
    if (!best_layout(problem, wafers).layers.empty()) return too_few_wafers(assembly, wafers);
  }
  return layer_too_large(assembly);
}

}  // namespace waferline::mapping
