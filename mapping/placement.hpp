#pragma once
// Where a model's parts lie: rectangles of PEs in a pipeline, over one wafer or several.
//
// A token visits the rectangles in order: the input embedding first, if it takes no further wafer (else the host sends
// its row), then the layers in their own order, then the output head. Rectangles may differ in size; each holds one
// part or several consecutive layers.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arch/region.hpp"
#include "arch/software.hpp"
#include "arch/units.hpp"
#include "arch/wafer.hpp"
#include "models/model.hpp"

namespace waferline::mapping {

enum class RegionUse : std::uint8_t { embedding, layers, head };

std::string_view name(RegionUse use);

/// How a part lies over its rectangle.
struct Form {
  Extent extent;                   ///< rows and columns as its schedules see them: the hidden vector is split over rows
  std::int64_t expert_bands = 1;   ///< bands of columns over which routed experts are shared out
  std::int64_t latent_copies = 1;  ///< copies of a latent cache, each with a share of the heads
  bool operator==(const Form&) const = default;
};

/// SRAM of one PE by use. `free` is what is left of `capacity`.
struct SramUse {
  Bytes weights;  ///< padding of ragged edges and block scales included
  Bytes kv;       ///< cache rows of all users and recurrent state
  Bytes buffers;  ///< activations, partial sums and what the software profile reserves
  Bytes code;
  Bytes system;
  Bytes capacity;

  Bytes used() const { return weights + kv + buffers + code + system; }
  Bytes free() const { return capacity - used(); }
  bool operator==(const SramUse&) const = default;
};

/// One rectangle and what is on it.
struct PlannedRegion {
  Region region;
  RegionUse use = RegionUse::layers;
  std::int64_t first_layer = 0;    ///< of `layers` regions
  std::int64_t layer_count = 0;    ///< consecutive layers held here; 0 in a head or embedding region
  bool turned = false;             ///< the schedules' rows are the rectangle's columns
  std::int64_t expert_bands = 1;   ///< see Form
  std::int64_t latent_copies = 1;  ///< see Form

  Form form() const {
    const Extent extent = region.extent;
    return {turned ? Extent{extent.cols, extent.rows} : extent, expert_bands, latent_copies};
  }
  /// Axis along which every PE holds the same part of the hidden vector.
  Axis replicated() const { return turned ? Axis::y : Axis::x; }
  bool operator==(const PlannedRegion&) const = default;
};

/// All that a placement decides; everything else follows from it.
struct Plan {
  std::vector<PlannedRegion> regions;  ///< in the order in which a token visits them

  /// Wafers 0 to wafers() - 1 are in use.
  std::int64_t wafers() const;
  /// Regions over which a part is dealt out.
  std::int64_t sharing(RegionUse use) const;
  bool operator==(const Plan&) const = default;
};

/// One rectangle of a placement with its account.
struct PlacedRegion : PlannedRegion {
  std::int64_t hops_to_next = 0;  ///< links from this region to the next; where that is on another wafer, to the edge
                                  ///< and from the edge
  bool next_on_other_wafer = false;
  SramUse sram;  ///< of its fullest PE
};

/// What a search was asked for.
enum class Objective : std::uint8_t { latency, throughput, users, wafers };

std::string_view name(Objective objective);

/// How a placement was found and how far from the best it can be.
struct SearchAccount {
  Objective objective = Objective::latency;
  std::string space;              ///< what was searched, in words
  std::int64_t tried = 0;         ///< moves tried after the search
  std::int64_t plans = 0;         ///< partial plans that the dynamic program compared, and whole ones tried
  std::optional<Cycles> optimum;  ///< shortest pass of all plans of the space (F104), where it was searched
  Cycles pass;                    ///< of one pass on the wafers, links between wafers included
  Cycles slowest_stage;           ///< work of the slowest region
  Cycles latency_bound;           ///< no plan of the space has a shorter pass
  Cycles stage_bound;             ///< nor a faster slowest stage
  std::int64_t users_bound = 0;   ///< nor room for more users, on so many wafers
  std::int64_t wafers_bound = 0;  ///< nor fewer wafers
  double gap_pct = 0;             ///< of the objective's own figure over its bound
};

/// A model on wafers.
struct Placement {
  std::int64_t wafers = 0;
  std::vector<PlacedRegion> regions;
  std::int64_t head_regions = 0;       ///< regions that share the output head; the vocabulary is dealt over them
  std::int64_t layers_per_region = 0;  ///< most layers that one region holds
  std::int64_t pes_used = 0;
  SramUse fullest;                      ///< of the fullest PE of all
  std::int64_t max_context_tokens = 0;  ///< most cached tokens of each of the requested users that fit
  std::int64_t max_users = 0;           ///< most users that fit at the requested context
  std::int64_t colors_used = 0;
  std::int64_t colors_available = 0;
  bool embedding_on_wafer = false;  ///< false: the host sends the row of the embedding
  SearchAccount search;
  std::vector<std::string> notes;

  Plan plan() const;
};

/// Why a model does not fit and what would help.
struct Misfit {
  std::string what;               ///< one sentence with the bytes that are short
  std::vector<std::string> help;  ///< e.g. "--wafers 22 or more", "--weight-bits 8"
  std::optional<std::int64_t> wafers_needed;
  std::string text() const;
};

/// How long to try, and with which random numbers. The same seed and number of steps give the same plan; how many steps
/// a time allows depends on the machine.
struct Refinement {
  std::int64_t steps = 0;  ///< 0: until the time is over
  Seconds time;            ///< 0: until the steps are done
  std::uint32_t seed = 1;
  /// Told now and then: steps done, and the objective's figure now against the start (1: no gain yet; lower is better).
  std::function<void(std::int64_t steps, double figure)> on_progress;
};

struct PlaceRequest {
  std::int64_t context_tokens = 0;     ///< cached tokens of each user
  std::int64_t batch = 1;              ///< users whose tokens pass together
  std::optional<std::int64_t> wafers;  ///< at most so many; nothing: the fewest that fit
  Objective objective = Objective::latency;
  std::int64_t users = 1;                               ///< caches to hold; those of the batch at least
  std::optional<Refinement> refinement = std::nullopt;  ///< nothing: the exact search alone
};

using PlaceResult = std::variant<Placement, Misfit>;

/// The best placement under `request.objective` on the fewest wafers (or on at most `request.wafers`).
/// latency: of all placements within 1 % of the shortest pass, the one with room for most users. throughput: the
/// fastest slowest region, then the shortest pass. users: room for most users, then the shortest pass. wafers: as
/// latency, but bands of experts are always allowed, which need fewer wafers.
/// Units:   cycles of one pass decide; capacity is checked to the byte on the fullest PE.
/// Errors:  ConfigError for a context, batch, users or wafers below 1; a model that does not fit is a Misfit.
PlaceResult place(const models::Model& model, const Wafer& wafer, const SoftwareProfile& software,
                  const PlaceRequest& request);

}  // namespace waferline::mapping
