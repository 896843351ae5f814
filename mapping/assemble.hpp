#pragma once
// From a plan to the full account of a placement, or of what is short.

#include <cstdint>
#include <vector>

#include "mapping/part_costs.hpp"
#include "mapping/placement.hpp"
#include "mapping/strip_options.hpp"

namespace waferline::mapping {

/// Everything that an account needs.
struct Assembly {
  const models::Model& model;
  const Wafer& wafer;
  const SoftwareProfile& software;
  const PlaceRequest& request;
  const LayerKinds& kinds;
  PartCosts& costs;
};

/// Cycles of what one region of a plan does in a pass, without the way to the next. Regions that share the head or the
/// embedding work at the same time; each has the same work.
Cycles work_of(const Problem& problem, const Plan& plan, const PlannedRegion& region);

/// Cycles of one pass: the work of all regions, shared parts once, and all ways between them. F103.
Cycles pass_of(const Problem& problem, const Plan& plan);

/// Cycles of the slowest region's work.
Cycles slowest_stage(const Problem& problem, const Plan& plan);

/// SRAM of the fullest PE of one region of a plan.
SramUse sram_of(const Problem& problem, const Plan& plan, const PlannedRegion& region);

/// Most users whose caches fit in every region of a plan; 0 if some region does not even hold its weights.
std::int64_t users_of(const Problem& problem, const Plan& plan);

/// Most users for whose caches so many wafers could have room if no byte were lost to padding or to the edges of
/// regions; no fewer than any plan has room for.
std::int64_t users_bound(const Problem& problem, std::int64_t wafers);

/// The account of a plan that fits.
Placement assemble(const Assembly& assembly, const Problem& problem, const Plan& plan);

Misfit no_room_at_all(const Assembly& assembly);
Misfit layer_too_large(const Assembly& assembly);
Misfit too_few_wafers(const Assembly& assembly, std::int64_t needed);

}  // namespace waferline::mapping
