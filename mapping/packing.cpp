#include "mapping/packing.hpp"

#include <algorithm>

namespace waferline::mapping {

SramUse empty_region(const Wafer& wafer, const SoftwareProfile& software) {
  SramUse use;
  use.code = software.code.value;
  use.system = software.system.value;
  use.buffers = software.buffers.value;
  use.capacity = wafer.pe.sram.value;
  return use;
}

SramUse with_part(SramUse use, const PartCost& part) {
  use.weights += part.weights;
  use.kv += part.kv;
  use.buffers = std::max(use.buffers, part.buffers);
  return use;
}

std::vector<std::int64_t> pack_layers(const LayerKinds& kinds, const std::vector<PartCost>& costs, const SramUse& empty,
                                      std::int64_t most) {
  std::vector<std::int64_t> packed;
  SramUse use = empty;
  std::int64_t held = 0;
  for (const std::size_t kind : kinds.of_layer) {
    const SramUse more = with_part(use, costs[kind]);
    if (held > 0 && held < most && more.free().value >= 0) {
      use = more;
      ++held;
      continue;
    }
    if (held > 0) packed.push_back(held);
    use = with_part(empty, costs[kind]);
    held = 1;
    if (use.free().value < 0) return {};
  }
  if (held > 0) packed.push_back(held);
  return packed;
}

std::vector<std::int64_t> pack_evenly(const LayerKinds& kinds, const std::vector<PartCost>& costs, const SramUse& empty,
                                      std::int64_t regions) {
  const auto layers = std::ssize(kinds.of_layer);
  std::vector<std::int64_t> packed = pack_layers(kinds, costs, empty, layers);
  if (packed.empty() || std::ssize(packed) > regions) return {};
  for (std::int64_t most = ceil_div(layers, regions); most < layers; ++most) {
    std::vector<std::int64_t> even = pack_layers(kinds, costs, empty, most);
    if (std::ssize(even) <= regions) return even;
  }
  return packed;
}

}  // namespace waferline::mapping
