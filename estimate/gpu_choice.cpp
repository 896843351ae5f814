#include "estimate/gpu_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

namespace waferline {
namespace {

// Distances between GPUs, in units of the natural logarithm of a bandwidth ratio. A vendor's software stack matters
// more than any ratio of bandwidths among the GPUs described; a server link goes with server engines.
constexpr double other_vendor = 10;
constexpr double other_kind_of_link = 1;

bool speaks_for(const GpuEngine& engine, std::int64_t devices) {
  if (engine.traits.device_split == DeviceSplit::layers) return true;
  return devices == 1 || engine.allreduce.provenance.kind == ProvenanceKind::fitted;
}

bool is_host_link(const Gpu& gpu) {
  return gpu.scale_up.link.starts_with("PCIe") || gpu.scale_up.link == "none";
}

double distance(const Gpu& a, const Gpu& b) {
  return std::abs(std::log(a.bandwidth.value / b.bandwidth.value)) + (a.vendor == b.vendor ? 0 : other_vendor) +
         (is_host_link(a) == is_host_link(b) ? 0 : other_kind_of_link);
}

/// Last year or month that the engine's dates name, as text that sorts: "2025-2026" and "2024-05" give "2026" and
/// "2024-05".
std::string newest(const std::string& measured) {
  const bool two_years = measured.size() == 9 && measured[4] == '-';
  return two_years ? measured.substr(5) : measured;
}

struct Candidate {
  const EngineOnGpus* entry = nullptr;
  double nearest = std::numeric_limits<double>::infinity();
  std::string nearest_gpu;
  bool same_gpu = false;
};

Candidate candidate_of(const EngineOnGpus& entry, const Gpu& gpu) {
  Candidate candidate;
  candidate.entry = &entry;
  for (const Gpu& measured : entry.gpus) {
    candidate.same_gpu = candidate.same_gpu || measured.name == gpu.name;
    const double from = distance(gpu, measured);
    if (from < candidate.nearest) {
      candidate.nearest = from;
      candidate.nearest_gpu = measured.name;
    }
  }
  return candidate;
}

/// Order of preference. Splitting by layers is a way out for several devices, not a choice for one.
bool better(const Candidate& a, const Candidate& b, std::int64_t devices) {
  const auto rank = [&](const Candidate& candidate) {
    const GpuEngine& engine = candidate.entry->engine;
    const bool way_out = engine.traits.device_split == DeviceSplit::layers && devices > 1;
    return std::tuple(!candidate.same_gpu, candidate.same_gpu ? 0.0 : candidate.nearest, way_out);
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  const FitRecord& fit_a = a.entry->engine.fit;
  const FitRecord& fit_b = b.entry->engine.fit;
  const std::string new_a = newest(a.entry->engine.traits.measured);
  const std::string new_b = newest(b.entry->engine.traits.measured);
  if (new_a != new_b) return new_a > new_b;
  return fit_a.held_out_mean_abs_error_pct.value_or(100) < fit_b.held_out_mean_abs_error_pct.value_or(100);
}

std::string reason_for(const Candidate& chosen, const Gpu& gpu) {
  const EngineTraits& traits = chosen.entry->engine.traits;
  const std::string engine = fmt::format("{} as measured in {}", traits.engine, traits.measured);
  if (chosen.same_gpu) return fmt::format("{} on {}", engine, gpu.name);
  return fmt::format("{} on {}, the nearest to {} that was measured; band {} times as wide", engine, chosen.nearest_gpu,
                     gpu.name, other_gpu_widening);
}

}  // namespace

EngineChoice choose_gpu_engine(const Gpu& gpu, std::int64_t devices, std::span<const EngineOnGpus> engines) {
  Candidate best;
  for (const EngineOnGpus& entry : engines) {
    if (!speaks_for(entry.engine, devices)) continue;
    const Candidate candidate = candidate_of(entry, gpu);
    if (best.entry == nullptr || better(candidate, best, devices)) best = candidate;
  }
  if (best.entry == nullptr) throw std::invalid_argument(fmt::format("no engine profile for {} devices", devices));
  return {best.entry->engine, best.same_gpu, best.same_gpu ? 1.0 : other_gpu_widening, reason_for(best, gpu)};
}

std::vector<EngineOnGpus> load_gpu_engines() {
  std::vector<EngineOnGpus> engines;
  for (const std::string& name : list_gpu_engines()) {
    EngineOnGpus entry;
    entry.engine = load_gpu_engine(name);
    for (const std::string& gpu : entry.engine.gpus) entry.gpus.push_back(load_gpu(gpu));
    engines.push_back(std::move(entry));
  }
  return engines;
}

}  // namespace waferline
