#include "mapping/part_schedules.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/expert_choice.hpp"
#include "kernels/plan_cache.hpp"

namespace waferline::mapping {
namespace {

std::int64_t rounded_up(double expected) {
  return static_cast<std::int64_t>(std::ceil(expected - 1e-9));
}

}  // namespace

kernels::ScheduleOptions schedule_options(const models::Model& model, const SoftwareProfile& software) {
  kernels::ScheduleOptions options = kernels::options_of(software);
  options.kv = model.kv_dtype;
  return options;
}

PartSchedules::PartSchedules(const models::Model& model, const Wafer& wafer, const SoftwareProfile& software,
                             const kernels::Pass& pass)
    : model_(&model),
      pass_(pass),
      rates_(kernels::rates_of(wafer, software)),
      shop_{schedule_options(model, software), kernels::PlanCache(kernels::choice_of(wafer, software))} {
  surroundings_.hidden_size = model.hidden_size;
  surroundings_.tied_embeddings = model.tied_embeddings;
  surroundings_.embedding = model.embedding;
  surroundings_.head = model.head;
  surroundings_.final_norm = model.final_norm;
  surroundings_.stored_embedding = model.stored_embedding;
  surroundings_.stored_head = model.stored_head;
  surroundings_.stored = model.stored;
}

const models::Model& PartSchedules::share_of_vocabulary(std::int64_t regions) {
  surroundings_.vocab_size = ceil_div(model_->vocab_size, regions);
  return surroundings_;
}

std::int64_t PartSchedules::busiest_band(const models::Ffn& ffn, std::int64_t expert_bands) {
  const std::int64_t bands = std::min(expert_bands, ffn.routed_experts);
  const auto [entry, is_new] = busiest_.try_emplace({ffn.routed_experts, ffn.active_experts, bands});
  if (is_new) {
    entry->second = rounded_up(kernels::expected_busiest_band(ffn.routed_experts, ffn.active_experts, bands));
  }
  return entry->second;
}

const kernels::Schedule& PartSchedules::layer(const models::Layer& layer, const Form& form) {
  kernels::ScheduleOptions& options = shop_.options;
  options.expert_bands = form.expert_bands;
  options.latent_copies = form.latent_copies;
  options.experts_in_busiest_band = 0;
  options.distinct_experts = 0;
  for (const models::Ffn& ffn : layer.ffns) {
    if (ffn.routed_experts == 0) continue;
    options.experts_in_busiest_band = busiest_band(ffn, form.expert_bands);
    if (form.expert_bands > 1 || pass_.batch == 1) continue;
    options.distinct_experts =
        rounded_up(kernels::expected_distinct_experts(ffn.routed_experts, ffn.active_experts, pass_.batch));
  }
  kernels::build_layer(layer, model_->hidden_size, form.extent, pass_, shop_, schedule_);
  return schedule_;
}

const kernels::Schedule& PartSchedules::head(Extent extent, std::int64_t regions) {
  kernels::build_head(share_of_vocabulary(regions), extent, pass_, shop_, schedule_);
  return schedule_;
}

const kernels::Schedule& PartSchedules::embedding(Extent extent, std::int64_t regions) {
  kernels::build_embedding(share_of_vocabulary(regions), extent, pass_, shop_, schedule_);
  return schedule_;
}

const kernels::Schedule& PartSchedules::transfer(Extent extent, std::int64_t hops) {
  kernels::build_transfer(model_->hidden_size, extent, hops, pass_, shop_, schedule_);
  return schedule_;
}

const kernels::Schedule& PartSchedules::feedback(Extent extent, std::int64_t hops) {
  kernels::build_feedback(extent, hops, pass_, shop_, schedule_);
  return schedule_;
}

Bytes PartSchedules::hidden_bytes() const {
  return packed_bytes(shop_.options.activation, model_->hidden_size * pass_.batch);
}

void ColorCount::add(const kernels::Schedule& schedule) {
  for (const kernels::Step& step : schedule.steps) {
    const auto axis = static_cast<std::size_t>(step.axis);
    switch (step.kind) {
      case kernels::StepKind::reduce_max:
      case kernels::StepKind::reduce_sum:
      case kernels::StepKind::select:
        levels_[axis] = std::max(levels_[axis], std::max(1, step.plan.levels));
        break;
      case kernels::StepKind::multicast:
      case kernels::StepKind::relayout:
        relayout_[axis] = true;
        break;
      case kernels::StepKind::shift:
        shift_ = true;
        break;
      case kernels::StepKind::stream:
        stream_ = true;
        break;
      default:
        break;
    }
  }
}

std::int64_t ColorCount::colors() const {
  std::int64_t colors = (shift_ ? 2 : 0) + (stream_ ? 1 : 0);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (levels_[axis] > 0) colors += 2 * levels_[axis] + 1;
    if (relayout_[axis]) ++colors;
  }
  return colors;
}

}  // namespace waferline::mapping
