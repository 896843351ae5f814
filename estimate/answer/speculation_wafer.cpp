// Follows: docs/model/60-serving.md, F65, F66 and F96.
#include "estimate/answer/speculation_wafer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/error.hpp"
#include "estimate/pass_time.hpp"
#include "mapping/part_costs.hpp"
#include "models/weights.hpp"

namespace waferline::estimate {
namespace {

/// Whether activations of so many rows find room beside weights and cache on the fullest PE.
bool has_room(const PlacedModel& placed, const mapping::LayerKinds& kinds, const kernels::Pass& pass) {
  mapping::PartCosts costs(placed.model, kinds, placed.wafer, placed.software, pass);
  for (const mapping::PlacedRegion& region : placed.placement.regions) {
    const Bytes room = region.sram.buffers + region.sram.free();
    for (std::int64_t i = 0; i < region.layer_count; ++i) {
      const std::size_t kind = kinds.of_layer[static_cast<std::size_t>(region.first_layer + i)];
      if (costs.layer(kind, region.form()).buffers > room) return false;
    }
  }
  return true;
}

/// F96: one behind the other each further row holds the slowest stage once; as a batch the rows share hops and stages.
Seconds verification_time(const PlacedModel& placed, const mapping::LayerKinds& kinds, std::int64_t rows,
                          std::int64_t context_tokens) {
  const auto pass = [&](std::int64_t batch) {
    return time_pass({placed.model, kinds, placed.placement, {batch, context_tokens, 1}}, placed.wafer,
                     placed.software);
  };
  const PassTime single = pass(1);
  const Seconds slowest = *std::max_element(single.stages.begin(), single.stages.end());
  const Seconds streamed = single.total() + slowest * static_cast<double>(rows - 1);
  if (!has_room(placed, kinds, {rows, context_tokens, 1})) return streamed;
  return std::min(streamed, pass(rows).total());
}

/// What surrounds a prediction layer as a layer: its joining projection, from two hidden vectors to one.
Seconds joining_time(const PlacedModel& placed, mapping::PartSchedules& schedules) {
  models::Layer joining;
  for (const models::Weight& weight : placed.model.mtp_extra) {
    if (weight.cols != 2 * placed.model.hidden_size || weight.rows != placed.model.hidden_size) continue;
    joining.weights = {weight};
    joining.weights.front().role = models::WeightRole::other;
    break;
  }
  if (joining.weights.empty()) return Seconds{};
  const kernels::Schedule& schedule = schedules.layer(joining, placed.placement.regions.back().form());
  return kernels::time(schedule, schedules.rates()).total() / placed.wafer.clock.value;
}

void require_room_for_layer(const PlacedModel& placed, std::int64_t context_tokens) {
  models::Model with_layer = placed.model;
  with_layer.layers.push_back(placed.model.mtp_layers.front());
  const mapping::PlaceResult result =
      mapping::place(with_layer, placed.wafer, placed.software, {context_tokens, 1, placed.placement.wafers});
  if (const auto* misfit = std::get_if<mapping::Misfit>(&result)) {
    throw DoesNotFit("--draft mtp: the prediction layer beside the others: " + misfit->text());
  }
}

}  // namespace

DraftCost draft_by_model(const models::Model& draft, const PlacedModel& placed, std::int64_t context_tokens) {
  if (draft.vocab_size != placed.model.vocab_size) {
    throw ConfigError(
        fmt::format("--draft: {} has {} tokens in its vocabulary, {} has {}: its drafts cannot be verified", draft.name,
                    draft.vocab_size, placed.model.name, placed.model.vocab_size));
  }
  DecodeRequest request;
  request.context_tokens = context_tokens;
  const DecodeEstimate estimate = estimate_decode(draft, placed.wafer, placed.software, request);
  DraftCost cost;
  cost.source = DraftSource::model;
  cost.wafers = estimate.placement.wafers;
  // The last drafted token and the verdict travel between the two placements: not counted, a link each way and round.
  cost.token = estimate.pass.expected;
  cost.what = fmt::format("{} on {} further {}", draft.name, cost.wafers, placed.wafer.name);
  return cost;
}

DraftCost draft_by_mtp_head(const PlacedModel& placed, std::int64_t context_tokens) {
  const models::Model& model = placed.model;
  if (model.mtp_layers.empty()) {
    throw ConfigError(
        fmt::format("--draft: {} holds no multi-token-prediction layer, permitted is a draft model or a "
                    "time",
                    model.name));
  }
  require_room_for_layer(placed, context_tokens);
  // Beside the head, on a region like its own.
  const mapping::Form form = placed.placement.regions.back().form();
  mapping::PartSchedules schedules(model, placed.wafer, placed.software, {1, context_tokens, 1});
  const auto time = [&](const kernels::Schedule& schedule) {
    return kernels::time(schedule, schedules.rates()).total() / placed.wafer.clock.value;
  };
  DraftCost cost;
  cost.source = DraftSource::mtp_head;
  cost.token = joining_time(placed, schedules) + time(schedules.layer(model.mtp_layers.front(), form)) +
               time(schedules.head(form.extent, std::max<std::int64_t>(1, placed.placement.head_regions)));
  cost.what = "the model's own prediction layer and its output head";
  return cost;
}

SpeculationAnswer study_speculation_on_wafers(const PlacedModel& placed, std::int64_t context_tokens,
                                              SpeculationRequest request) {
  const mapping::LayerKinds kinds = mapping::group_layers(placed.model);
  SpeculationAnswer answer;
  answer.fixed_per_token = placed.software.fixed_per_token.value;
  const auto rows = static_cast<std::int64_t>(request.acceptance.size()) + 1;
  SpeculationCosts costs;
  costs.drafted_token = request.draft.token;
  std::vector<double> tokens;
  for (std::int64_t k = 0; k < rows; ++k) {
    tokens.push_back(expected_tokens(std::span(request.acceptance).first(static_cast<std::size_t>(k))));
    answer.verification.push_back(verification_time(placed, kinds, k + 1, context_tokens));
    costs.verification.push_back(answer.verification.back() + answer.fixed_per_token * tokens.back());
  }
  answer.study = study_speculation(costs, tokens);
  answer.request = std::move(request);
  return answer;
}

}  // namespace waferline::estimate
