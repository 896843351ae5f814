#include "traces/run/trace_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "arch/error.hpp"
#include "traces/run/hdf5_reader.hpp"

namespace waferline::traces {

using kernels::emulate::PeField;

namespace {

constexpr std::int64_t kMostSteps = 50'000'000;
constexpr std::int64_t kMostNames = 1'000'000;
constexpr std::int64_t kMostPes = std::int64_t{1} << 22;
constexpr std::int64_t kMostMeshes = 1000;
constexpr std::int64_t kMostInputs = 1000;
constexpr std::array kLinks{PeField::link_east, PeField::link_west, PeField::link_south, PeField::link_north};

/// The columns of /steps that a summary needs.
struct Steps {
  std::vector<std::int64_t> region;
  std::vector<std::int64_t> label;
  std::vector<std::int64_t> part;
  std::vector<std::int64_t> mesh;
  std::vector<std::int64_t> pe_row;
  std::vector<std::int64_t> repeats;
  std::vector<std::int64_t> sram_bytes;
  std::vector<double> cycles;
};

[[noreturn]] void refuse(const Hdf5Reader& file, const std::string& object, const std::string& problem) {
  throw ConfigError(fmt::format("{}: {}: {}", file.path(), object, problem));
}

std::vector<std::int64_t> column(const Hdf5Reader& file, const std::string& name, std::int64_t below) {
  const std::string path = "/steps/" + name;
  std::vector<std::int64_t> values = file.integers(path, kMostSteps);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= 0 && values[i] < below) continue;
    const std::string permitted =
        below > 0 ? fmt::format("0 to {}", below - 1) : "none, the list it points to is empty";
    refuse(file, path, fmt::format("entry {} is {} (permitted: {})", i, values[i], permitted));
  }
  return values;
}

Steps read_steps(const Hdf5Reader& file, std::size_t regions, std::size_t labels, std::size_t parts,
                 std::size_t meshes) {
  constexpr std::int64_t any = std::int64_t{1} << 53;  // beyond it a double loses ones
  Steps steps;
  steps.region = column(file, "region", static_cast<std::int64_t>(regions));
  steps.label = column(file, "label", static_cast<std::int64_t>(labels));
  steps.part = column(file, "part", static_cast<std::int64_t>(parts));
  steps.mesh = column(file, "mesh", static_cast<std::int64_t>(meshes));
  steps.pe_row = column(file, "pe_row", any);
  steps.repeats = column(file, "repeats", any);
  steps.sram_bytes = column(file, "sram_bytes", any);
  steps.cycles = file.reals("/steps/cycles", kMostSteps);
  const std::size_t count = steps.cycles.size();
  for (const auto& [name, values] : {std::pair{"region", &steps.region},
                                     {"label", &steps.label},
                                     {"part", &steps.part},
                                     {"mesh", &steps.mesh},
                                     {"pe_row", &steps.pe_row},
                                     {"repeats", &steps.repeats},
                                     {"sram_bytes", &steps.sram_bytes}}) {
    if (values->size() == count) continue;
    refuse(file, std::string("/steps/") + name,
           fmt::format("{} entries, where /steps/cycles has {}", values->size(), count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(steps.cycles[i]) && steps.cycles[i] >= 0) continue;
    refuse(file, "/steps/cycles", fmt::format("entry {} is {} (permitted: 0 or more)", i, steps.cycles[i]));
  }
  return steps;
}

void check_format(const Hdf5Reader& file) {
  if (!file.has_attribute("/", "format") || file.text_attribute("/", "format") != kTraceFormat)
    throw ConfigError(fmt::format("{}: is an HDF5 file, but not a trace of waferline", file.path()));
  const std::int64_t schema = file.integer_attribute("/", "schema");
  if (schema != kTraceSchema) refuse(file, "/@schema", fmt::format("{} (this version reads {})", schema, kTraceSchema));
}

TraceOrigin read_origin(const Hdf5Reader& file) {
  TraceOrigin origin;
  origin.version = file.text_attribute("/", "version");
  origin.command = file.text_attribute("/", "command");
  origin.system = file.text_attribute("/", "system");
  origin.software = file.text_attribute("/", "software");
  origin.seed = file.integer_attribute("/", "seed");
  origin.clock = Hertz{file.real_attribute("/", "clock_hz")};
  if (!std::isfinite(origin.clock.value) || origin.clock.value <= 0)
    refuse(file, "/@clock_hz", fmt::format("{} (permitted: above 0)", origin.clock.value));
  const std::vector<std::string> names = file.texts("/inputs/names", kMostInputs);
  const std::vector<std::string> values = file.texts("/inputs/values", kMostInputs);
  if (names.size() != values.size())
    refuse(file, "/inputs/values", fmt::format("{} entries, where /inputs/names has {}", values.size(), names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) origin.inputs.emplace_back(names[i], values[i]);
  return origin;
}

Extent read_extent(const Hdf5Reader& file, const std::string& group) {
  const Extent extent{file.integer_attribute(group, "rows"), file.integer_attribute(group, "cols")};
  const bool fits = extent.rows > 0 && extent.cols > 0 && extent.rows <= kMostPes / extent.cols;
  if (!fits) refuse(file, group, fmt::format("{} x {} PEs (permitted: 1 to {})", extent.rows, extent.cols, kMostPes));
  return extent;
}

/// How often each row of a mesh's datasets counts.
using RowUses = std::map<std::int64_t, double>;

template <class Number>
void add_rows(const Hdf5Reader& file, const std::string& dataset, const RowUses& uses, Extent extent,
              std::vector<double>& sums) {
  const std::vector<std::int64_t> shape = file.shape(dataset);
  if (shape.size() != 3 || shape[1] != extent.rows || shape[2] != extent.cols)
    refuse(file, dataset, fmt::format("is not of shape (any, {}, {})", extent.rows, extent.cols));
  sums.resize(static_cast<std::size_t>(extent.pes()), 0.0);
  std::vector<Number> row(sums.size());
  for (const auto& [index, times] : uses) {
    file.read_row(dataset, index, row);
    for (std::size_t pe = 0; pe < row.size(); ++pe) {
      const auto value = static_cast<double>(row[pe]);
      if (!std::isfinite(value) || value < 0)
        refuse(file, dataset, fmt::format("row {}, PE {} is {} (permitted: 0 or more)", index, pe, value));
      sums[pe] += times * value;
    }
  }
}

/// Indices of the `count` largest, the first of equal ones first.
std::vector<std::size_t> largest(const std::vector<double>& values, int count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto end = order.begin() + std::min<std::ptrdiff_t>(count, static_cast<std::ptrdiff_t>(order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
    return values[a] > values[b] || (values[a] == values[b] && a < b);
  });
  order.erase(end, order.end());
  return order;
}

void find_hottest(MeshSummary& mesh, int count) {
  const auto cols = static_cast<std::size_t>(mesh.extent.cols);
  for (const std::size_t pe : largest(mesh.busy_cycles, count)) {
    mesh.hottest_pes.push_back(
        {static_cast<std::int64_t>(pe / cols), static_cast<std::int64_t>(pe % cols), mesh.busy_cycles[pe]});
  }
  std::vector<double> all;
  for (const auto& direction : mesh.links) all.insert(all.end(), direction.begin(), direction.end());
  for (const std::size_t link : largest(all, count)) {
    if (all[link] <= 0) break;
    const std::size_t pe = link % mesh.busy_cycles.size();
    const double share = mesh.cycles.value > 0 ? all[link] / mesh.cycles.value : 0;
    mesh.hottest_links.push_back({static_cast<std::int64_t>(pe / cols), static_cast<std::int64_t>(pe % cols),
                                  static_cast<LinkDirection>(link / mesh.busy_cycles.size()), all[link], share});
  }
}

void read_mesh(const Hdf5Reader& file, const std::string& group, const RowUses& once, const RowUses& repeated,
               MeshSummary& mesh) {
  const auto add = [&](PeField field, std::vector<double>& sums) {
    add_rows<std::int64_t>(file, fmt::format("{}/{}", group, name(field)), repeated, mesh.extent, sums);
  };
  add_rows<double>(file, group + "/busy_cycles", once, mesh.extent, mesh.busy_cycles);
  add(PeField::macs, mesh.macs);
  add(PeField::sent, mesh.wavelets);
  add(PeField::received, mesh.wavelets);
  for (std::size_t i = 0; i < kLinks.size(); ++i) add(kLinks[i], mesh.links[i]);
  const double all_cycles = mesh.cycles.value * static_cast<double>(mesh.extent.pes());
  const double busy = std::accumulate(mesh.busy_cycles.begin(), mesh.busy_cycles.end(), 0.0);
  mesh.idle_share = all_cycles > 0 ? std::max(0.0, 1 - busy / all_cycles) : 0;
}

void add_cycles(std::vector<NamedCycles>& to, std::int64_t index, double cycles) {
  to[static_cast<std::size_t>(index)].cycles += Cycles{cycles};
  ++to[static_cast<std::size_t>(index)].steps;
}

std::vector<NamedCycles> named(const std::vector<std::string>& names) {
  std::vector<NamedCycles> all;
  for (const std::string& name : names) all.push_back({name, Cycles{0}, 0});
  return all;
}

void drop_unused(std::vector<NamedCycles>& names, bool most_first) {
  std::erase_if(names, [](const NamedCycles& entry) { return entry.steps == 0; });
  if (!most_first) return;
  std::stable_sort(names.begin(), names.end(),
                   [](const NamedCycles& a, const NamedCycles& b) { return a.cycles.value > b.cycles.value; });
}

/// Adds up the chosen steps; returns for each mesh how often its rows count, by step and with repeats.
struct MeshUses {
  RowUses once;
  RowUses repeated;
};

std::vector<MeshUses> add_steps(const Steps& steps, std::int64_t chosen, const std::vector<std::string>& labels,
                                TraceSummary& summary) {
  std::vector<MeshUses> uses(summary.meshes.size());
  std::vector<std::vector<bool>> seen(summary.meshes.size(), std::vector<bool>(summary.regions.size(), false));
  for (std::size_t i = 0; i < steps.cycles.size(); ++i) {
    if (chosen >= 0 && steps.region[i] != chosen) continue;
    const double cycles = steps.cycles[i];
    const auto mesh = static_cast<std::size_t>(steps.mesh[i]);
    const auto region = static_cast<std::size_t>(steps.region[i]);
    ++summary.steps;
    summary.cycles += Cycles{cycles};
    add_cycles(summary.regions, steps.region[i], cycles);
    add_cycles(summary.parts, steps.part[i], cycles);
    add_cycles(summary.labels, steps.label[i], cycles);
    if (!seen[mesh][region]) summary.meshes[mesh].regions.push_back(summary.regions[region].name);
    seen[mesh][region] = true;
    summary.meshes[mesh].cycles += Cycles{cycles};
    uses[mesh].once[steps.pe_row[i]] += 1;
    uses[mesh].repeated[steps.pe_row[i]] += static_cast<double>(steps.repeats[i]);
    if (steps.sram_bytes[i] > summary.peak_sram_bytes) {
      summary.peak_sram_bytes = steps.sram_bytes[i];
      summary.peak_sram_step = labels[static_cast<std::size_t>(steps.label[i])];
    }
  }
  return uses;
}

std::int64_t index_of_region(const Hdf5Reader& file, const std::vector<std::string>& regions, const std::string& name) {
  const auto found = std::find(regions.begin(), regions.end(), name);
  if (found != regions.end()) return found - regions.begin();
  const std::vector<std::string> shown(regions.begin(),
                                       regions.begin() + std::min<std::ptrdiff_t>(8, std::ssize(regions)));
  throw ConfigError(fmt::format("{}: no region {} (there are {}: {}{})", file.path(), printable(name, 60),
                                regions.size(), fmt::join(shown, ", "), shown.size() < regions.size() ? ", ..." : ""));
}

}  // namespace

std::string_view name(LinkDirection direction) {
  static constexpr std::array<std::string_view, 4> names{"east", "west", "south", "north"};
  return names[static_cast<std::size_t>(direction)];
}

TraceSummary summarise_trace(const std::filesystem::path& path, const std::optional<std::string>& region, int hottest) {
  const Hdf5Reader file(path);
  check_format(file);
  TraceSummary summary;
  summary.file = path.string();
  summary.origin = read_origin(file);
  summary.passes = file.integer_attribute("/", "passes");
  const std::vector<std::string> regions = file.texts("/regions", kMostNames);
  const std::vector<std::string> labels = file.texts("/labels", kMostNames);
  const std::vector<std::string> parts = file.texts("/parts", kMostNames);
  summary.regions = named(regions);
  summary.labels = named(labels);
  summary.parts = named(parts);
  while (file.has(fmt::format("/meshes/{}", summary.meshes.size()))) {
    if (std::ssize(summary.meshes) == kMostMeshes) refuse(file, "/meshes", fmt::format("more than {}", kMostMeshes));
    MeshSummary mesh;
    mesh.extent = read_extent(file, fmt::format("/meshes/{}", summary.meshes.size()));
    summary.meshes.push_back(std::move(mesh));
  }
  const Steps steps = read_steps(file, regions.size(), labels.size(), parts.size(), summary.meshes.size());
  const std::int64_t chosen = region ? index_of_region(file, regions, *region) : -1;
  const std::vector<MeshUses> uses = add_steps(steps, chosen, labels, summary);
  for (std::size_t i = 0; i < summary.meshes.size(); ++i) {
    if (uses[i].once.empty()) continue;
    read_mesh(file, fmt::format("/meshes/{}", i), uses[i].once, uses[i].repeated, summary.meshes[i]);
    find_hottest(summary.meshes[i], hottest);
  }
  std::erase_if(summary.meshes, [](const MeshSummary& mesh) { return mesh.regions.empty(); });
  drop_unused(summary.regions, false);
  drop_unused(summary.labels, true);
  drop_unused(summary.parts, true);
  return summary;
}

}  // namespace waferline::traces
