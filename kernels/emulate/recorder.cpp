#include "kernels/emulate/recorder.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/emulate/fold.hpp"
#include "kernels/emulate/machine.hpp"

namespace waferline::kernels::emulate {
namespace {

/// Where a line's numbers go: PE `i` of line `line` along `axis`.
struct LineOfPes {
  PeGrid& pes;
  Axis axis;
  std::int64_t line;

  void add(PeField field, std::int64_t i, std::int64_t amount) {
    const bool in_row = axis == Axis::x;
    pes.add(field, in_row ? line : i, in_row ? i : line, amount);
  }
  /// `first`: PE of the line at which the traffic's own counting starts.
  void add(const LineTraffic& traffic, std::int64_t first) {
    const bool in_row = axis == Axis::x;
    const auto pes_of_line = static_cast<std::int64_t>(traffic.combined.size());
    for (std::int64_t i = 0; i < pes_of_line; ++i) {
      const auto at = static_cast<std::size_t>(i);
      add(PeField::combines, first + i, traffic.combined[at]);
      add(PeField::sent, first + i, traffic.sent[at]);
      add(PeField::received, first + i, traffic.received[at]);
      add(in_row ? PeField::link_east : PeField::link_south, first + i, traffic.forwards[at]);
      add(in_row ? PeField::link_west : PeField::link_north, first + i, traffic.backwards[at]);
    }
  }
};

/// Every PE but the first of the line passes its wavelets to the one before it.
LineTraffic shifted(std::int64_t pes, std::int64_t wavelets) {
  LineTraffic traffic(pes);
  for (std::size_t i = 0; i < traffic.sent.size(); ++i) {
    if (i > 0) traffic.sent[i] = traffic.backwards[i] = wavelets;
    if (i + 1 < traffic.sent.size()) traffic.received[i] = wavelets;
  }
  return traffic;
}

}  // namespace

std::string_view name(PeField field) {
  static constexpr std::array<std::string_view, kPeFields> names{
      "instructions", "length", "macs",     "exponentials", "specials",  "weight_bytes", "dequantised",
      "combines",     "sent",   "received", "link_east",    "link_west", "link_south",   "link_north"};
  return names[static_cast<std::size_t>(field)];
}

PeGrid::PeGrid(Extent extent) : extent_(extent) {
  for (auto& values : values_) values.assign(static_cast<std::size_t>(extent.pes()), 0);
}

std::int64_t PeGrid::most(PeField field) const {
  return of(field).empty() ? 0 : *std::max_element(of(field).begin(), of(field).end());
}

std::int64_t PeGrid::sum(PeField field) const {
  return std::accumulate(of(field).begin(), of(field).end(), std::int64_t{0});
}

void PeGrid::clear() {
  for (auto& values : values_) std::fill(values.begin(), values.end(), 0);
}

void PeGrid::add(std::int64_t row, std::int64_t col, const PeWork& work) {
  const auto at = static_cast<std::size_t>(row * extent_.cols + col);
  of(PeField::instructions)[at] += work.instructions;
  of(PeField::length)[at] = std::max(of(PeField::length)[at], work.longest);
  of(PeField::macs)[at] += work.macs;
  of(PeField::exponentials)[at] += work.exponentials;
  of(PeField::specials)[at] += work.specials;
}

const Machine::Dealt& Machine::dealt(const Bands& bands) {
  const auto known = std::find_if(dealt_.begin(), dealt_.end(), [&](const Dealt& line) { return line.bands == bands; });
  if (known != dealt_.end()) return *known;
  Dealt& line = dealt_.emplace_back();
  line.bands = bands;
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes;
  for (std::int64_t part = 0; part < bands.parts; ++part) {
    line.heads.push_back(bands.heads_at(part));
    line.dims.push_back(bands.dims_at(part));
    const std::pair size{line.heads.back().size, line.dims.back().size};
    const bool is_new = std::find(sizes.begin(), sizes.end(), size) == sizes.end();
    if (is_new) sizes.push_back(size);
    if (is_new || options_.recorder != nullptr) line.tallied.push_back(part);
  }
  return line;
}

std::int64_t Machine::most_elements(const Bands& bands) {
  std::int64_t most = 0;
  for (const std::int64_t part : pieces(bands)) most = std::max(most, bands.size(part));
  return most;
}

void Machine::observe_everywhere(StepCounters& counters, const PeWork& work) {
  counters.observe(work);
  if (options_.recorder == nullptr) return;
  for (std::int64_t row = 0; row < pes_.extent().rows; ++row) {
    for (std::int64_t col = 0; col < pes_.extent().cols; ++col) pes_.add(row, col, work);
  }
}

void Machine::observe(StepCounters& counters, Axis axis, std::int64_t part, const PeWork& work) {
  counters.observe(work);
  if (options_.recorder == nullptr) return;
  for (std::int64_t line = 0; line < pes_.extent().along(other(axis)); ++line) {
    pes_.add(axis == Axis::x ? line : part, axis == Axis::x ? part : line, work);
  }
}

void Machine::observe_at(StepCounters& counters, std::int64_t row, std::int64_t col, const PeWork& work) {
  counters.observe(work);
  if (options_.recorder != nullptr) pes_.add(row, col, work);
}

void Machine::record(std::size_t index) {
  const Step& step = schedule_->steps[index];
  if (step.kind != StepKind::gemv && step.kind != StepKind::elementwise) record_travel(step, counters_[index]);
  options_.recorder->record({*schedule_, index, counters_[index], resident_bytes_ + step_buffer_bytes_[index], pes_});
  pes_.clear();
}

void Machine::record_travel(const Step& step, const StepCounters& counters) {
  if (counters.line <= 1 && step.kind != StepKind::stream) return;
  const bool gathers = step.kind == StepKind::relayout;
  const bool reduces = step.kind == StepKind::reduce_max || step.kind == StepKind::reduce_sum;
  const std::int64_t pes = pes_.extent().along(step.axis);
  for (int i = 0; i < step.span; ++i) {
    const Tensor& moved = tensor(static_cast<TensorId>((gathers ? step.output : step.input) + i));
    const Bands& source = gathers ? tensor(step.input).along(step.axis) : moved.along(step.axis);
    const bool in_bands = reduces || (gathers && counters.line < pes);
    if (in_bands && !source.banded()) continue;
    for (std::int64_t line = 0; line < pes_.extent().along(other(step.axis)); ++line) {
      for (std::int64_t band = 0; band < (in_bands ? source.heads : 1); ++band) {
        const Range of_band = in_bands ? source.band(band) : Range{0, pes};
        std::int64_t words = 0;
        for (std::int64_t pe = of_band.begin; pe < of_band.end(); ++pe)
          words = std::max(words, moved.along(step.axis).size(pe));
        words *= moved.along(other(step.axis)).size(line) * moved.copies;
        record_line(step, line, of_band, wavelets(moved.stored.dtype, words));
      }
    }
  }
}

void Machine::record_line(const Step& step, std::int64_t line, Range pes, std::int64_t words) {
  LineOfPes target{pes_, step.axis, line};
  switch (step.kind) {
    case StepKind::reduce_max:
    case StepKind::reduce_sum:
    case StepKind::select:
      return target.add(line_traffic(fold(step.plan, pes.size), words, !step.to_root), pes.begin);
    case StepKind::multicast:
    case StepKind::relayout:
      return target.add(multicast_traffic(pes.size, 0, words), pes.begin);
    case StepKind::shift:
      return target.add(shifted(pes.size, words), pes.begin);
    default: {  // stream: over the last PE's link to the next rectangle
      target.add(PeField::sent, pes.end() - 1, words);
      target.add(step.axis == Axis::x ? PeField::link_east : PeField::link_south, pes.end() - 1, words);
    }
  }
}

}  // namespace waferline::kernels::emulate
