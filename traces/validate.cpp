#include "traces/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "arch/data_dir.hpp"
#include "arch/error.hpp"
#include "arch/object_reader.hpp"
#include "traces/validate_sets.hpp"

namespace waferline::traces {
namespace {

// A new set is one function in its own file and one line here.
constexpr std::array entries{
    ValidationEntry{"waferllm-decode", "waferllm_measured.csv", "decode on WSE-2, a layer; on WSE-3, a whole model",
                    validate_waferllm_decode},
    ValidationEntry{"waferllm-prefill", "waferllm_measured.csv", "prefill on WSE-2, a layer",
                    validate_waferllm_prefill},
    ValidationEntry{"reduce", "wse_microbench.csv", "reductions over a line: closed form and stepped fabric",
                    validate_reduce},
    ValidationEntry{"pe", "wse_microbench.csv", "vector instructions and loops of one PE", validate_pe},
    ValidationEntry{"endpoints", "endpoint_speeds.csv", "served models on wafers", validate_endpoints},
    ValidationEntry{"gpu", "gpu_decode_measured.csv", "decode on GPUs, by engine class", validate_gpu},
};

const ValidationEntry& entry_named(const std::string& name) {
  std::vector<std::string> names;
  for (const ValidationEntry& entry : entries) {
    if (entry.name == name) return entry;
    names.emplace_back(entry.name);
  }
  const std::string nearest = nearest_name(name, names);
  throw ConfigError(fmt::format("no validation set \"{}\" ({}; known: {})", name,
                                nearest.empty() ? "no similar name" : fmt::format("did you mean \"{}\"?", nearest),
                                fmt::join(names, ", ")));
}

}  // namespace

ValidationPoint make_point(std::string id, std::string split, std::string unit, double measured, double predicted) {
  assert(measured > 0 && "a measured value is positive");
  const double error_pct = (predicted - measured) / measured * 100;
  return {std::move(id), std::move(split), std::move(unit), measured, predicted, error_pct};
}

ValidationSet make_validation_set(std::string name, std::int64_t constants, std::vector<ValidationPoint> points) {
  ValidationSet set;
  set.name = std::move(name);
  set.rows = std::ssize(points);
  set.constants = constants;
  for (const ValidationPoint& point : points) {
    set.mean_abs_error_pct += std::abs(point.error_pct) / static_cast<double>(points.size());
    set.worst_abs_error_pct = std::max(set.worst_abs_error_pct, std::abs(point.error_pct));
  }
  set.points = std::move(points);
  return set;
}

std::span<const ValidationEntry> validation_entries() {
  return entries;
}

std::vector<ValidationSet> run_validation(const std::vector<std::string>& names,
                                          const std::filesystem::path& data_folder) {
  const std::filesystem::path folder = data_folder.empty() ? data_dir("traces/published") : data_folder;
  std::vector<ValidationSet> sets;
  if (!names.empty()) {
    for (const std::string& name : names) sets.push_back(entry_named(name).run(folder));
    return sets;
  }
  for (const ValidationEntry& entry : entries) {
    if (std::filesystem::exists(folder / entry.file)) {
      sets.push_back(entry.run(folder));
      continue;
    }
    sets.push_back(make_validation_set(std::string(entry.name), 0, {}));
    sets.back().notes.push_back(fmt::format("left out: {} has no {}", folder.string(), entry.file));
  }
  return sets;
}

}  // namespace waferline::traces
