// Follows: docs/model/10-kernels.md, F6 to F8 (cycles of counts).
#include "traces/run/run_trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "arch/error.hpp"
#include "arch/text_file.hpp"

namespace waferline::traces {

using kernels::Step;
using kernels::StepKind;
using kernels::emulate::PeField;
using kernels::emulate::PeGrid;
using kernels::emulate::RecordedStep;

namespace {

constexpr std::array kLocalFields{PeField::instructions, PeField::length,   PeField::macs,
                                  PeField::exponentials, PeField::specials, PeField::weight_bytes,
                                  PeField::dequantised};

/// Whether two PEs did the same local work.
bool alike(const PeGrid& pes, std::size_t a, std::size_t b) {
  return std::all_of(kLocalFields.begin(), kLocalFields.end(),
                     [&](PeField field) { return pes.of(field)[a] == pes.of(field)[b]; });
}

/// Counts of one PE in place of those of the busiest.
Step counts_of(const Step& busiest, const PeGrid& pes, std::size_t pe) {
  Step step = busiest;
  step.instructions = pes.of(PeField::instructions)[pe];
  step.length = pes.of(PeField::length)[pe];
  step.macs = pes.of(PeField::macs)[pe];
  step.exponentials = pes.of(PeField::exponentials)[pe];
  step.specials = pes.of(PeField::specials)[pe];
  step.weight_bytes = pes.of(PeField::weight_bytes)[pe];
  step.dequantised = pes.of(PeField::dequantised)[pe];
  const auto most = static_cast<double>(busiest.instructions) * static_cast<double>(busiest.length);
  const double share =
      most > 0 ? static_cast<double>(step.instructions) * static_cast<double>(step.length) / most : 0.0;
  step.read_bytes = static_cast<std::int64_t>(std::llround(static_cast<double>(busiest.read_bytes) * share));
  step.write_bytes = static_cast<std::int64_t>(std::llround(static_cast<double>(busiest.write_bytes) * share));
  return step;
}

}  // namespace

TraceOrigin in_utf8(TraceOrigin origin) {
  for (std::string* text : {&origin.version, &origin.command, &origin.system, &origin.software}) *text = as_utf8(*text);
  for (auto& [name, value] : origin.inputs) value = as_utf8(value);
  return origin;
}

void RunRecorder::enter(std::string_view region, std::int64_t pass) {
  region_ = region;
  pass_ = pass;
}

void RunRecorder::find_busy_cycles(const RecordedStep& recorded, Cycles whole) {
  const PeGrid& pes = recorded.pes;
  const Step busiest = kernels::emulate::with_counted(recorded.step(), recorded.counters);
  const bool local = busiest.kind == StepKind::gemv || busiest.kind == StepKind::elementwise;
  const auto count = static_cast<std::size_t>(pes.extent().pes());
  const auto cols = static_cast<std::size_t>(pes.extent().cols);
  busy_cycles_.resize(count);
  for (std::size_t pe = 0; pe < count; ++pe) {
    if (!local) {
      const std::int64_t wavelets = std::max(pes.of(PeField::sent)[pe], pes.of(PeField::received)[pe]);
      busy_cycles_[pe] = std::min(static_cast<double>(wavelets * busiest.repeats), whole.value);
    } else if (pe >= cols && alike(pes, pe, pe - cols)) {  // neighbours mostly are, and this is far cheaper
      busy_cycles_[pe] = busy_cycles_[pe - cols];
    } else if (pe > 0 && alike(pes, pe, pe - 1)) {
      busy_cycles_[pe] = busy_cycles_[pe - 1];
    } else {
      busy_cycles_[pe] = std::min(kernels::time(counts_of(busiest, pes, pe), rates_).total().value, whole.value);
    }
  }
}

void RunRecorder::record(const RecordedStep& step) {
  const Cycles cycles = kernels::time(kernels::emulate::with_counted(step.step(), step.counters), rates_).total();
  find_busy_cycles(step, cycles);
  const TracedStep traced{region_, pass_, now_, cycles, step, busy_cycles_};
  write_all([&](TraceSink& sink) { sink.write(traced); });
  now_ += cycles;
}

void RunRecorder::finish() {
  write_all([](TraceSink& sink) { sink.finish(); });
  sinks_.clear();
}

template <class Write>
void RunRecorder::write_all(Write write) {
  std::erase_if(sinks_, [&](std::unique_ptr<TraceSink>& sink) {
    try {
      write(*sink);
      return false;
    } catch (const ConfigError& problem) {
      problems_.emplace_back(problem.what());
      return true;
    }
  });
}

}  // namespace waferline::traces
