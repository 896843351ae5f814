// The dynamic program against every plan of its space, written out one by one and added up by the plan's own account.
#include <algorithm>
#include <functional>
#include <map>

#include "mapping/plan_check.hpp"
#include "mapping/strip_cuts.hpp"
#include "tests/property/placement/small_case.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::mapping;
using waferline::tests::Setting;
using waferline::tests::small_case;
using waferline::tests::SmallCase;

namespace {

/// Length, orientation and bands of a strip's regions.
struct Way {
  std::int64_t length = 0;
  bool turned = false;
  std::int64_t bands = 1;
};

/// Calls `visit` with every plan of the space that fits and holds the embedding as asked.
class BruteForce {
 public:
  using Visit = std::function<void(const Plan&)>;

  BruteForce(const Setting& setting, std::int64_t wafers, std::int64_t users, bool embedding, Visit visit)
      : setting_(setting), wafers_(wafers), users_(users), embedding_(embedding), visit_(std::move(visit)) {}

  void run() {
    const Extent usable = setting_.problem.wafer.usable();
    const std::int64_t most = StripCuts::most_regions(setting_.problem.layer_count() + 1, wafers_);
    for (const Axis along : {Axis::x, Axis::y}) {
      for (std::int64_t count = 1; count <= std::min(most, usable.along(other(along))); ++count) {
        const Strips strips(setting_.problem.wafer, along, count);
        strips_ = &strips;
        ways_.clear();
        const std::int64_t most_parts = std::max<std::int64_t>(most / count, 1);
        for (std::int64_t parts = 1; parts <= std::min(most_parts, strips.length()); ++parts) {
          for (const bool turned : {false, true}) {
            const std::int64_t bands = setting_.costs.has_experts() ? kMostExpertBands : 1;
            const Extent extent = strips.extent(strips.length() / parts);
            for (std::int64_t band = 1; band <= std::min(bands, turned ? extent.rows : extent.cols); band *= 2) {
              ways_.push_back({strips.length() / parts, turned, band});
            }
          }
        }
        begin();
      }
    }
  }

 private:
  std::int64_t strip_count() const { return wafers_ * strips_->per_wafer(); }

  PlannedRegion region(std::int64_t strip, std::int64_t slot, const Way& way) const {
    PlannedRegion region;
    region.region = strips_->region(strip, slot, way.length);
    region.turned = way.turned;
    region.expert_bands = way.bands;
    return region;
  }

  /// Fits, for the users asked for.
  bool fits(const PlannedRegion& region) const {
    return mapping::fits(sram_of(setting_.problem, plan_, region), setting_.problem.batch, users_);
  }

  void begin() {
    for (const Way& way : ways_) {
      plan_.regions.clear();
      if (!embedding_) {
        layers(0, 0, 0, way);
        continue;
      }
      const std::int64_t slots = strips_->slots(0, way.length);
      for (std::int64_t regions = 1; regions <= slots; ++regions) {
        PlannedRegion next = region(0, regions - 1, way);
        next.use = RegionUse::embedding;
        plan_.regions.push_back(next);
        if (!fits(next)) continue;  // with one region more it may
        if (regions < slots) {
          layers(0, regions, 0, way);
        } else if (strip_count() > 1) {
          for (const Way& other : ways_) layers(1, 0, 0, other);
        }
        break;
      }
    }
  }

  /// Goes on with layer `first` in this place; all regions of the strip before are used.
  void layers(std::int64_t strip, std::int64_t slot, std::int64_t first, const Way& way) {
    const std::int64_t all = setting_.problem.layer_count();
    const std::size_t size = plan_.regions.size();
    for (std::int64_t count = 1; first + count <= all; ++count) {
      PlannedRegion here = region(strip, slot, way);
      here.first_layer = first;
      here.layer_count = count;
      if (!fits(here)) break;
      plan_.regions.push_back(here);
      if (first + count == all) {
        heads(strip, slot + 1, way);
      } else if (slot + 1 < strips_->slots(strip, way.length)) {
        layers(strip, slot + 1, first + count, way);
      } else if (strip + 1 < strip_count()) {
        for (const Way& other : ways_) layers(strip + 1, 0, first + count, other);
      }
      plan_.regions.resize(size);
    }
  }

  /// The head in the rest of this strip or in the next.
  void heads(std::int64_t strip, std::int64_t slot, const Way& way) {
    if (slot < strips_->slots(strip, way.length)) head(strip, slot, {way.length, way.turned, 1});
    if (strip + 1 >= strip_count()) return;
    for (const Way& other : ways_) {
      if (other.bands == 1) head(strip + 1, 0, other);
    }
  }

  void head(std::int64_t strip, std::int64_t slot, const Way& way) {
    const std::size_t size = plan_.regions.size();
    for (std::int64_t regions = 1; regions <= kMostSharing && strip < strip_count(); ++regions) {
      PlannedRegion next = region(strip, slot, way);
      next.use = RegionUse::head;
      plan_.regions.push_back(next);
      if (fits(next)) visit_(plan_);
      if (++slot < strips_->slots(strip, way.length)) continue;
      ++strip;
      slot = 0;
    }
    plan_.regions.resize(size);
  }

  const Setting& setting_;
  std::int64_t wafers_;
  std::int64_t users_;
  bool embedding_;
  Visit visit_;
  const Strips* strips_ = nullptr;
  std::vector<Way> ways_;
  Plan plan_;
};

}  // namespace

TEST_CASE("The dynamic program finds the shortest pass of all plans of its space") {
  std::mt19937 random(20261203);
  int fitting = 0;
  std::int64_t plans = 0;
  for (int i = 0; i < 240; ++i) {
    const SmallCase one = small_case(random);
    Setting setting(one);
    const bool embedding = i % 2 == 1 && !one.model.tied_embeddings;
    double shortest = kEndless.value;
    BruteForce(setting, *one.request.wafers, one.request.batch, embedding, [&](const Plan& plan) {
      ++plans;
      shortest = std::min(shortest, pass_of(setting.problem, plan).value);
    }).run();
    StripCuts cuts(setting.problem, *one.request.wafers);
    cuts.place_embedding(embedding);
    const std::optional<Found> found = cuts.shortest({one.request.batch, kEndless});
    INFO("case " << i);
    REQUIRE(found.has_value() == (shortest < kEndless.value));
    if (!found) continue;
    ++fitting;
    CHECK(found->pass.value == Approx(shortest).epsilon(1e-12));
    CHECK(pass_of(setting.problem, found->plan).value == Approx(found->pass.value).epsilon(1e-12));
    CHECK(check(setting.assembly, setting.problem, found->plan).empty());
    CHECK(cuts.latency_bound(one.request.batch).value <= found->pass.value * (1 + 1e-12));
  }
  INFO(fitting << " cases fit, " << plans << " plans");
  CHECK(fitting >= 120);
}

TEST_CASE("The searches for throughput and for users find the best of all plans of the space") {
  std::mt19937 random(20261204);
  int fitting = 0;
  for (int i = 0; i < 120; ++i) {
    SmallCase one = small_case(random);
    Setting setting(one);
    const auto best_of = [&](std::int64_t users, bool embedding) {
      std::pair<double, std::int64_t> best{kEndless.value, 0};
      BruteForce(setting, *one.request.wafers, users, embedding, [&](const Plan& plan) {
        best.first = std::min(best.first, slowest_stage(setting.problem, plan).value);
        best.second = std::max(best.second, users_of(setting.problem, plan));
      }).run();
      return best;
    };
    std::pair<double, std::int64_t> best = best_of(one.request.batch, !one.model.tied_embeddings);
    if (best.second == 0 && !one.model.tied_embeddings) best = best_of(one.request.batch, false);
    INFO("case " << i);
    for (const Objective objective : {Objective::throughput, Objective::users}) {
      one.request.objective = objective;
      const PlaceResult result = place(one.model, one.wafer, one.software, one.request);
      REQUIRE(std::holds_alternative<Placement>(result) == (best.second > 0));
      if (best.second == 0) continue;
      const Placement& placement = std::get<Placement>(result);
      if (objective == Objective::throughput) {
        CHECK(placement.search.slowest_stage.value == Approx(best.first).epsilon(1e-9));
        CHECK(placement.search.stage_bound.value <= best.first * (1 + 1e-12));
      } else {
        CHECK(placement.max_users == best.second);
        CHECK(placement.search.users_bound >= best.second);
      }
      ++fitting;
    }
  }
  CHECK(fitting >= 120);
}
