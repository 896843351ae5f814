#pragma once
// Times that no software can beat on given hardware, and the check that an estimate does not.

#include <vector>

#include "estimate/pass_time.hpp"
#include "estimate/wafer.hpp"

namespace waferline::estimate {

/// F25 and F26. "aggregate_bandwidth": bytes read for one pass over the read ports of all PEs of all wafers.
/// "layer_serial_bandwidth": the same bytes, layer after layer, each over the ports of its own region. "distance": hops
/// of all collectives and transfers and the links' latencies, nothing else. Errors: std::logic_error if `pass` is
/// shorter than one of them.
std::vector<BoundLine> wafer_bounds(const PassInputs& inputs, const Wafer& wafer, const SoftwareProfile& software,
                                    Seconds pass);

}  // namespace waferline::estimate
