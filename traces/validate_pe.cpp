// Vector instructions and loops of one PE against published cycles.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "traces/microbench_rows.hpp"
#include "traces/validate_sets.hpp"

namespace waferline::traces {
namespace {

/// Rows that contradict their own family; predicted values stand in the reason.
struct Outlier {
  std::string_view id;
  std::string_view reason;
};
constexpr std::array kOutliers{
    Outlier{
        "mb042",
        "ELLPACK at N = 16 takes 14 cycles a call less than the same code at N = 64, which the runs do not explain"},
    Outlier{
        "mb047",
        "this loop takes 1.9 cycles a call where it takes 11.1 at M = 128: most of it seems not to have been compiled"},
};

constexpr std::int64_t kConstants = 7;  // issue, drain, set-up, sparse call and line, dense call and descriptor

void add(ValidationSet& set, std::vector<ValidationPoint>& points, const MicrobenchRow& row, const char* split,
         Cycles predicted) {
  const auto outlier =
      std::find_if(kOutliers.begin(), kOutliers.end(), [&](const Outlier& known) { return known.id == row.id; });
  if (outlier == kOutliers.end()) {
    points.push_back(make_point(row.id, split, "cycles", row.cycles, predicted.value));
    return;
  }
  set.skipped.push_back({row.id, fmt::format("{} (measured {:.0f}, predicted {:.0f} cycles)", outlier->reason,
                                             row.cycles, predicted.value)});
}

}  // namespace

ValidationSet validate_pe(const std::filesystem::path& data_folder) {
  const MicrobenchRows rows = read_microbench_rows(data_folder / "wse_microbench.csv");
  ValidationSet found;
  std::vector<ValidationPoint> points;
  for (const VectorRow& row : rows.instructions) {
    add(found, points, row, row.stated ? "instruction" : "instruction, nearest variant",
        kernels::instruction_cycles(row.instruction, row.timed));
  }
  for (const StreamRow& row : rows.streams) add(found, points, row, "stream", kernels::stream_cycles(row.words));
  for (const LoopRow& row : rows.loops) add(found, points, row, "loop", kernels::loop_cycles(row.run));
  ValidationSet set = make_validation_set("pe", kConstants, std::move(points));
  set.skipped = std::move(found.skipped);
  for (const UnreadRow& row : rows.unread_pe_rows) set.skipped.push_back({row.id, row.reason});
  set.notes.push_back(
      "which variant of an instruction a run was is taken from the form that fits it; the runs do not record it");
  return set;
}

}  // namespace waferline::traces
