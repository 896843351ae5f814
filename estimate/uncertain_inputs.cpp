#include "estimate/uncertain_inputs.hpp"

#include <fmt/format.h>

#include <string_view>
#include <type_traits>

namespace waferline::estimate {
namespace {

double raw(double value) {
  return value;
}
template <class Tag, class Rep>
double raw(Quantity<Tag, Rep> value) {
  return static_cast<double>(value.value);
}

struct ShownUnit {
  double scale;
  const char* name;
};

/// Readable unit for a key whose own unit makes long numbers; cycles and bytes per cycle stand in the key alone.
ShownUnit shown_unit(std::string_view key) {
  if (key.ends_with("_hz")) return {1e-9, "GHz"};
  if (key.ends_with("_bytes_per_s")) return {1e-9, "GB/s"};
  if (key.ends_with("_s")) return {1e6, "us"};
  return {1, ""};
}

/// Calls visit(key, sourced) for every number of the timing.
template <class W, class S, class Visit>
void visit_inputs(W& wafer, S& software, Visit visit) {
  visit("wafer.clock_hz", wafer.clock);
  visit("wafer.fp16_macs_per_cycle", wafer.pe.fp16_macs_per_cycle);
  visit("wafer.fp32_macs_per_cycle", wafer.pe.fp32_macs_per_cycle);
  visit("wafer.sram_read_bytes_per_cycle", wafer.pe.sram_read);
  visit("wafer.sram_write_bytes_per_cycle", wafer.pe.sram_write);
  visit("wafer.hop_cycles", wafer.fabric.hop);
  visit("wafer.ramp_cycles", wafer.fabric.ramp);
  visit("wafer.io_bytes_per_s", wafer.links.io);
  visit("wafer.wafer_to_wafer_bytes_per_s", wafer.links.wafer_to_wafer);
  visit("wafer.wafer_to_wafer_latency_s", wafer.links.wafer_to_wafer_latency);
  visit("software.vector_instruction_overhead_cycles", software.vector_instruction_overhead);
  visit("software.fabric_stream_overhead_cycles", software.fabric_stream_overhead);
  visit("software.elementwise_cycles_per_element", software.elementwise_per_element);
  visit("software.exponential_cycles_per_element", software.exponential_per_element);
  visit("software.special_cycles_per_scalar", software.special_per_scalar);
  visit("software.dequantise_cycles_per_element", software.dequantise_per_element);
  visit("software.stage_overhead_cycles", software.stage_overhead);
  visit("software.startup_cycles", software.collective_startup);
  if (software.hop_override) visit("software.hop_cycles", *software.hop_override);
  visit("software.fixed_s", software.fixed_per_token);
  visit("software.per_wafer_hop_s", software.per_wafer_hop);
}

}  // namespace

std::vector<InputLine> list_inputs(const Wafer& wafer, const SoftwareProfile& software) {
  std::vector<InputLine> lines;
  visit_inputs(wafer, software, [&](const char* key, const auto& input) {
    const ShownUnit unit = shown_unit(key);
    std::string value = fmt::format("{:.4g}", raw(input.value) * unit.scale);
    if (input.band) {
      value +=
          fmt::format(" ({:.4g} to {:.4g})", raw(input.band->low) * unit.scale, raw(input.band->high) * unit.scale);
    }
    if (*unit.name != '\0') value += fmt::format(" {}", unit.name);
    lines.push_back({key, std::move(value), input.provenance, input.band.has_value()});
  });
  return lines;
}

void set_to_end(Wafer& wafer, SoftwareProfile& software, std::size_t index, bool high) {
  std::size_t at = 0;
  visit_inputs(wafer, software, [&](const char*, auto& input) {
    if (at++ == index) input.value = high ? input.high() : input.low();
  });
}

}  // namespace waferline::estimate
