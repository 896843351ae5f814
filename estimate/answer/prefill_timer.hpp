#pragma once
// Times of the chunks of a prompt in the stages of a placement.

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "estimate/answer/prefill.hpp"
#include "mapping/part_costs.hpp"
#include "mapping/part_schedules.hpp"

namespace waferline::estimate {

/// Overheads of the matrix products of prefill; everything else is the wafer's and the software's.
struct ProductOverheads {
  Cycles instruction;
  Cycles rotation;
};

/// Chunks in a pipeline, one after the other: a stage takes a chunk when the chunk has left the stage before and the
/// chunk ahead has left this one. Model: F92.
class FlowLine {
 public:
  /// Sends a chunk, with its time in each stage, through; returns when it leaves the last. As many stages each time.
  Seconds send(std::span<const Seconds> stages);

 private:
  std::vector<Seconds> free_;  ///< when each stage has done with the chunk ahead
};

/// Stages: the embedding, each region with its way to the next, each link between wafers. Keeps what it was given.
/// The time of a layer is worked out at 33 lengths of what is in the cache, and on a line between them for chunks
/// shorter than their distance.
class PrefillTimer {
 public:
  PrefillTimer(const PlacedModel& placed, const PrefillRequest& request, const ProductOverheads& overheads);

  /// Times of a chunk of the request in every stage. The reference holds until the next call.
  const std::vector<Seconds>& stages(PromptChunk chunk, PrefillMethod method);

  /// Bytes that a chunk's activations are short of on the fullest PE beside weights and cache; 0 if they fit.
  Bytes shortage(PromptChunk chunk, PrefillMethod method);

 private:
  /// What moves between stages for a chunk of so many tokens.
  struct Ways {
    Seconds enter;                  ///< rows of the embedding
    Seconds wafer_hop;              ///< to the next wafer
    std::vector<Seconds> transfer;  ///< from each region to the next
  };
  using Times = std::vector<Seconds>;  ///< of each kind of layer
  Times layers(std::size_t form, PromptChunk chunk, PrefillMethod method);
  const Times& layers_at(std::size_t form, PromptChunk chunk, PrefillMethod method);
  const kernels::Schedule& rows_schedule(const models::Layer& layer, const mapping::Form& form, PromptChunk chunk);
  Bytes buffers_of(const models::Layer& layer, const mapping::Form& form, PromptChunk chunk, PrefillMethod method);
  const Ways& ways_of(std::int64_t tokens);

  PlacedModel placed_;
  mapping::LayerKinds kinds_;
  std::vector<mapping::Form> forms_;  ///< distinct ones of the regions with layers
  std::vector<std::size_t> form_of_;  ///< of each region
  PrefillRates rates_;
  std::int64_t first_before_;
  std::int64_t step_;  ///< between two lengths at which layers are timed
  kernels::Rates row_rates_;
  kernels::Workshop shop_;
  kernels::Schedule schedule_;
  std::map<std::int64_t, Ways> ways_;
  /// By form, method, tokens, before.
  std::map<std::tuple<std::size_t, PrefillMethod, std::int64_t, std::int64_t>, Times> known_;
  std::vector<Seconds> stages_;
};

}  // namespace waferline::estimate
