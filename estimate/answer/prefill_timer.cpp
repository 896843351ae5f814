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
      rates_(prefill_rates(placed.wafer, placed.software)),
      first_before_(request.cached_tokens),
      step_(std::max<std::int64_t>(1, request.new_tokens() / lengths)),
      row_rates_(kernels::rates_of(placed.wafer, placed.software)),
      shop_{mapping::schedule_options(placed.model, placed.software),
            kernels::PlanCache(kernels::choice_of(placed.wafer, placed.software))} {
  rates_.instruction_cycles = overheads.instruction.value;
  rates_.rotation_cycles = overheads.rotation.value;
  for (const PlacedRegion& region : placed.placement.regions) {
    const mapping::Form form = region.form();
    auto known = std::find(forms_.begin(), forms_.end(), form);
    if (known == forms_.end()) known = forms_.insert(known, form);
    form_of_.push_back(static_cast<std::size_t>(known - forms_.begin()));
  }
}

const std::vector<Seconds>& PrefillTimer::stages(PromptChunk chunk, PrefillMethod method) {
  const Ways& ways = ways_of(chunk.tokens);
  std::vector<Times> of_form(forms_.size());
  const std::vector<PlacedRegion>& regions = placed_.placement.regions;
  stages_.assign(1, ways.enter);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const PlacedRegion& region = regions[i];
    if (region.use != RegionUse::layers) continue;
    Times& of_kind = of_form[form_of_[i]];
    if (of_kind.empty()) of_kind = layers(form_of_[i], chunk, method);
    Seconds stage;
    for (std::int64_t layer = 0; layer < region.layer_count; ++layer) {
      stage += of_kind[kinds_.of_layer[static_cast<std::size_t>(region.first_layer + layer)]];
    }
    // Only the last token goes on to the head: that is part of the first token's time.
    const bool onward = i + 1 < regions.size() && regions[i + 1].use == RegionUse::layers;
    if (onward && !region.next_on_other_wafer) stage += ways.transfer[i];
    stages_.push_back(stage);
    if (onward && region.next_on_other_wafer) stages_.push_back(ways.wafer_hop);
  }
  return stages_;
}

Bytes PrefillTimer::shortage(PromptChunk chunk, PrefillMethod method) {
  std::map<std::pair<std::size_t, std::size_t>, Bytes> needed;  // by form and kind
  Bytes shortage;
  for (std::size_t i = 0; i < placed_.placement.regions.size(); ++i) {
    const PlacedRegion& region = placed_.placement.regions[i];
    const Bytes room = region.sram.buffers + region.sram.free();
    for (std::int64_t k = 0; k < region.layer_count; ++k) {
      const std::size_t kind = kinds_.of_layer[static_cast<std::size_t>(region.first_layer + k)];
      const auto [entry, is_new] = needed.try_emplace({form_of_[i], kind});
      if (is_new) entry->second = buffers_of(*kinds_.layers[kind], forms_[form_of_[i]], chunk, method);
      if (entry->second > room) shortage = std::max(shortage, entry->second - room);
    }
  }
  return shortage;
}

Bytes PrefillTimer::buffers_of(const models::Layer& layer, const mapping::Form& form, PromptChunk chunk,
                               PrefillMethod method) {
  if (method == PrefillMethod::rows) return kernels::sram(rows_schedule(layer, form, chunk)).buffers;
  return prefill_buffers(layer, placed_.model.hidden_size, form.extent, chunk);
}

PrefillTimer::Times PrefillTimer::layers(std::size_t form, PromptChunk chunk, PrefillMethod method) {
  if (chunk.tokens >= step_) return layers_at(form, chunk, method);
  const std::int64_t below = (chunk.before - first_before_) / step_ * step_ + first_before_;
  const double share = static_cast<double>(chunk.before - below) / static_cast<double>(step_);
  Times times = layers_at(form, {chunk.tokens, below}, method);
  const Times& above = layers_at(form, {chunk.tokens, below + step_}, method);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] += (above[i] - times[i]) * share;
  return times;
}

const PrefillTimer::Times& PrefillTimer::layers_at(std::size_t form, PromptChunk chunk, PrefillMethod method) {
  Times& times = known_[{form, method, chunk.tokens, chunk.before}];
  if (!times.empty()) return times;
  const Hertz clock = placed_.wafer.clock.value;
  for (const models::Layer* layer : kinds_.layers) {
    const Cycles cycles =
        method == PrefillMethod::rows
            ? kernels::time(rows_schedule(*layer, forms_[form], chunk), row_rates_).total()
            : prefill_layer(*layer, placed_.model.kv_dtype, forms_[form].extent, chunk, rates_).total();
    times.push_back(cycles / clock);
  }
  return times;
}

const kernels::Schedule& PrefillTimer::rows_schedule(const models::Layer& layer, const mapping::Form& form,
                                                     PromptChunk chunk) {
  shop_.options.expert_bands = form.expert_bands;
  shop_.options.latent_copies = form.latent_copies;
  kernels::build_layer(layer, placed_.model.hidden_size, form.extent, rows_of(chunk), shop_, schedule_);
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
    // A tied embedding lies with the head, which is the last region.
    const bool own = regions.front().use == RegionUse::embedding;
    const PlacedRegion& holder = own ? regions.front() : regions.back();
    const std::int64_t sharing = placed_.placement.plan().sharing(holder.use);
    ways.enter = on_wafer(schedules.embedding(holder.form().extent, std::max<std::int64_t>(1, sharing)));
  }
  for (std::size_t i = 0; i + 1 < regions.size(); ++i) {
    ways.transfer.push_back(on_wafer(schedules.transfer(regions[i + 1].form().extent, regions[i].hops_to_next)));
  }
  return ways_[tokens] = std::move(ways);
}

}  // namespace waferline::estimate
