#include "estimate/gpu_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>

#include "arch/config_node.hpp"
#include "arch/data_dir.hpp"
#include "arch/object_reader.hpp"

namespace waferline {
namespace {

// Distances between GPUs, in units of the natural logarithm of a bandwidth ratio. A vendor's software stack matters
// more than any ratio of bandwidths among the GPUs described; a server link goes with server engines.
constexpr double other_vendor = 10;
constexpr double other_kind_of_link = 1;

constexpr std::int64_t telling_rows = 30;  // a class of fewer is taken only where there is no other

bool speaks_for(const EngineSummary& engine, std::int64_t devices) {
  return engine.device_split == DeviceSplit::layers || devices == 1 || engine.ran_allreduce;
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
  const EngineSummary* engine = nullptr;
  double distance = std::numeric_limits<double>::infinity();
  std::string gpu;        // the measured one
  bool same_gpu = false;  // and it is the one in question
};

/// GPUs are loaded once each, and only if no engine was measured on the one in question.
Candidate nearest_candidate(const EngineSummary& engine, const Gpu& gpu, std::map<std::string, Gpu>& loaded) {
  Candidate candidate{&engine, std::numeric_limits<double>::infinity(), {}, false};
  for (const std::string& name : engine.gpus) {
    if (!loaded.contains(name)) loaded.emplace(name, load_gpu(name));
    const double from = distance(gpu, loaded.at(name));
    if (from < candidate.distance) candidate = {&engine, from, name, false};
  }
  return candidate;
}

/// Order of preference. Splitting by layers is a way out for several devices, not a choice.
bool better(const Candidate& a, const Candidate& b, std::int64_t devices) {
  const auto rank = [&](const Candidate& candidate) {
    const bool way_out = candidate.engine->device_split == DeviceSplit::layers && devices > 1;
    return std::tuple(candidate.distance, way_out, candidate.engine->points < telling_rows);
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  const std::string new_a = newest(a.engine->measured);
  const std::string new_b = newest(b.engine->measured);
  if (new_a != new_b) return new_a > new_b;
  return a.engine->held_out_mean_abs_error_pct < b.engine->held_out_mean_abs_error_pct;
}

std::string reason_for(const Candidate& chosen, const Gpu& gpu) {
  const std::string engine = fmt::format("{} as measured in {}", chosen.engine->engine, chosen.engine->measured);
  if (chosen.same_gpu) return fmt::format("{} on {}", engine, gpu.name);
  return fmt::format("{} on {}, the nearest to {} that was measured; band {} times as wide", engine, chosen.gpu,
                     gpu.name, other_gpu_widening);
}

}  // namespace

EngineSummary summarise(const GpuEngine& engine) {
  EngineSummary summary;
  summary.name = engine.name;
  summary.gpus = engine.gpus;
  summary.engine = engine.traits.engine;
  summary.measured = engine.traits.measured;
  summary.device_split = engine.traits.device_split;
  summary.points = engine.fit.points;
  summary.ran_allreduce =
      engine.traits.device_split == DeviceSplit::tensor && engine.allreduce.provenance.kind == ProvenanceKind::fitted;
  summary.held_out_mean_abs_error_pct = engine.fit.held_out_mean_abs_error_pct.value_or(engine.fit.mean_abs_error_pct);
  return summary;
}

std::string engine_index_json(std::span<const EngineSummary> engines) {
  std::string out = "{\n  \"engines\": [";
  for (const EngineSummary& engine : engines) {
    std::string gpus;
    for (const std::string& gpu : engine.gpus) gpus += fmt::format("{}\"{}\"", gpus.empty() ? "" : ", ", gpu);
    out += fmt::format(
        "{}\n    {{\"name\": \"{}\", \"engine\": \"{}\", \"measured\": \"{}\", \"device_split\": \"{}\", "
        "\"points\": {}, \"ran_allreduce\": {}, \"held_out_mean_abs_error_pct\": {:.4f}, \"gpus\": [{}]}}",
        &engine == engines.data() ? "" : ",", engine.name, engine.engine, engine.measured, name(engine.device_split),
        engine.points, engine.ran_allreduce, engine.held_out_mean_abs_error_pct, gpus);
  }
  return out + "\n  ]\n}\n";
}

std::vector<EngineSummary> load_engine_index() {
  const std::filesystem::path path = data_dir("arch/engines") / "index.json";
  const ConfigNode root = read_json_file(path);
  Problems problems(path.string());
  ObjectReader reader(root, problems);
  std::vector<EngineSummary> engines;
  const ConfigNode* list = reader.node("engines");
  if (list == nullptr || list->array() == nullptr) {
    problems.add(root.line(), "engines", "a list is expected");
    problems.throw_if_any();
  }
  for (const ConfigNode& node : *list->array()) {
    ObjectReader entry(node, problems, "engines");
    EngineSummary& engine = engines.emplace_back();
    engine.name = entry.string("name");
    engine.engine = entry.string("engine");
    engine.measured = entry.string("measured");
    engine.device_split =
        entry.one_of("device_split", {"tensor", "layers"}) == "layers" ? DeviceSplit::layers : DeviceSplit::tensor;
    engine.points = entry.integer("points", {0, 1'000'000'000});
    engine.ran_allreduce = entry.boolean("ran_allreduce");
    engine.held_out_mean_abs_error_pct = entry.real("held_out_mean_abs_error_pct", {0, 1000});
    engine.gpus = entry.strings("gpus");
    entry.reject_unknown_keys();
  }
  problems.throw_if_any();
  return engines;
}

EngineChoice choose_gpu_engine(const Gpu& gpu, std::int64_t devices, std::span<const EngineSummary> engines) {
  std::vector<const EngineSummary*> speaking;
  Candidate best;
  const auto offer = [&](const Candidate& candidate) {
    if (best.engine == nullptr || better(candidate, best, devices)) best = candidate;
  };
  for (const EngineSummary& engine : engines) {
    if (!speaks_for(engine, devices)) continue;
    speaking.push_back(&engine);
    if (std::find(engine.gpus.begin(), engine.gpus.end(), gpu.name) != engine.gpus.end())
      offer({&engine, 0, gpu.name, true});
  }
  if (best.engine == nullptr) {
    std::map<std::string, Gpu> loaded;
    for (const EngineSummary* engine : speaking) offer(nearest_candidate(*engine, gpu, loaded));
  }
  if (best.engine == nullptr) throw std::invalid_argument(fmt::format("no engine profile for {} devices", devices));
  return {load_gpu_engine(best.engine->name), best.same_gpu, best.same_gpu ? 1.0 : other_gpu_widening,
          reason_for(best, gpu)};
}

}  // namespace waferline
