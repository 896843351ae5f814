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

}  // namespace waferline::mapping
