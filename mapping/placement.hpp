#pragma once
// Where a model's layers lie: equal rectangles of PEs in a pipeline, over one wafer or several.
//
// The usable rectangle of each wafer is cut into grid_rows x grid_cols equal regions; a token visits them in snake
// order. The input embedding comes first, if it takes no further wafer (else the host sends its row), then the layers
// in their own order, as many to a region as its SRAM takes, then the output head.

#include <cstdint>
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

/// One region of the pipeline, in the order in which a token visits them.
struct PlacedRegion {
  Region region;
  RegionUse use = RegionUse::layers;
  std::int64_t first_layer = 0;  ///< of `layers` regions
  std::int64_t layer_count = 0;  ///< consecutive layers held here; 0 in a head region
  std::int64_t hops_to_next =
      0;  ///< links from this region's last PE to the next region, 0 if that is on another wafer
  bool next_on_other_wafer = false;
  SramUse sram;  ///< of its fullest PE
};

/// A model on wafers.
struct Placement {
  std::int64_t wafers = 0;
  std::int64_t grid_rows = 0;  ///< regions of one wafer, from top to bottom
  std::int64_t grid_cols = 0;  ///< and from left to right
  Extent region_extent;
  bool turned = false;                 ///< the schedules' rows are this placement's columns
  std::int64_t layers_per_region = 0;  ///< most layers that one region holds
  std::int64_t head_regions = 0;       ///< regions that share the output head; the vocabulary is dealt over them
  std::vector<PlacedRegion> regions;
  std::int64_t pes_used = 0;
  SramUse fullest;                      ///< of the fullest PE of all
  std::int64_t max_context_tokens = 0;  ///< most cached tokens of each of the requested users that fit
  std::int64_t max_users = 0;           ///< most users that fit at the requested context
  std::int64_t colors_used = 0;
  std::int64_t colors_available = 0;
  bool embedding_on_wafer = false;  ///< false: the host sends the row of the embedding
  std::vector<std::string> notes;

  /// Rows and columns of a region as the schedules see them: the hidden vector is split over the rows.
  Extent schedule_extent() const { return turned ? Extent{region_extent.cols, region_extent.rows} : region_extent; }
};

/// Why a model does not fit and what would help.
struct Misfit {
  std::string what;               ///< one sentence with the bytes that are short
  std::vector<std::string> help;  ///< e.g. "--wafers 22 or more", "--weight-bits 8"
  std::optional<std::int64_t> wafers_needed;
  std::string text() const;
};

struct PlaceRequest {
  std::int64_t context_tokens = 0;     ///< cached tokens of each user
  std::int64_t batch = 1;              ///< users whose tokens pass together
  std::optional<std::int64_t> wafers;  ///< exactly so many; nothing: the fewest that fit
};

using PlaceResult = std::variant<Placement, Misfit>;

/// The placement of lowest latency on the fewest wafers (or on exactly `request.wafers`).
/// Units:   cycles of one pass decide; capacity is checked to the byte on the fullest PE.
/// Errors:  ConfigError for a context or batch below 1 or wafers below 1; a model that does not fit is a Misfit.
PlaceResult place(const models::Model& model, const Wafer& wafer, const SoftwareProfile& software,
                  const PlaceRequest& request);

}  // namespace waferline::mapping
