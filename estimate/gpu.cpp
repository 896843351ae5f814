// Follows: docs/model.md, F42 (engine model), F47 (capacity) and F48 (band).
#include "estimate/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace waferline {
namespace {

/// The limit by compute units holds only on generations where it was seen.
bool limited_by_units(const GpuEngine& engine, const Gpu& gpu) {
  if (!engine.unit_read_limit || !gpu.units) return false;
  const std::vector<std::string>& seen = engine.unit_read_limit->architectures;
  return seen.empty() || std::find(seen.begin(), seen.end(), gpu.units->architecture) != seen.end();
}

Seconds weights_time(const GpuEngine& engine, const Gpu& gpu, const GpuTerms& terms) {
  const double at_memory = terms.weights.value / engine.weight_bandwidth_fraction.value;
  if (!limited_by_units(engine, gpu)) return Seconds{at_memory};
  const double at_units = terms.weights_at_units.value / engine.unit_read_limit->bytes_per_cycle.value.value;
  return Seconds{std::max(at_memory, at_units)};
}

constexpr double widest_high_end = 10;  // a band beyond ten times the prediction would say nothing

/// Ends of the band: where measured rows of the class lay about their predictions, stretched by how much worse the
/// class does on configurations left out of the fit.
Band<double> residual_band(const FitRecord& fit, double widening) {
  std::vector<double> errors;
  for (const FitResidual& residual : fit.residuals) errors.push_back(residual.error_pct / 100);
  if (errors.empty()) {
    const double spread = 2 * fit.held_out_mean_abs_error_pct.value_or(fit.mean_abs_error_pct) / 100 * widening;
    return {1 / (1 + spread), 1 + spread};
  }
  std::sort(errors.begin(), errors.end());
  const auto quantile = [&](double share) {
    const double at = share * static_cast<double>(errors.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, errors.size() - 1);
    return errors[below] + (at - static_cast<double>(below)) * (errors[above] - errors[below]);
  };
  double stretch = widening;
  if (fit.held_out_mean_abs_error_pct && fit.mean_abs_error_pct > 0)
    stretch *= std::max(1.0, *fit.held_out_mean_abs_error_pct / fit.mean_abs_error_pct);
  const double over = std::max(0.0, quantile(1 - gpu_band_tail)) * stretch;  // predicted above measured: truth is lower
  const double under = std::min(0.0, quantile(gpu_band_tail)) * stretch;  // predicted below measured: truth is higher
  return {1 / (1 + over), 1 / std::max(1 / widest_high_end, 1 + under)};
}

void check_capacity(GpuEstimate& estimate, const GpuTerms& terms, const Gpu& gpu) {
  estimate.memory_needed = terms.memory_needed;
  estimate.memory = gpu.memory.value;
  estimate.fits = terms.memory_needed <= gpu.memory.value;
  if (estimate.fits) return;
  const double missing = static_cast<double>((terms.memory_needed - gpu.memory.value).value);
  estimate.shortfall = fmt::format("needs {:.1f} GB on each of {} {}, which has {:.1f} GB: {:.1f} GB short",
                                   static_cast<double>(terms.memory_needed.value) / 1e9, estimate.devices, gpu.name,
                                   static_cast<double>(gpu.memory.value.value) / 1e9, missing / 1e9);
}

/// What the figures leave out and a reader should know.
std::vector<std::string> notes_on(const GpuWorkload& workload, const Gpu& gpu, std::int64_t devices) {
  std::vector<std::string> notes;
  const std::int64_t node = gpu.scale_up.devices_per_node.value;
  if (devices > node) {
    notes.push_back(
        fmt::format("{} devices are more than the {} that {} joins in a node; links between nodes are not in "
                    "the model",
                    devices, node, gpu.scale_up.link));
  }
  if (!workload.experts.empty())
    notes.push_back(
        "the bytes of the chosen experts are counted; what routing and an uneven choice of experts cost is not in the "
        "model");
  return notes;
}

}  // namespace

GpuEstimate estimate_gpu(const GpuWorkload& workload, const Gpu& gpu, std::int64_t devices, const GpuEngine& engine,
                         const GpuLoad& load, double widening) {
  const GpuTerms terms = gpu_terms(workload, gpu, devices, engine.traits, load);
  GpuEstimate estimate;
  estimate.gpu = gpu.name;
  estimate.engine = engine.name;
  estimate.devices = devices;
  estimate.bound = terms.bound;
  check_capacity(estimate, terms, gpu);
  estimate.notes = notes_on(workload, gpu, devices);

  estimate.parts = {
      {"weights", weights_time(engine, gpu, terms)},
      {"kv_cache", terms.kv / engine.kv_bandwidth_fraction.value},
      {"layers", terms.layers * engine.layer_overhead.value},
      {"allreduce", terms.allreduces * engine.allreduce.value + terms.payload},
      {"arithmetic", terms.arithmetic},
      {"token", terms.tokens * engine.token_overhead.value},
  };
  for (const GpuPart& part : estimate.parts) estimate.expected += part.time;

  // Rounding aside, every term of the bound is a part of the sum, divided by a fraction of at most one.
  if (estimate.expected.value < terms.bound.value * (1 - 1e-9)) {
    throw std::logic_error(fmt::format("{} on {} x {} with {}: {} s per token, below its bytes over bandwidth, {} s",
                                       workload.name, devices, gpu.name, engine.name, estimate.expected.value,
                                       terms.bound.value));
  }
  const Band<double> band = residual_band(engine.fit, widening);
  estimate.low = std::max(estimate.expected * band.low, terms.bound);
  estimate.high = estimate.expected * band.high;
  return estimate;
}

}  // namespace waferline
