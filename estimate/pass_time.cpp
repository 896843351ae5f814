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

/// As one line of the breakdown.
ByCause<Seconds> as_head(Seconds time) {
  ByCause<Seconds> head;
  head[Cause::lm_head_and_sampling] = time;
  return head;
}

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

template <class Build>
std::size_t PassTimer::find(const Key& key, Build build) {
  const auto known = std::find(keys_.begin(), keys_.end(), key);
  if (known != keys_.end()) return static_cast<std::size_t>(known - keys_.begin());
  keys_.push_back(key);
  schedules_.push_back(build());
  return schedules_.size() - 1;
}

PassTimer::PassTimer(const PassInputs& inputs, const Wafer& wafer, const SoftwareProfile& software) : inputs_(inputs) {
  mapping::PartSchedules schedules(inputs.model, wafer, software, inputs.pass);
  const std::vector<PlacedRegion>& regions = inputs.placement.regions;
  const mapping::Plan plan = inputs.placement.plan();
  const std::size_t kinds = inputs.kinds.layers.size();
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const PlacedRegion& region = regions[i];
    const mapping::Form form = region.form();
    std::vector<std::size_t>& layers = layers_.emplace_back();
    for (std::int64_t k = 0; k < region.layer_count; ++k) {
      const std::size_t kind = inputs.kinds.of_layer[static_cast<std::size_t>(region.first_layer + k)];
      layers.push_back(find({kind, 0, form}, [&] { return schedules.layer(*inputs.kinds.layers[kind], form); }));
    }
    const std::int64_t sharing = plan.sharing(region.use);
    if (region.use == RegionUse::head) {
      shared_.push_back(find({kinds, 0, form}, [&] { return schedules.head(form.extent, sharing); }));
    } else if (region.use == RegionUse::embedding) {
      shared_.push_back(find({kinds + 1, 0, form}, [&] { return schedules.embedding(form.extent, sharing); }));
    } else {
      shared_.push_back(0);
    }
    const std::int64_t hops = region.hops_to_next;
    if (i + 1 == regions.size()) {
      ways_.push_back(find({kinds + 2, hops, form}, [&] { return schedules.feedback(form.extent, hops); }));
    } else {
      const mapping::Form next{regions[i + 1].form().extent, 1, 1};
      ways_.push_back(find({kinds + 3, hops, next}, [&] { return schedules.transfer(next.extent, hops); }));
    }
  }
  hidden_bytes_ = schedules.hidden_bytes();
}

PassTime PassTimer::time(const Wafer& wafer, const SoftwareProfile& software) const {
  const kernels::Rates rates = kernels::rates_of(wafer, software);
  std::vector<ByCause<Seconds>> times;
  for (const kernels::Schedule& schedule : schedules_) {
    times.push_back(in_seconds(split_time(schedule, rates), wafer.clock.value));
  }
  PassTime pass;
  const std::vector<PlacedRegion>& regions = inputs_.placement.regions;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const PlacedRegion& region = regions[i];
    const bool last = i + 1 == regions.size();
    ByCause<Seconds> stage;
    for (const std::size_t layer : layers_[i]) stage += times[layer];
    // Regions that share the head or the embedding work at the same time: only the first counts.
    if (region.use != RegionUse::layers && (i == 0 || regions[i - 1].use != region.use)) {
      stage += as_head(times[shared_[i]].total());
    }
    stage += last ? as_head(times[ways_[i]].total()) : times[ways_[i]];
    pass.stages.push_back(stage.total());
    pass.by_cause += stage;
    if (!region.next_on_other_wafer) continue;
    const Bytes token = mapping::kTokenBytes * inputs_.pass.batch;
    ++pass.wafer_hops;
    pass.by_cause[Cause::wafer_to_wafer] += wafer.links.wafer_to_wafer_latency.value + software.per_wafer_hop.value +
                                            (last ? token : hidden_bytes_) / wafer.links.wafer_to_wafer.value;
  }
  if (!inputs_.placement.embedding_on_wafer) {
    pass.by_cause[Cause::lm_head_and_sampling] += hidden_bytes_ / wafer.links.io.value;
  }
  return pass;
}

PassTime time_pass(const PassInputs& inputs, const Wafer& wafer, const SoftwareProfile& software) {
  return PassTimer(inputs, wafer, software).time(wafer, software);
}

}  // namespace waferline::estimate
