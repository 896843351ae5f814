// Reductions over a line: the closed form, and the fabric stepped wavelet by wavelet, against published cycles.
#include <fmt/format.h>

#include "kernels/fabric/compile.hpp"
#include "kernels/fabric/run.hpp"
#include "traces/microbench_rows.hpp"
#include "traces/validate_sets.hpp"

namespace waferline::traces {
namespace {

using kernels::fabric::FabricTiming;

// Fitted on the nine published reductions; hops and ramps are the hardware's.
constexpr int kStartup = 56;
constexpr int kTaskSwitch = 21;
constexpr std::int64_t kConstants = 2;

FabricTiming timing_of_wse2() {
  FabricTiming timing;
  timing.startup = kStartup;
  timing.task_switch = kTaskSwitch;
  return timing;
}

double closed_form_cycles(const ReduceRow& row, const FabricTiming& timing) {
  const kernels::CollectiveRates rates = timing.rates();
  return kernels::time(kernels::count_reduce(row.plan, row.pes, row.wavelets, rates), rates).value;
}

double fabric_cycles(const ReduceRow& row, const FabricTiming& timing) {
  const kernels::fabric::FabricProgram program =
      kernels::fabric::compile_reduce(row.plan, {row.pes, 1, row.wavelets}, timing);
  kernels::fabric::FabricMemory memory(1, row.pes, program.words);
  return static_cast<double>(kernels::fabric::run(program, memory, 1).cycles);
}

}  // namespace

ValidationSet validate_reduce(const std::filesystem::path& data_folder) {
  const MicrobenchRows rows = read_microbench_rows(data_folder / "wse_microbench.csv");
  const FabricTiming timing = timing_of_wse2();
  std::vector<ValidationPoint> points;
  for (const ReduceRow& row : rows.reductions) {
    points.push_back(make_point(row.id, "closed form", "cycles", row.cycles, closed_form_cycles(row, timing)));
    points.push_back(
        make_point(row.id + "/fabric", "stepped fabric", "cycles", row.cycles, fabric_cycles(row, timing)));
  }
  ValidationSet set = make_validation_set("reduce", kConstants, std::move(points));
  for (const UnreadRow& row : rows.unread_reductions) set.skipped.push_back({row.id, row.reason});
  set.notes.push_back(
      fmt::format("hops of {} and ramps of {} cycles; start-up {} and task switch {} are fitted on these rows. A chain "
                  "runs one operation on each PE; two phases run two on each group's root, hence one switch.",
                  timing.hop, timing.ramp, kStartup, kTaskSwitch));
  return set;
}

}  // namespace waferline::traces
