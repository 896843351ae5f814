#pragma once
// Work of one PE in a local multiplication (F2), for counters.

#include <cstdint>

#include "arch/software.hpp"
#include "kernels/emulate/counters.hpp"

namespace waferline::kernels::emulate {

/// One vector instruction for each local input, or for each local output where those are fewer and the software does
/// so.
inline PeWork local_product(std::int64_t vectors, std::int64_t inputs, std::int64_t outputs, LoopOrder order) {
  PeWork work;
  const bool by_output = order == LoopOrder::shorter && outputs < inputs;
  work.instruction(by_output ? inputs : outputs, vectors * (by_output ? outputs : inputs));
  work.macs = vectors * inputs * outputs;
  return work;
}

}  // namespace waferline::kernels::emulate
