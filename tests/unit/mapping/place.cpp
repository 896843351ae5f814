#include "mapping/placement.hpp"

#include <algorithm>

#include "arch/error.hpp"
#include "mapping/part_costs.hpp"
#include "models/library.hpp"
#include "models/overrides.hpp"
#include "tests/support/catch.hpp"

using waferline::Bytes;
using waferline::load_software;
using waferline::load_wafer;
using waferline::SoftwareProfile;
using waferline::Wafer;
using waferline::mapping::Misfit;
using waferline::mapping::place;
using waferline::mapping::PlacedRegion;
using waferline::mapping::Placement;
using waferline::mapping::PlaceResult;
using waferline::mapping::RegionUse;
using waferline::models::load_model;
using waferline::models::Model;

namespace {

Placement placed(const Model& model, const Wafer& wafer, const SoftwareProfile& software,
                 const waferline::mapping::PlaceRequest& request) {
  const PlaceResult result = place(model, wafer, software, request);
  REQUIRE(std::holds_alternative<Placement>(result));
  return std::get<Placement>(result);
}

}  // namespace

TEST_CASE("Llama 8B, 70B and 405B in 16 bits take one, four and 22 wafers, as publicly stated") {
  const Wafer wafer = load_wafer("wse3");
  const SoftwareProfile software = load_software("service-2024");
  CHECK(placed(load_model("llama-3.1-8b"), wafer, software, {1000, 1, {}}).wafers == 1);
  CHECK(placed(load_model("llama-3.1-70b"), wafer, software, {1000, 1, {}}).wafers == 4);
  CHECK(placed(load_model("llama-3.1-405b"), wafer, software, {1000, 1, {}}).wafers == 22);
}

TEST_CASE("Every layer is placed once, in order, and no PE holds more than its SRAM") {
  const Model model = load_model("gpt-oss-120b");
  const Wafer wafer = load_wafer("wse3");
  const Placement placement = placed(model, wafer, load_software("service-2024"), {4096, 1, {}});
  std::int64_t next_layer = 0;
  std::int64_t heads = 0;
  for (const PlacedRegion& region : placement.regions) {
    CHECK(region.sram.used() <= region.sram.capacity);
    CHECK(region.sram.free() >= placement.fullest.free());
    if (region.use == RegionUse::head) ++heads;
    if (region.use != RegionUse::layers) continue;
    CHECK(region.first_layer == next_layer);
    next_layer += region.layer_count;
  }
  CHECK(next_layer == static_cast<std::int64_t>(model.layers.size()));
  CHECK(heads == placement.head_regions);
  CHECK(placement.colors_used <= placement.colors_available);
}

TEST_CASE("The longest context fits and one token more does not") {
  const Model model = load_model("llama-3.1-8b");
  const Wafer wafer = load_wafer("wse3");
  const SoftwareProfile software = load_software("waferllm");
  const Placement placement = placed(model, wafer, software, {2048, 1, 1});
  const waferline::mapping::LayerKinds kinds = waferline::mapping::group_layers(model);
  const auto free_at = [&](std::int64_t context) {
    waferline::mapping::PartCosts costs(model, kinds, wafer, software, {1, context, 1});
    std::int64_t least = wafer.pe.sram.value.value;
    for (const PlacedRegion& region : placement.regions) {
      if (region.use != RegionUse::layers) continue;
      const waferline::mapping::PartCost& layer = costs.layer(0, region.form());
      const Bytes fixed = software.code.value + software.system.value + std::max(layer.buffers, software.buffers.value);
      least = std::min(least, (wafer.pe.sram.value - fixed - (layer.weights + layer.kv) * region.layer_count).value);
    }
    return least;
  };
  CHECK(free_at(placement.max_context_tokens) >= 0);
  CHECK(free_at(placement.max_context_tokens + 1) < 0);
}

TEST_CASE("What does not fit says how much is short, how many wafers would do, and what else would help") {
  const Wafer wafer = load_wafer("wse3");
  const SoftwareProfile software = load_software("service-2024");
  const Model model = load_model("llama-3.1-70b");
  const PlaceResult result = place(model, wafer, software, {1000, 1, 3});
  REQUIRE(std::holds_alternative<Misfit>(result));
  const Misfit& misfit = std::get<Misfit>(result);
  CHECK(misfit.wafers_needed == 4);
  CHECK(misfit.text().find("--wafers 4") != std::string::npos);
  CHECK(misfit.text().find("--weight-bits 8") != std::string::npos);
  const Model narrow = waferline::models::stored_as(model, {8, {}});
  CHECK(std::holds_alternative<Placement>(place(narrow, wafer, software, {1000, 1, 3})));
}

TEST_CASE("A wafer too small for a single layer is a misfit that names the layer's bytes") {
  const PlaceResult result =
      place(load_model("llama-3.1-8b"), load_wafer("tiny"), load_software("ideal"), {128, 1, {}});
  REQUIRE(std::holds_alternative<Misfit>(result));
  CHECK(std::get<Misfit>(result).what.find("layer 0 alone") != std::string::npos);
}

TEST_CASE("A context, batch or number of wafers below one is refused by name") {
  const Model model = load_model("smollm2-135m");
  const Wafer wafer = load_wafer("wse3");
  const SoftwareProfile software = load_software("ideal");
  CHECK_THROWS_AS(place(model, wafer, software, {0, 1, {}}), waferline::ConfigError);
  CHECK_THROWS_AS(place(model, wafer, software, {1, 0, {}}), waferline::ConfigError);
  CHECK_THROWS_AS(place(model, wafer, software, {1, 1, 0}), waferline::ConfigError);
}
