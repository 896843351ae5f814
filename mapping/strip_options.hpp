#pragma once
// The ways in which the regions of a strip can be cut and used, with what each layer costs in them.

#include <cstdint>
#include <vector>

#include "mapping/packing.hpp"
#include "mapping/part_costs.hpp"
#include "mapping/placement.hpp"
#include "mapping/strips.hpp"

namespace waferline::mapping {

/// Bands over which routed experts are shared out are tried in powers of two up to here.
inline constexpr std::int64_t kMostExpertBands = 32;
/// Copies of a latent cache are tried in powers of two up to here.
inline constexpr std::int64_t kMostLatentCopies = 64;
/// Regions over which the output head or the embedding is dealt out, at most.
inline constexpr std::int64_t kMostSharing = 16;

/// A model to be placed. Keeps references.
struct Problem {
  const models::Model& model;
  const Wafer& wafer;
  const LayerKinds& kinds;
  PartCosts& costs;
  SramUse empty;
  std::int64_t batch = 1;
  bool bands = true;  ///< experts may be shared out over bands of columns

  std::int64_t layer_count() const { return static_cast<std::int64_t>(kinds.of_layer.size()); }
};

/// What a plan has to keep to.
struct Limits {
  std::int64_t users = 1;  ///< caches to hold
  Cycles stage;            ///< most work of one region
};

/// Whether parts that add up to `use` stay within a PE's SRAM with caches of `users` users; use.kv is of `batch`.
bool fits(const SramUse& use, std::int64_t batch, std::int64_t users);

/// Length and orientation of a strip's regions: ways between them, head and embedding depend on no more.
struct StripShape {
  std::int64_t length = 0;
  bool turned = false;
  Extent extent;  ///< as schedules see it

  /// The region at a place of a strip.
  PlannedRegion region(const Strips& strips, std::int64_t strip, std::int64_t slot) const;
};

/// A shape with the forms that layers may have in it.
struct StripOption {
  std::size_t shape = 0;  ///< index into the list of shapes
  Form form;
  std::vector<PartCost> kinds;  ///< of each kind of layer
};

/// All shapes of regions that divide a strip into up to `most` equal parts.
std::vector<StripShape> list_shapes(const Strips& strips, std::int64_t most);

/// All options of these shapes, less those in which no layer fits and those that another of the same shape betters in
/// time and bytes of every kind of layer.
std::vector<StripOption> list_options(const Problem& problem, const std::vector<StripShape>& shapes);

}  // namespace waferline::mapping
