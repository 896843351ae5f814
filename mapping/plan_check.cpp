#include "mapping/plan_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mapping/limits.hpp"

namespace waferline::mapping {
namespace {

class Checker {
 public:
  Checker(const Assembly& assembly, const Problem& problem, const Plan& plan)
      : assembly_(assembly), problem_(problem), plan_(plan) {}

  std::vector<PlanProblem> run() {
    if (plan_.regions.empty()) add(-1, "region", "the plan has no region");
    for (std::size_t i = 0; i < plan_.regions.size(); ++i) {
      check_place(static_cast<std::int64_t>(i));
      check_form(static_cast<std::int64_t>(i));
    }
    check_wafers();
    check_order();
    check_sharing(RegionUse::head);
    check_sharing(RegionUse::embedding);
    if (!problems_.empty()) return std::move(problems_);  // the rest would only repeat it
    check_overlaps();
    check_bytes();
    check_colors();
    return std::move(problems_);
  }

 private:
  const PlannedRegion& at(std::int64_t index) const { return plan_.regions[static_cast<std::size_t>(index)]; }
  void add(std::int64_t region, const char* key, std::string what) {
    problems_.push_back({region, key, std::move(what)});
  }

  void check_place(std::int64_t index) {
    const Region& region = at(index).region;
    const Extent usable = assembly_.wafer.usable();
    if (region.wafer < 0) add(index, "wafer", fmt::format("{} (permitted: 0 or more)", region.wafer));
    const auto side = [&](const char* first_key, const char* size_key, std::int64_t first, std::int64_t size,
                          std::int64_t all) {
      if (size < 1) {
        add(index, size_key, fmt::format("{} (permitted: 1 to {})", size, all));
      } else if (first < 0 || first > all - size) {
        add(index, first_key,
            fmt::format("{} with {} {} reaches outside the usable {} (permitted: 0 to {})", first, size, size_key, all,
                        std::max<std::int64_t>(all - size, 0)));
      }
    };
    side("row", "rows", region.row, region.extent.rows, usable.rows);
    side("col", "cols", region.col, region.extent.cols, usable.cols);
    check_defects(index, region);
  }

  /// An empty wafer between others would be counted and paid for.
  void check_wafers() {
    std::set<std::int64_t> used;
    for (const PlannedRegion& region : plan_.regions) used.insert(region.region.wafer);
    for (std::size_t i = 0; i < plan_.regions.size(); ++i) {
      const std::int64_t wafer = at(static_cast<std::int64_t>(i)).region.wafer;
      if (wafer <= 0 || used.count(wafer - 1) > 0) continue;
      add(static_cast<std::int64_t>(i), "wafer",
          fmt::format("{}, but no region lies on wafer {} (wafers count from 0 without gaps)", wafer, wafer - 1));
    }
  }

  void check_defects(std::int64_t index, const Region& region) {
    const auto inside = [](std::int64_t value, std::int64_t first, std::int64_t size) {
      return value >= first && value < first + size;
    };
    const Defects& defects = assembly_.wafer.defects;
    for (const std::int64_t row : defects.rows) {
      if (inside(row, region.row, region.extent.rows)) add(index, "row", fmt::format("row {} is defective", row));
    }
    for (const std::int64_t col : defects.cols) {
      if (inside(col, region.col, region.extent.cols)) add(index, "col", fmt::format("column {} is defective", col));
    }
    for (const PePosition& pe : defects.pes) {
      if (inside(pe.row, region.row, region.extent.rows) && inside(pe.col, region.col, region.extent.cols)) {
        add(index, "row", fmt::format("the PE in row {} and column {} is defective", pe.row, pe.col));
      }
    }
  }

  void check_form(std::int64_t index) {
    const PlannedRegion& region = at(index);
    const auto between = [&](const char* key, std::int64_t value, std::int64_t most) {
      if (value < 1 || value > most) add(index, key, fmt::format("{} (permitted: 1 to {})", value, most));
    };
    const std::int64_t cols = std::max<std::int64_t>(region.form().extent.cols, 1);
    between("expert_bands", region.expert_bands, problem_.costs.has_experts() ? cols : 1);
    between("latent_copies", region.latent_copies, std::max<std::int64_t>(problem_.costs.latent_heads(), 1));
  }

  /// Embedding, then all layers in their order, then the head.
  void check_order() {
    std::int64_t next = 0;
    const std::int64_t all = problem_.layer_count();
    RegionUse before = RegionUse::embedding;
    for (std::size_t i = 0; i < plan_.regions.size(); ++i) {
      const PlannedRegion& region = plan_.regions[i];
      const auto index = static_cast<std::int64_t>(i);
      if (region.use < before) {
        add(index, "use",
            fmt::format("{} after {}: the order is embedding, layers, head", name(region.use), name(before)));
      }
      before = region.use;
      if (region.use != RegionUse::layers) {
        if (region.layer_count != 0)
          add(index, "layers", fmt::format("an {} region holds no layers", name(region.use)));
        continue;
      }
      if (region.layer_count < 1) add(index, "layers", "holds no layer");
      if (region.first_layer != next) {
        add(index, "layers",
            fmt::format("begins with layer {}, expected {}: every layer is placed once, in order", region.first_layer,
                        next));
      }
      next = region.first_layer + std::max<std::int64_t>(region.layer_count, 0);
      if (next > all) add(index, "layers", fmt::format("ends with layer {} of {}", next - 1, all));
    }
    if (next != all) add(-1, "layers", fmt::format("layers {} to {} are placed nowhere", next, all - 1));
  }

  void check_sharing(RegionUse use) {
    const std::int64_t sharing = plan_.sharing(use);
    const std::string key(name(use));
    if (sharing > kMostSharing)
      add(-1, "use", fmt::format("{} {} regions (permitted: up to {})", sharing, key, kMostSharing));
    if (use == RegionUse::head && sharing == 0) add(-1, "use", "no region holds the output head");
    if (use == RegionUse::embedding && sharing > 0 && assembly_.model.tied_embeddings) {
      add(-1, "use", "the model's embedding is its head's matrix: it has no region of its own");
    }
    const PlannedRegion* first = nullptr;
    for (std::size_t i = 0; i < plan_.regions.size(); ++i) {
      const PlannedRegion& region = plan_.regions[i];
      if (region.use != use) continue;
      if (first != nullptr && region.form().extent != first->form().extent) {
        add(static_cast<std::int64_t>(i), "rows", fmt::format("regions that share the {} are of one size", key));
      }
      if (first == nullptr) first = &region;
    }
  }

  void check_overlaps() {
    for (std::size_t i = 0; i < plan_.regions.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (overlap(plan_.regions[i].region, plan_.regions[k].region)) {
          add(static_cast<std::int64_t>(i), "row", fmt::format("lies over region {}", k));
        }
      }
    }
  }

  void check_bytes() {
    for (std::size_t i = 0; i < plan_.regions.size(); ++i) {
      const SramUse use = sram_of(problem_, plan_, plan_.regions[i]);
      const std::int64_t users = std::max(assembly_.request.users, assembly_.request.batch);
      if (fits(use, problem_.batch, users)) continue;
      const std::int64_t caches = ceil_div(use.kv.value * users, problem_.batch);
      const std::int64_t needed = use.used().value - use.kv.value + caches;
      add(static_cast<std::int64_t>(i), "layers",
          fmt::format(
              "its fullest PE would hold {} B (weights {}, caches of {} user(s) {}, buffers {}, code {}, system {}), "
              "{} B more than its {} B: fewer layers or more PEs would help",
              needed, use.weights.value, users, caches, use.buffers.value, use.code.value, use.system.value,
              needed - use.capacity.value, use.capacity.value));
      problems_.back().shortage = true;
    }
  }

  void check_colors() {
    const std::int64_t colors = colors_of(assembly_, plan_);
    const std::int64_t available = assembly_.wafer.fabric.colors.value;
    if (colors > available)
      add(-1, "region", fmt::format("{} routing colors (permitted: up to {})", colors, available));
  }

  const Assembly& assembly_;
  const Problem& problem_;
  const Plan& plan_;
  std::vector<PlanProblem> problems_;
};

}  // namespace

std::vector<PlanProblem> check(const Assembly& assembly, const Problem& problem, const Plan& plan) {
  return Checker(assembly, problem, plan).run();
}

}  // namespace waferline::mapping
