#include "traces/stated_bands.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

namespace waferline::traces {
namespace {

/// Most errors in percent; absent where nothing is promised.
struct StatedBand {
  std::string_view set;
  std::string_view part;  ///< beginning of a group's name; empty: the whole set
  std::optional<double> mean;
  std::optional<double> worst;
};

// The table of docs/model/80-bands.md.
constexpr std::array bands{
    StatedBand{"waferllm-decode", "WaferLLM on WSE-2, one layer, rows fitted on", 1.5, 3.0},
    StatedBand{"waferllm-decode", "full decode of Qwen3-1.7B on WSE-3", std::nullopt, 10.0},
    StatedBand{"waferllm-prefill", "", 5.0, std::nullopt},
    StatedBand{"endpoints", "published rows, each model left out in turn", 25.0, std::nullopt},
    StatedBand{"gpu", "", 7.0, std::nullopt},
};

/// GPU classes of 30 rows or more, on configurations left out.
constexpr std::int64_t class_rows = 30;
constexpr double class_held_out_mean = 7.0;

void compare(std::vector<std::string>& broken, const std::string& what, const char* error, double value,
             const std::optional<double>& most) {
  // A NaN compares as not below, so it is outside every band.
  if (!most || value <= *most) return;
  broken.push_back(fmt::format("{}: {} {:.2f} %, stated is at most {:g} %", what, error, value, *most));
}

void check_part(std::vector<std::string>& broken, const StatedBand& band, const std::string& what, double mean,
                double worst) {
  compare(broken, what, "mean error", mean, band.mean);
  compare(broken, what, "worst error", worst, band.worst);
}

}  // namespace

std::vector<std::string> broken_bands(const ValidationSet& set) {
  std::vector<std::string> broken;
  for (const StatedBand& band : bands) {
    if (band.set != set.name) continue;
    if (band.part.empty() && set.rows > 0) {
      check_part(broken, band, set.name, set.mean_abs_error_pct, set.worst_abs_error_pct);
    }
    for (const ValidationGroup& group : set.groups) {
      if (band.part.empty() || !group.name.starts_with(band.part)) continue;
      check_part(broken, band, fmt::format("{}, {}", set.name, group.name), group.mean_abs_error_pct,
                 group.worst_abs_error_pct);
    }
  }
  if (set.name != "gpu") return broken;
  for (const ValidationGroup& group : set.groups) {
    if (group.rows < class_rows || !group.held_out_mean_abs_error_pct) continue;
    compare(broken, fmt::format("{}, {}", set.name, group.name), "mean error on configurations left out",
            *group.held_out_mean_abs_error_pct, class_held_out_mean);
  }
  return broken;
}

}  // namespace waferline::traces
