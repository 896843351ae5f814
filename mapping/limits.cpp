#include "mapping/limits.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "kernels/count.hpp"
#include "mapping/packing.hpp"

namespace waferline::mapping {
namespace {

/// Asks the regions of a plan after another context. Regions that hold the same need to be asked once.
class ContextCheck {
 public:
  ContextCheck(const Assembly& assembly, const Plan& plan)
      : assembly_(assembly),
        empty_(empty_region(assembly.wafer, assembly.software)),
        schedules_(assembly.model, assembly.wafer, assembly.software, {assembly.request.batch, 1, 1}) {
    for (const PlannedRegion& region : plan.regions) {
      if (region.use != RegionUse::layers) continue;
      Counts counts;
      for (std::int64_t i = 0; i < region.layer_count; ++i) {
        const std::size_t kind = assembly.kinds.of_layer[static_cast<std::size_t>(region.first_layer + i)];
        ++counts[index_of(kind, region.form())];
      }
      regions_.insert(std::move(counts));
    }
  }

  bool fits(std::int64_t context_tokens) {
    schedules_.set_context(context_tokens);
    std::vector<PartCost> costs;
    for (const auto& [kind, form] : parts_) {
      const kernels::SramBytes sram = kernels::sram(schedules_.layer(*assembly_.kinds.layers[kind], form));
      costs.push_back({sram.weights, sram.kv + sram.state, sram.buffers, Cycles{}});
    }
    return std::all_of(regions_.begin(), regions_.end(), [&](const auto& region) {
      SramUse use = empty_;
      for (const auto& [part, count] : region) {
        PartCost all = costs[part];
        all.weights = all.weights * count;
        all.kv = all.kv * count;
        use = with_part(use, all);
      }
      return mapping::fits(use, assembly_.request.batch, users());
    });
  }

 private:
  using Counts = std::map<std::size_t, std::int64_t>;  ///< layers by distinct part

  std::int64_t users() const { return std::max(assembly_.request.users, assembly_.request.batch); }
  std::size_t index_of(std::size_t kind, const Form& form) {
    const auto known = std::find(parts_.begin(), parts_.end(), std::pair(kind, form));
    if (known != parts_.end()) return static_cast<std::size_t>(known - parts_.begin());
    parts_.emplace_back(kind, form);
    return parts_.size() - 1;
  }

  const Assembly& assembly_;
  SramUse empty_;
  PartSchedules schedules_;
  std::vector<std::pair<std::size_t, Form>> parts_;
  std::set<Counts> regions_;
};

}  // namespace

std::int64_t longest_context(const Assembly& assembly, const Plan& plan) {
  ContextCheck check(assembly, plan);
  std::int64_t fits = assembly.request.context_tokens;
  if (check.fits(kLongestContext)) return kLongestContext;
  std::int64_t too_long = kLongestContext;
  while (too_long - fits > 1) {
    const std::int64_t middle = fits + (too_long - fits) / 2;
    (check.fits(middle) ? fits : too_long) = middle;
  }
  return fits;
}

std::int64_t colors_of(const Assembly& assembly, const Plan& plan) {
  PartSchedules schedules(assembly.model, assembly.wafer, assembly.software,
                          {assembly.request.batch, assembly.request.context_tokens, 1});
  ColorCount colors;
  std::vector<std::pair<std::size_t, Form>> seen;
  for (const PlannedRegion& region : plan.regions) {
    const Form form = region.form();
    const auto is_new = [&](std::size_t part) {
      const std::pair key(part, form);
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) return false;
      seen.push_back(key);
      return true;
    };
    const std::size_t kinds = assembly.kinds.layers.size();
    if (region.use == RegionUse::head && is_new(kinds)) {
      colors.add(schedules.head(form.extent, plan.sharing(RegionUse::head)));
    } else if (region.use == RegionUse::embedding && is_new(kinds + 1)) {
      colors.add(schedules.embedding(form.extent, plan.sharing(RegionUse::embedding)));
    }
    for (std::int64_t i = 0; i < region.layer_count; ++i) {
      const std::size_t kind = assembly.kinds.of_layer[static_cast<std::size_t>(region.first_layer + i)];
      if (is_new(kind)) colors.add(schedules.layer(*assembly.kinds.layers[kind], form));
    }
    if (is_new(kinds + 2)) colors.add(schedules.transfer(form.extent, 1));
  }
  return colors.colors();
}

}  // namespace waferline::mapping
