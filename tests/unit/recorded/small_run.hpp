#pragma once
// A run small enough to add up by hand: per pass, two regions of 2 x 3 PEs and a head of 1 x 4.

#include <memory>
#include <string>

#include "arch/error.hpp"
#include "traces/run/run_trace.hpp"

namespace waferline::tests {

using kernels::emulate::PeField;

inline traces::TraceOrigin small_origin() {
  traces::TraceOrigin origin;
  origin.version = "1.2.3";
  origin.command = "waferline emulate model --weights 'a b'";
  origin.system = "tiny";
  origin.software = "ideal";
  origin.seed = 7;
  origin.clock = Hertz{1e9};
  origin.inputs = {{"mesh", "2x3"}, {"model", "small"}};
  return origin;
}

/// One MAC, one weight byte and one port byte a cycle; nothing else takes time.
inline kernels::Rates small_rates() {
  kernels::Rates rates;
  rates.collective = {1, 2, 1, 0, 0};
  return rates;
}

/// A step with what its PEs did. `schedule` holds it alone.
struct SmallStep {
  kernels::Schedule schedule;
  kernels::emulate::StepCounters counters;
  kernels::emulate::PeGrid pes;
  std::int64_t sram_bytes = 0;

  explicit SmallStep(Extent extent) : pes(extent) {
    schedule.extent = extent;
    schedule.steps.emplace_back();
  }
  kernels::Step& step() { return schedule.steps.front(); }
  kernels::emulate::RecordedStep recorded() const { return {schedule, 0, counters, sram_bytes, pes}; }
};

/// PE i multiplies in 2 instructions over 10 + i inputs each: 2 (10 + i) cycles, 2 (10 + i) MACs.
inline SmallStep small_multiply() {
  SmallStep made({2, 3});
  made.step().kind = kernels::StepKind::gemv;
  made.step().part = kernels::Part::qkv;
  made.step().label = "q";
  for (std::int64_t pe = 0; pe < 6; ++pe) {
    kernels::emulate::PeWork work;
    work.instruction(10 + pe, 2);
    work.macs = 2 * (10 + pe);
    made.pes.add(pe / 3, pe % 3, work);
    made.counters.observe(work);
  }
  made.sram_bytes = 1000;
  return made;
}

/// Both rows send 4 wavelets west to column 0, twice: 4 slots + 2 hops + 2 ramps of 2 = 10 cycles, 20 with its repeat.
inline SmallStep small_reduction() {
  SmallStep made({2, 3});
  kernels::Step& step = made.step();
  step.kind = kernels::StepKind::reduce_sum;
  step.part = kernels::Part::qkv;
  step.label = "sum of q";
  step.repeats = made.counters.repeats = 2;
  step.traffic = {0, 2, 2, 4, 4, 4, 0};
  made.counters.line = step.line = 3;
  made.counters.wavelets = 4;
  made.counters.link_wavelets = made.counters.combines = 4;
  for (std::int64_t row = 0; row < 2; ++row) {
    for (const std::int64_t col : {1, 2}) {
      made.pes.add(PeField::sent, row, col, 4);
      made.pes.add(PeField::link_west, row, col, 4);
      made.pes.add(PeField::received, row, col - 1, 4);
      made.pes.add(PeField::combines, row, col - 1, 4);
    }
  }
  made.sram_bytes = 1200;
  return made;
}

/// All PEs of a line of four do 8 elements: 16 cycles (8 of the vector unit, 8 of its elements).
inline SmallStep small_head() {
  SmallStep made({1, 4});
  made.step().kind = kernels::StepKind::elementwise;
  made.step().part = kernels::Part::head;
  made.step().label = "choose";
  for (std::int64_t col = 0; col < 4; ++col) {
    kernels::emulate::PeWork work;
    work.instruction(8);
    made.pes.add(0, col, work);
    made.counters.observe(work);
  }
  made.sram_bytes = 10;
  return made;
}

/// Two passes: 30 + 20 cycles in each of two layers, 16 in the head; 116 a pass.
inline void record_small_run(traces::RunRecorder& recorder) {
  const SmallStep multiply = small_multiply();
  const SmallStep reduction = small_reduction();
  const SmallStep head = small_head();
  for (std::int64_t pass = 0; pass < 2; ++pass) {
    for (const char* layer : {"layer 0", "layer 1"}) {
      recorder.enter(layer, pass);
      recorder.record(multiply.recorded());
      recorder.record(reduction.recorded());
    }
    recorder.enter("head", pass);
    recorder.record(head.recorded());
  }
  recorder.finish();
}

/// What a ConfigError says, or "no error".
template <class Act>
std::string refusal(Act act) {
  try {
    act();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace waferline::tests
