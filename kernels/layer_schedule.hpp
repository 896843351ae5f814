#pragma once
// Schedules of what a decode step consists of: a layer, the embedding row, the output head, the way to the next
// rectangle.

#include <cstdint>

#include "arch/region.hpp"
#include "kernels/builder.hpp"
#include "kernels/options.hpp"
#include "kernels/plan_cache.hpp"
#include "kernels/schedule.hpp"
#include "models/model.hpp"

namespace waferline::kernels {

/// Everything that the schedules of one software on one wafer share. One for each thread.
struct Workshop {
  ScheduleOptions options;
  PlanCache plans;
};

/// Writes the schedule of one layer into `out`, whose memory is used again. The hidden vector enters and leaves split
/// along y (rows of PEs) and replicated along x; it is the first tensor.
/// Preconditions: extent at least 1 x 1, batch and context_tokens at least 1, sizes of the layer as its kind needs
/// them.
void build_layer(const models::Layer& layer, std::int64_t hidden_size, Extent extent, const Pass& pass, Workshop& shop,
                 Schedule& out);

/// The token's row of the embedding: rows of the table lie along x, channels along y; the owner's column multicasts.
void build_embedding(const models::Model& model, Extent extent, const Pass& pass, Workshop& shop, Schedule& out);

/// Final norm, output head, greedy or top-k choice. The logits are summed along y to one row of PEs, which chooses
/// along x.
void build_head(const models::Model& model, Extent extent, const Pass& pass, Workshop& shop, Schedule& out);

/// The hidden vector from this rectangle to the next, `distance` hops from edge to edge, and over its columns.
void build_transfer(std::int64_t hidden_size, Extent extent, std::int64_t distance, const Pass& pass, Workshop& shop,
                    Schedule& out);

/// The chosen token back to the embedding, `distance` hops away.
void build_feedback(Extent extent, std::int64_t distance, const Pass& pass, Workshop& shop, Schedule& out);

/// The layer that WaferLLM's released decode kernel runs in place of a Llama layer: one head as wide as the model, K
/// and V of full width, gated FFN. Its rotation is left out, as it lies outside the counts that the kernel is compared
/// by.
models::Layer released_waferllm_layer(std::int64_t hidden_size, std::int64_t intermediate_size);

}  // namespace waferline::kernels
