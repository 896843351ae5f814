// Follows: docs/model/10-kernels.md F6 to F9; the terms of a collective are those of Luczynski et al., HPDC 2024.
#include "kernels/rates.hpp"

#include <algorithm>
#include <cmath>

namespace waferline::kernels {
namespace {

double as_cycles(std::int64_t amount, double per_cycle) {
  return static_cast<double>(amount) / per_cycle;
}

/// Cycles in which the ports move what a step reads and writes; both ports work at once.
double port_cycles(const Step& step, const Rates& rates) {
  return std::max(as_cycles(step.read_bytes, rates.read_bytes_per_cycle),
                  as_cycles(step.write_bytes, rates.write_bytes_per_cycle));
}

double vector_cycles(const Step& step, double width) {
  return static_cast<double>(step.instructions) * std::ceil(static_cast<double>(step.length) / width);
}

double width_of(const Step& step, const Rates& rates) {
  return step.wide_operands ? rates.macs_per_cycle_32bit : rates.macs_per_cycle_16bit;
}

StepTime time_gemv(const Step& step, const Rates& rates) {
  StepTime t;
  const double sweep = as_cycles(step.weight_bytes, rates.read_bytes_per_cycle);
  const double busy = std::max({sweep, vector_cycles(step, width_of(step, rates)), port_cycles(step, rates)});
  t.weights_sweep = Cycles{sweep};
  t.multiply = Cycles{busy - sweep};
  t.instruction_overhead = Cycles{static_cast<double>(step.instructions) * rates.vector_instruction_cycles};
  return t;
}

StepTime time_elementwise(const Step& step, const Rates& rates) {
  StepTime t;
  const double elements = static_cast<double>(step.instructions) * static_cast<double>(step.length);
  const double sweep = as_cycles(step.weight_bytes, rates.read_bytes_per_cycle);
  const double work = vector_cycles(step, width_of(step, rates)) + elements * rates.element_cycles;
  t.weights_sweep = Cycles{sweep};
  t.elementwise = Cycles{std::max({sweep, work, port_cycles(step, rates)}) - sweep +
                         static_cast<double>(step.instructions) * rates.element_instruction_cycles};
  return t;
}

StepTime time_communication(const Step& step, const Rates& rates) {
  StepTime t;
  if (step.line <= 1 && step.distance == 0) return t;
  const CollectiveRates& c = rates.collective;
  const bool reduces =
      step.kind == StepKind::reduce_max || step.kind == StepKind::reduce_sum || step.kind == StepKind::select;
  t.hops = Cycles{static_cast<double>(step.traffic.hops) * c.hop_cycles};
  t.stages = Cycles{static_cast<double>(step.traffic.stages) * c.stage_cycles +
                    static_cast<double>(step.traffic.ramps) * c.ramp_cycles +
                    static_cast<double>(step.traffic.switches) * c.switch_cycles +
                    (reduces ? c.startup_cycles : rates.stream_cycles)};
  const auto slots = static_cast<double>(step.traffic.payload_slots);
  t.payload = Cycles{rates.payload_hidden ? std::max(0.0, slots - t.stages.value) : slots};
  return t;
}

bool computes(const Step& step) {
  return step.kind == StepKind::gemv || step.kind == StepKind::elementwise;
}

StepTime scaled(StepTime t, double times) {
  for (Cycles* part : {&t.weights_sweep, &t.multiply, &t.instruction_overhead, &t.elementwise, &t.exponential,
                       &t.special, &t.dequantise, &t.hops, &t.stages, &t.payload}) {
    part->value *= times;
  }
  return t;
}

}  // namespace

Rates rates_of(const Wafer& wafer, const SoftwareProfile& software) {
  Rates rates;
  rates.macs_per_cycle_16bit = wafer.pe.fp16_macs_per_cycle.value;
  rates.macs_per_cycle_32bit = wafer.pe.fp32_macs_per_cycle.value;
  rates.read_bytes_per_cycle = wafer.pe.sram_read.value.value;
  rates.write_bytes_per_cycle = wafer.pe.sram_write.value.value;
  rates.vector_instruction_cycles = software.vector_instruction_overhead.value.value;
  rates.element_instruction_cycles = software.vector_instruction_overhead.value.value;
  rates.element_cycles = software.elementwise_per_element.value.value;
  rates.exponential_cycles = software.exponential_per_element.value.value;
  rates.special_cycles = software.special_per_scalar.value.value;
  rates.dequantise_cycles = software.dequantise_per_element.value.value;
  rates.stream_cycles = 2 * software.fabric_stream_overhead.value.value;
  rates.payload_hidden = software.payload.value == PayloadCost::hidden;
  const bool own_hop = software.hop_override.has_value();
  rates.collective.hop_cycles = (own_hop ? software.hop_override->value : wafer.fabric.hop.value).value;
  rates.collective.ramp_cycles = wafer.fabric.ramp.value.value;
  rates.collective.stage_cycles = software.stage_overhead.value.value;
  rates.collective.startup_cycles = software.collective_startup.value.value;
  return rates;
}

CollectiveChoice choice_of(const Wafer& wafer, const SoftwareProfile& software) {
  CollectiveChoice choice;
  switch (software.reduce.value) {
    case ReduceAlgorithm::chain:
      choice.algorithm = Algorithm::chain;
      break;
    case ReduceAlgorithm::k_tree:
      choice.algorithm = Algorithm::k_tree;
      break;
    case ReduceAlgorithm::star:
      choice.algorithm = Algorithm::star;
      break;
    case ReduceAlgorithm::ring:
      choice.algorithm = Algorithm::ring;
      break;
  }
  choice.root = software.root.value == ReduceRoot::middle ? Root::middle : Root::end;
  choice.levels = static_cast<int>(software.tree_levels.value);
  choice.group_pes = software.group_pes.value.value_or(0);
  choice.payload_hidden = software.payload.value == PayloadCost::hidden;
  choice.rates = rates_of(wafer, software).collective;
  return choice;
}

ScheduleOptions options_of(const SoftwareProfile& software) {
  ScheduleOptions options;
  options.loop = software.loop_order.value;
  options.accumulate = software.accumulate.value;
  return options;
}

Cycles StepTime::total() const {
  return weights_sweep + multiply + instruction_overhead + elementwise + exponential + special + dequantise + hops +
         stages + payload;
}

StepTime& StepTime::operator+=(const StepTime& more) {
  weights_sweep += more.weights_sweep;
  multiply += more.multiply;
  instruction_overhead += more.instruction_overhead;
  elementwise += more.elementwise;
  exponential += more.exponential;
  special += more.special;
  dequantise += more.dequantise;
  hops += more.hops;
  stages += more.stages;
  payload += more.payload;
  return *this;
}

StepTime time(const Step& step, const Rates& rates) {
  StepTime t;
  if (step.kind == StepKind::gemv) {
    t = time_gemv(step, rates);
  } else if (step.kind == StepKind::elementwise) {
    t = time_elementwise(step, rates);
  } else {
    t = time_communication(step, rates);
  }
  t.exponential = Cycles{static_cast<double>(step.exponentials) * rates.exponential_cycles};
  t.special = Cycles{static_cast<double>(step.specials) * rates.special_cycles};
  t.dequantise = Cycles{static_cast<double>(step.dequantised) * rates.dequantise_cycles};
  return step.repeats == 1 ? t : scaled(t, static_cast<double>(step.repeats));
}

StepTime time(const Schedule& schedule, const Rates& rates) {
  StepTime sum;
  for (const Step& step : schedule.steps) sum += time(step, rates);
  return sum;
}

Cycles lower_bound(const Step& step, const Rates& rates) {
  const auto repeats = static_cast<double>(step.repeats);
  if (computes(step)) {
    const double arithmetic = as_cycles(step.macs, width_of(step, rates));
    return Cycles{repeats * std::max(port_cycles(step, rates), arithmetic)};
  }
  const double hops = static_cast<double>(step.traffic.hops) * rates.collective.hop_cycles;
  return Cycles{repeats * std::max(hops, static_cast<double>(step.traffic.payload_slots))};
}

}  // namespace waferline::kernels
