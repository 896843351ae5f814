// Follows: docs/model/60-serving.md, F91, F92 and F98.
#include "estimate/answer/prefill_timer.hpp"

#include <algorithm>

#include "kernels/count.hpp"

namespace waferline::estimate {
namespace {

using mapping::PlacedRegion;
using mapping::RegionUse;

constexpr std::int64_t lengths = 32;

/// Rows of a chunk as a batch, each looking back on as much as its middle one.
kernels::Pass rows_of(PromptChunk chunk) {
  return {chunk.tokens, chunk.before + (chunk.tokens + 1) / 2, 1};
}

}  // namespace

Seconds FlowLine::send(std::span<const Seconds> stages) {
  free_.resize(stages.size());
  Seconds now;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    now = std::max(now, free_[i]) + stages[i];
    free_[i] = now;
  }
  return now;
}

PrefillTimer::PrefillTimer(const PlacedModel& placed, const PrefillRequest& request, const ProductOverheads& overheads)
    : placed_(placed),
      kinds_(mapping::group_layers(placed.model)),
      extent_(placed.placement.schedule_extent()),
      rates_(prefill_rates(placed.wafer, placed.software)),
      first_before_(request.cached_tokens),
      step_(std::max<std::int64_t>(1, request.new_tokens() / lengths)),
      row_rates_(kernels::rates_of(placed.wafer, placed.software)),
      shop_{mapping::schedule_options(placed.model, placed.software),
            kernels::PlanCache(kernels::choice_of(placed.wafer, placed.software))} {
  rates_.instruction_cycles = overheads.instruction.value;
  rates_.rotation_cycles = overheads.rotation.value;
}

const std::vector<Seconds>& PrefillTimer::stages(PromptChunk chunk, PrefillMethod method) {
  const Ways& ways = ways_of(chunk.tokens);
  const Times of_kind = layers(chunk, method);
  const std::vector<PlacedRegion>& regions = placed_.placement.regions;
  stages_.assign(1, ways.enter);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const PlacedRegion& region = regions[i];
    if (region.use != RegionUse::layers) continue;
    Seconds stage;
    for (std::int64_t layer = 0; layer < region.layer_count; ++layer) {
      stage += of_kind[kinds_.of_layer[static_cast<std::size_t>(region.first_layer + layer)]];
    }
    // Only the last token goes on to the head: that is part of the first token's time.
    const bool onward = i + 1 < regions.size() && regions[i + 1].use == RegionUse::layers;
    if (onward && !region.next_on_other_wafer) stage += ways.transfer.at(region.hops_to_next);
    stages_.push_back(stage);
    if (onward && region.next_on_other_wafer) stages_.push_back(ways.wafer_hop);
  }
  return stages_;
}

Bytes PrefillTimer::shortage(PromptChunk chunk, PrefillMethod method) {
  Bytes needed;
  for (const models::Layer* layer : kinds_.layers) {
    needed = std::max(needed, method == PrefillMethod::rows
                                  ? kernels::sram(rows_schedule(*layer, chunk)).buffers
                                  : prefill_buffers(*layer, placed_.model.hidden_size, extent_, chunk));
  }
  const mapping::SramUse& fullest = placed_.placement.fullest;
  const Bytes room = fullest.buffers + fullest.free();
  return needed > room ? needed - room : Bytes{0};
}

PrefillTimer::Times PrefillTimer::layers(PromptChunk chunk, PrefillMethod method) {
  if (chunk.tokens >= step_) return layers_at(chunk, method);
  const std::int64_t below = (chunk.before - first_before_) / step_ * step_ + first_before_;
  const double share = static_cast<double>(chunk.before - below) / static_cast<double>(step_);
  Times times = layers_at({chunk.tokens, below}, method);
  const Times& above = layers_at({chunk.tokens, below + step_}, method);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] += (above[i] - times[i]) * share;
  return times;
}

const PrefillTimer::Times& PrefillTimer::layers_at(PromptChunk chunk, PrefillMethod method) {
  Times& times = known_[{method, chunk.tokens, chunk.before}];
  if (!times.empty()) return times;
  const Hertz clock = placed_.wafer.clock.value;
  for (const models::Layer* layer : kinds_.layers) {
    const Cycles cycles = method == PrefillMethod::rows
                              ? kernels::time(rows_schedule(*layer, chunk), row_rates_).total()
                              : prefill_layer(*layer, placed_.model.kv_dtype, extent_, chunk, rates_).total();
    times.push_back(cycles / clock);
  }
  return times;
}

const kernels::Schedule& PrefillTimer::rows_schedule(const models::Layer& layer, PromptChunk chunk) {
  kernels::build_layer(layer, placed_.model.hidden_size, extent_, rows_of(chunk), shop_, schedule_);
  return schedule_;
}

const PrefillTimer::Ways& PrefillTimer::ways_of(std::int64_t tokens) {
  const auto known = ways_.find(tokens);
  if (known != ways_.end()) return known->second;
  mapping::PartSchedules schedules(placed_.model, placed_.wafer, placed_.software, {tokens, 1, 1});
  const auto on_wafer = [&](const kernels::Schedule& schedule) {
    return kernels::time(schedule, schedules.rates()).total() / placed_.wafer.clock.value;
  };
  const std::vector<PlacedRegion>& regions = placed_.placement.regions;
  const WaferLinks& links = placed_.wafer.links;
  Ways ways;
  ways.wafer_hop = links.wafer_to_wafer_latency.value + placed_.software.per_wafer_hop.value +
                   schedules.hidden_bytes() / links.wafer_to_wafer.value;
  ways.enter = schedules.hidden_bytes() / links.io.value;
  if (placed_.placement.embedding_on_wafer) {
    const std::int64_t sharing = std::count_if(regions.begin(), regions.end(),
                                               [](const PlacedRegion& one) { return one.use == RegionUse::embedding; });
    ways.enter = on_wafer(schedules.embedding(extent_, sharing));
  }
  for (const PlacedRegion& region : regions) {
    if (ways.transfer.contains(region.hops_to_next)) continue;
    ways.transfer[region.hops_to_next] = on_wafer(schedules.transfer(extent_, region.hops_to_next));
  }
  return ways_[tokens] = std::move(ways);
}

}  // namespace waferline::estimate
