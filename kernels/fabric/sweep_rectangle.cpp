#include <omp.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "arch/error.hpp"
#include "kernels/fabric/sweep.hpp"

namespace waferline::kernels::fabric {
namespace {

constexpr std::int64_t kBand = 64;  // lines that a thread takes at a time

/// True for a step whose cycles a line sweep gives.
bool is_collective(const Step& step) {
  const bool reduces =
      step.kind == StepKind::reduce_sum || step.kind == StepKind::reduce_max || step.kind == StepKind::select;
  return (reduces || step.kind == StepKind::multicast) && step.line > 1 && step.wavelets > 0;
}

LineSweep sweep_of(const Step& step, const FabricTiming& timing) {
  if (step.kind == StepKind::multicast) return LineSweep::multicast(0, step.line, step.wavelets, timing);
  const LineSweep::Kind kind = step.to_root ? LineSweep::Kind::reduce : LineSweep::Kind::allreduce;
  return {kind, step.plan, step.line, step.wavelets, timing};
}

}  // namespace

void advance_rectangle(const LineSweep& sweep, Axis axis, Extent extent, std::span<std::int32_t> times, int threads) {
  if (times.size() != static_cast<std::size_t>(extent.pes())) throw ConfigError("sweep: times of another rectangle");
  const std::int64_t pieces = extent.along(axis) / sweep.positions();
  const std::int64_t lines = extent.along(other(axis));
  const std::int64_t position_stride = axis == Axis::x ? 1 : extent.cols;
  const std::int64_t lane_stride = axis == Axis::x ? extent.cols : 1;
  const std::int64_t bands = ceil_div(lines, kBand);
  const int team = static_cast<int>(std::clamp<std::int64_t>(std::min(threads, omp_get_num_procs()), 1, bands));
#pragma omp parallel for num_threads(team) schedule(static) if (team > 1)
  for (std::int64_t band = 0; band < bands; ++band) {
    const std::int64_t first = band * kBand;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      std::int32_t* start = times.data() + first * lane_stride + piece * sweep.positions() * position_stride;
      sweep.advance(start, position_stride, lane_stride, std::min(kBand, lines - first));
    }
  }
}

void advance_broadcast_2d(Extent extent, std::int64_t words, const FabricTiming& timing,
                          std::span<std::int32_t> times) {
  if (times.size() != static_cast<std::size_t>(extent.pes())) throw ConfigError("sweep: times of another rectangle");
  const std::int32_t start = times.front();
  const auto payload = static_cast<std::int32_t>(words + timing.startup);
  for (std::int64_t row = 0; row < extent.rows; ++row) {
    for (std::int64_t col = 0; col < extent.cols; ++col) {
      std::int32_t& time = times[static_cast<std::size_t>(row * extent.cols + col)];
      const std::int64_t hops = row + col;
      if (extent.pes() == 1) return;
      const std::int64_t travel = hops == 0 ? 0 : 1 + 2 * timing.ramp + hops * timing.hop;
      time = std::max(time + payload, start + static_cast<std::int32_t>(travel) + payload);
    }
  }
}

std::int64_t sweep_collectives(const Schedule& schedule, const FabricTiming& timing, int threads) {
  using Key =
      std::tuple<StepKind, bool, Algorithm, Root, int, decltype(CollectivePlan::groups), std::int64_t, std::int64_t>;
  std::map<Key, LineSweep> sweeps;
  std::vector<std::int32_t> times(static_cast<std::size_t>(schedule.extent.pes()));
  for (const Step& step : schedule.steps) {
    if (!is_collective(step)) continue;
    const Key key{step.kind,        step.to_root,     step.plan.algorithm, step.plan.root,
                  step.plan.levels, step.plan.groups, step.line,           step.wavelets};
    auto found = sweeps.find(key);
    if (found == sweeps.end()) found = sweeps.emplace(key, sweep_of(step, timing)).first;
    for (std::int64_t repeat = 0; repeat < step.repeats; ++repeat) {
      advance_rectangle(found->second, step.axis, schedule.extent, times, threads);
    }
  }
  return times.empty() ? 0 : *std::max_element(times.begin(), times.end());
}

}  // namespace waferline::kernels::fabric
