// Follows: docs/model/20-wafer.md, F20 to F23.
#include "estimate/pass_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "mapping/part_schedules.hpp"

namespace waferline::estimate {
namespace {

using kernels::StepTime;
using mapping::PlacedRegion;
using mapping::RegionUse;

constexpr std::array<std::string_view, kCauses> kNames{
    "weights_sweep",   "multiply", "vector_instruction_overhead", "elementwise",    "softmax", "hops",
    "software_stages", "payload",  "lm_head_and_sampling",        "wafer_to_wafer", "fixed"};

void check_bound(const kernels::Step& step, const StepTime& time, const kernels::Rates& rates) {
  const Cycles bound = kernels::lower_bound(step, rates);
  // A rounding error of the sum is no violation.
  if (time.total().value >= bound.value * (1 - 1e-12)) return;
  throw std::logic_error(
      fmt::format("step {} is timed at {} cycles, below its bound of {}", step.label, time.total().value, bound.value));
}

void add_step(ByCause<Cycles>& split, const kernels::Step& step, const StepTime& time) {
  const bool softmax = step.part == kernels::Part::softmax;
  split[Cause::weights_sweep] += time.weights_sweep;
  split[Cause::multiply] += time.multiply + time.dequantise;
  split[Cause::vector_instruction_overhead] += time.instruction_overhead;
  split[softmax ? Cause::softmax : Cause::elementwise] += time.elementwise + time.exponential + time.special;
  split[Cause::hops] += time.hops;
  split[Cause::software_stages] += time.stages;
  split[Cause::payload] += time.payload;
}

ByCause<Seconds> in_seconds(const ByCause<Cycles>& cycles, Hertz clock) {
  ByCause<Seconds> seconds;
  for (std::size_t i = 0; i < kCauses; ++i) seconds.part[i] = cycles.part[i] / clock;
  return seconds;
}

/// Times the parts of a pass; everything on a wafer goes through the clock.
class PassTimer {
 public:
  PassTimer(const PassInputs& inputs, const Wafer& wafer, const SoftwareProfile& software)
      : inputs_(inputs),
        wafer_(wafer),
        software_(software),
        schedules_(inputs.model, wafer, software, inputs.pass),
        extent_(inputs.placement.schedule_extent()) {
    for (const models::Layer* layer : inputs.kinds.layers)
      layers_.push_back(on_wafer(schedules_.layer(*layer, extent_)));
  }

  PassTime time() {
    const std::vector<PlacedRegion>& regions = inputs_.placement.regions;
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const bool last = i + 1 == regions.size();
      ByCause<Seconds> stage = work(i);
      const ByCause<Seconds> way = last ? way_back(regions[i]) : way_on(regions[i]);
      stage += way;
      pass_.stages.push_back(stage.total());
      pass_.by_cause += stage;
      if (regions[i].next_on_other_wafer) leave_wafer(last ? Bytes{4 * inputs_.pass.batch} : schedules_.hidden_bytes());
    }
    if (!inputs_.placement.embedding_on_wafer) {
      pass_.by_cause[Cause::lm_head_and_sampling] += schedules_.hidden_bytes() / wafer_.links.io.value;
    }
    return std::move(pass_);
  }

 private:
  ByCause<Seconds> on_wafer(const kernels::Schedule& schedule) {
    return in_seconds(split_time(schedule, schedules_.rates()), wafer_.clock.value);
  }

  /// As one line of the breakdown.
  ByCause<Seconds> as_head(const kernels::Schedule& schedule) {
    ByCause<Seconds> head;
    head[Cause::lm_head_and_sampling] = on_wafer(schedule).total();
    return head;
  }

  /// Work of one region. Regions that share the head work at the same time, as do those that share the embedding, so
  /// that only the first of either counts.
  ByCause<Seconds> work(std::size_t index) {
    const std::vector<PlacedRegion>& regions = inputs_.placement.regions;
    const PlacedRegion& region = regions[index];
    ByCause<Seconds> sum;
    for (std::int64_t i = 0; i < region.layer_count; ++i) {
      sum += layers_[inputs_.kinds.of_layer[static_cast<std::size_t>(region.first_layer + i)]];
    }
    if (region.use == RegionUse::layers || (index > 0 && regions[index - 1].use == region.use)) return sum;
    const std::int64_t sharing = std::count_if(regions.begin(), regions.end(),
                                               [&](const PlacedRegion& other) { return other.use == region.use; });
    return as_head(region.use == RegionUse::head ? schedules_.head(extent_, sharing)
                                                 : schedules_.embedding(extent_, sharing));
  }

  ByCause<Seconds> way_on(const PlacedRegion& region) {
    return on_wafer(schedules_.transfer(extent_, region.hops_to_next));
  }
  ByCause<Seconds> way_back(const PlacedRegion& region) {
    return as_head(schedules_.feedback(extent_, region.hops_to_next));
  }

  void leave_wafer(Bytes bytes) {
    ++pass_.wafer_hops;
    pass_.by_cause[Cause::wafer_to_wafer] += wafer_.links.wafer_to_wafer_latency.value + software_.per_wafer_hop.value +
                                             bytes / wafer_.links.wafer_to_wafer.value;
  }

  const PassInputs& inputs_;
  const Wafer& wafer_;
  const SoftwareProfile& software_;
  mapping::PartSchedules schedules_;
  Extent extent_;
  std::vector<ByCause<Seconds>> layers_;
  PassTime pass_;
};

}  // namespace

std::string_view name(Cause cause) {
  return kNames[static_cast<std::size_t>(cause)];
}

ByCause<Cycles> split_time(const kernels::Schedule& schedule, const kernels::Rates& rates) {
  ByCause<Cycles> split;
  for (const kernels::Step& step : schedule.steps) {
    const StepTime time = kernels::time(step, rates);
    check_bound(step, time, rates);
    add_step(split, step, time);
  }
  return split;
}

PassTime time_pass(const PassInputs& inputs, const Wafer& wafer, const SoftwareProfile& software) {
  return PassTimer(inputs, wafer, software).time();
}

}  // namespace waferline::estimate
