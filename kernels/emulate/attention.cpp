// Follows: WaferLLM (arXiv 2502.04563), section 4.3; grouped queries (arXiv 2305.13245).
#include <algorithm>
#include <cmath>

#include "kernels/emulate/machine.hpp"
#include "kernels/emulate/threads.hpp"
#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {
namespace {

constexpr std::int64_t kLanes = simd::kPanelOutputs;

/// Bounds of the dimensions of one head on the PEs of its line.
std::vector<std::int64_t> dimension_bounds(const Bands& bands, std::int64_t head) {
  if (!bands.banded()) return {0, bands.head_dim};
  const Range pes = bands.band(head);
  std::vector<std::int64_t> bounds{0};
  for (std::int64_t pe = pes.begin; pe < pes.end(); ++pe) bounds.push_back(bands.dims_at(pe).end());
  return bounds;
}

}  // namespace

void Machine::append(const Step& step, StepCounters& counters) {
  const Buffer& entry = buffer(step.input);
  for (std::int64_t copy = 0; copy < schedule_->batch; ++copy) {
    bindings_->caches.at(step.output)[static_cast<std::size_t>(copy)]->append(entry.of(copy));
  }
  const Bands& bands = tensor(step.input).along_x;
  for (const std::int64_t part : pieces(bands)) {
    PeWork work;
    work.instruction(bands.size(part), schedule_->batch);
    observe_at(counters, schedule_->extent.rows - 1, part, work);
  }
  // On one row there is no neighbour to pass to, but a window still drops its oldest position.
  if (tensor(step.output).along_y.parts > 1) return;
  for (KvCache* cache : bindings_->caches.at(step.output)) cache->shift(tensor(step.output).along_y.elements());
}

void Machine::shift(const Step& step, StepCounters& counters) {
  std::int64_t most = 0;
  for (const TensorId id : {step.second, step.output}) {
    const auto found = bindings_->caches.find(id);  // a cache that travels alone has no second one
    if (found == bindings_->caches.end()) continue;
    for (KvCache* cache : found->second) most = std::max(most, cache->shift(tensor(id).along_y.elements()));
  }
  count_travel(step, counters);
  counters.combines = 0;
}

void Machine::complete_scores(TensorId id, const CollectivePlan& plan) {
  const Bands& heads = tensor(schedule_->steps[buffer(id).pending.front()].input).along_x;
  const std::int64_t macs = schedule_->batch * heads.elements() * buffer(id).ys;
  for (std::int64_t head = 0; head < heads.heads; ++head) fold(plan, heads.banded() ? heads.band(head).size : 1);
  for_each_task(schedule_->batch * heads.heads, macs, options_.threads, [&](std::int64_t task, std::vector<float>&) {
    const std::int64_t head = task % heads.heads;
    const Fold& line = fold(plan, heads.banded() ? heads.band(head).size : 1);
    scores_of_head(id, task / heads.heads, head, line);
  });
}

void Machine::scores_of_head(TensorId id, std::int64_t copy, std::int64_t head, const Fold& line) {
  Buffer& scores = buffer(id);
  const std::int64_t positions = scores.ys;
  const std::int64_t group = tensor(schedule_->steps[scores.pending.front()].input).along_x.group;
  std::vector<float> keys;
  std::vector<float> partial(static_cast<std::size_t>(group * line.pes * kLanes));
  for (std::int64_t first = 0; first < positions; first += kLanes) {
    const std::int64_t count = std::min(kLanes, positions - first);
    std::fill(partial.begin(), partial.end(), 0.0F);
    for (const std::size_t index : scores.pending) {
      const Step& step = schedule_->steps[index];
      const Bands& heads = tensor(step.input).along_x;
      const std::vector<std::int64_t> bounds = dimension_bounds(heads, head);
      const std::vector<const float*> entries =
          bindings_->caches.at(step.second)[static_cast<std::size_t>(copy)]->entries();
      const std::int64_t key_head = tensor(step.second).along_x.heads == heads.heads ? head : 0;
      // Positions side by side, one dimension after the other: 64 positions are the lanes of a panel.
      keys.assign(static_cast<std::size_t>(heads.head_dim * kLanes), 0.0F);
      for (std::int64_t lane = 0; lane < count; ++lane) {
        const float* key = entries[static_cast<std::size_t>(first + lane)] + key_head * heads.head_dim;
        for (std::int64_t dim = 0; dim < heads.head_dim; ++dim)
          keys[static_cast<std::size_t>(dim * kLanes + lane)] = key[dim];
      }
      for (std::int64_t member = 0; member < group; ++member) {
        const float* query = buffer(step.input).of(copy).data() + (head * group + member) * heads.head_dim;
        const auto sums = std::span(partial).subspan(static_cast<std::size_t>(member * line.pes * kLanes),
                                                     static_cast<std::size_t>(line.pes * kLanes));
        simd::panel_partials(options_.set, {simd::PanelFormat::fp32, keys.data()}, query, bounds, fp16_sums(),
                             sums.data());
        round_in_place(type(id), sums);
      }
    }
    for (std::int64_t member = 0; member < group; ++member) {
      const auto sums = std::span(partial).subspan(static_cast<std::size_t>(member * line.pes * kLanes),
                                                   static_cast<std::size_t>(line.pes * kLanes));
      const auto done = run_fold(line, Reduction::sum, type(id), options_.set, sums, kLanes);
      std::copy_n(done.begin(), count, scores.of(copy).data() + (head * group + member) * positions + first);
    }
  }
}

void Machine::complete_values(TensorId id, const CollectivePlan& plan) {
  const Bands& heads = tensor(id).along_x;
  const Fold& line = fold(plan, schedule_->extent.along(Axis::y));
  const std::int64_t macs =
      schedule_->batch * heads.elements() * buffer(schedule_->steps[buffer(id).pending.front()].input).ys;
  for_each_task(schedule_->batch * heads.heads, macs, options_.threads, [&](std::int64_t task, std::vector<float>&) {
    values_of_head(id, task / heads.heads, task % heads.heads, line);
  });
}

void Machine::values_of_head(TensorId id, std::int64_t copy, std::int64_t head, const Fold& line) {
  Buffer& output = buffer(id);
  const Step& step = schedule_->steps[output.pending.front()];
  const Bands& heads = tensor(id).along_x;
  const Buffer& weights = buffer(step.input);
  const KvCache& cache = *bindings_->caches.at(step.second)[static_cast<std::size_t>(copy)];
  const std::vector<const float*> entries = cache.entries();
  const std::vector<std::int64_t> bounds = cache.bounds();
  const auto positions = static_cast<std::int64_t>(entries.size());
  const std::int64_t value_head = tensor(step.second).along_x.heads == heads.heads ? head : 0;
  std::vector<float> values;
  std::vector<float> partial;
  for (std::int64_t first = 0; first < heads.head_dim; first += kLanes) {
    const std::int64_t count = std::min(kLanes, heads.head_dim - first);
    values.assign(static_cast<std::size_t>(positions * kLanes), 0.0F);
    for (std::int64_t position = 0; position < positions; ++position) {
      std::copy_n(entries[static_cast<std::size_t>(position)] + value_head * heads.head_dim + first, count,
                  values.begin() + position * kLanes);
    }
    for (std::int64_t member = 0; member < heads.group; ++member) {
      const std::int64_t vector = head * heads.group + member;
      const simd::PanelTerm term{
          {simd::PanelFormat::fp32, values.data()}, weights.of(copy).data() + vector * weights.ys, bounds};
      const auto done = sum_products(line, {&term, 1}, type(id), fp16_sums(), options_.set, partial);
      std::copy_n(done.begin(), count, output.of(copy).data() + vector * heads.head_dim + first);
    }
  }
}

void Machine::soften(const Step& step, StepCounters& counters) {
  Buffer& scores = buffer(step.output);
  const Buffer& maxima = buffer(step.second);
  const float scale = constants_.attention_scale;
  constexpr std::int64_t kExponentialMacs = 20;  // one exponential takes about as long as these
  for_each_task(scores.copies * scores.xs, scores.copies * scores.elements() * kExponentialMacs, options_.threads,
                [&](std::int64_t vector, std::vector<float>&) {
                  const auto row =
                      std::span(scores.values)
                          .subspan(static_cast<std::size_t>(vector * scores.ys), static_cast<std::size_t>(scores.ys));
                  const float maximum = maxima.values[static_cast<std::size_t>(vector)];
                  for (float& value : row) value = (value - maximum) * scale;
                  simd::exp_in_place(options_.set, row.data(), scores.ys);
                  round_in_place(type(step.output), row);
                });
  const Tensor& grid = tensor(step.output);
  for (const std::int64_t col : pieces(grid.along_x)) {
    for (const std::int64_t row : pieces(grid.along_y)) {
      PeWork work;
      const std::int64_t vectors = grid.along_x.size(col) * scores.copies;
      work.instruction(grid.along_y.size(row), vectors);
      work.exponentials = vectors * grid.along_y.size(row);
      observe_at(counters, row, col, work);
    }
  }
}

void Machine::divide(const Step& step, StepCounters& counters) {
  Buffer& output = buffer(step.output);
  const Buffer& sums = buffer(step.second);
  const Bands& bands = tensor(step.output).along_x;
  const DType stored = type(step.output);
  for (std::int64_t vector = 0; vector < output.copies * bands.heads * bands.group; ++vector) {
    const float reciprocal = 1.0F / sums.values[static_cast<std::size_t>(vector)];
    const auto dims =
        std::span(output.values)
            .subspan(static_cast<std::size_t>(vector * bands.head_dim), static_cast<std::size_t>(bands.head_dim));
    for (float& value : dims) value *= reciprocal;
    round_in_place(stored, dims);
  }
  for (const std::int64_t part : pieces(bands)) {
    PeWork work;
    work.specials = bands.heads_at(part).size * bands.group * output.copies;
    work.instruction(bands.dims_at(part).size, work.specials);
    observe(counters, Axis::x, part, work);
  }
}

}  // namespace waferline::kernels::emulate
