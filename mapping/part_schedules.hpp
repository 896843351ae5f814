#pragma once
// Schedules of a model's parts under one software on one wafer, written into one scratch schedule.

#include <array>
#include <cstdint>
#include <map>

#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "kernels/layer_schedule.hpp"
#include "kernels/options.hpp"
#include "kernels/rates.hpp"
#include "kernels/schedule.hpp"
#include "mapping/placement.hpp"
#include "models/model.hpp"

namespace waferline::mapping {

/// Choices that a software profile makes for its schedules, with caches in the model's own type.
kernels::ScheduleOptions schedule_options(const models::Model& model, const SoftwareProfile& software);

/// Builds one schedule at a time; each call overwrites the one before. Keeps references to model and software.
class PartSchedules {
 public:
  PartSchedules(const models::Model& model, const Wafer& wafer, const SoftwareProfile& software,
                const kernels::Pass& pass);

  /// Routed experts are shared out over `expert_bands` bands of columns; the busiest band is taken to have its expected
  /// share of the chosen ones, rounded up.
  const kernels::Schedule& layer(const models::Layer& layer, const Form& form);
  /// Final norm, output head and sampling on one of `regions` regions over which the vocabulary is dealt out.
  const kernels::Schedule& head(Extent extent, std::int64_t regions);
  /// The token's row on one of `regions` regions over which the table's rows are dealt out.
  const kernels::Schedule& embedding(Extent extent, std::int64_t regions);
  /// The hidden vector to a region `hops` links away.
  const kernels::Schedule& transfer(Extent extent, std::int64_t hops);
  /// The chosen token to a region `hops` links away.
  const kernels::Schedule& feedback(Extent extent, std::int64_t hops);

  const kernels::Rates& rates() const { return rates_; }
  /// From now on, with caches of `context_tokens`.
  void set_context(std::int64_t context_tokens) { pass_.context_tokens = context_tokens; }
  /// Bytes of the hidden vectors of one pass, as they leave a wafer.
  Bytes hidden_bytes() const;

 private:
  const models::Model& share_of_vocabulary(std::int64_t regions);
  std::int64_t busiest_band(const models::Ffn& ffn, std::int64_t expert_bands);

  const models::Model* model_;
  kernels::Pass pass_;
  kernels::Rates rates_;
  kernels::Workshop shop_;
  kernels::Schedule schedule_;
  std::map<std::array<std::int64_t, 3>, std::int64_t> busiest_;  ///< by experts, chosen ones and bands
  models::Model surroundings_;                                   ///< embedding and head alone, of one region's share
};

/// Colors that the schedules of a placement keep: for each axis two for each level of a reduction, since neighbours
/// alternate, and one for its multicast; two for shifts, one for streams, one for each axis of a relayout.
class ColorCount {
 public:
  void add(const kernels::Schedule& schedule);
  std::int64_t colors() const;

 private:
  std::array<int, 2> levels_{};
  std::array<bool, 2> relayout_{};
  bool shift_ = false;
  bool stream_ = false;
};

}  // namespace waferline::mapping
