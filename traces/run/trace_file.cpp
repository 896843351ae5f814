#include "traces/run/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace waferline::traces {

using kernels::Step;
using kernels::emulate::kPeFields;
using kernels::emulate::PeField;
using kernels::emulate::StepCounters;

namespace {

using Fingerprint = std::pair<std::uint64_t, std::uint64_t>;

/// A hash of 64-bit words in lanes that do not wait for each other. Each lane's step, that of MurmurHash3 (Appleby,
/// public domain) without its rotation, maps different states to different ones, so two contents that differ in one
/// word always differ here; 128 bits are left in the end, in which two contents of one run meet by chance in about 1 of
/// 10^30 traces.
class Hash {
 public:
  template <class Word>
  void add(std::span<const Word> words) {
    std::size_t i = 0;
    for (; i + kLanes <= words.size(); i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        mix(lanes_[lane], std::bit_cast<std::uint64_t>(words[i + lane]));
    }
    for (; i < words.size(); ++i) mix(lanes_[0], std::bit_cast<std::uint64_t>(words[i]));
  }

  Fingerprint fingerprint() const {
    Fingerprint print{1, 2};
    for (std::size_t lane = 0; lane < kLanes; ++lane) mix(lane % 2 == 0 ? print.first : print.second, lanes_[lane]);
    for (std::size_t lane = 0; lane < kLanes; ++lane) mix(lane % 2 == 0 ? print.second : print.first, lanes_[lane]);
    return print;
  }

 private:
  static constexpr std::size_t kLanes = 8;
  static void mix(std::uint64_t& state, std::uint64_t bits) {
    state = (state ^ bits) * 0xFF51AFD7ED558CCDULL;
    state ^= state >> 33U;
  }
  std::array<std::uint64_t, kLanes> lanes_{1, 2, 3, 4, 5, 6, 7, 8};
};

Fingerprint fingerprint(const TracedStep& step) {
  Hash hash;
  hash.add(step.busy_cycles);
  for (std::size_t field = 0; field < kPeFields; ++field)
    hash.add(std::span<const std::int64_t>(step.recorded.pes.of(static_cast<PeField>(field))));
  return hash.fingerprint();
}

struct CounterColumn {
  const char* name;
  std::int64_t StepCounters::*value;
};
constexpr CounterColumn kCounters[] = {{"instructions", &StepCounters::instructions},
                                       {"length", &StepCounters::length},
                                       {"macs", &StepCounters::macs},
                                       {"exponentials", &StepCounters::exponentials},
                                       {"specials", &StepCounters::specials},
                                       {"weight_bytes", &StepCounters::weight_bytes},
                                       {"dequantised", &StepCounters::dequantised},
                                       {"line", &StepCounters::line},
                                       {"words", &StepCounters::words},
                                       {"wavelets", &StepCounters::wavelets},
                                       {"link_wavelets", &StepCounters::link_wavelets},
                                       {"combines", &StepCounters::combines}};

}  // namespace

std::vector<std::string> integer_columns() {
  std::vector<std::string> names{"region", "pass", "label", "part", "kind", "repeats", "sram_bytes", "mesh", "pe_row"};
  for (const CounterColumn& counter : kCounters) names.emplace_back(counter.name);
  return names;
}

std::int64_t TraceFile::Names::index_of(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return found - names.begin();
  names.emplace_back(name);
  return static_cast<std::int64_t>(names.size()) - 1;
}

TraceFile::TraceFile(const std::filesystem::path& target, const TraceOrigin& origin) : file_(target) {
  file_.attribute("/", "format", kTraceFormat);
  file_.attribute("/", "schema", kTraceSchema);
  file_.attribute("/", "tool", "waferline");
  file_.attribute("/", "version", origin.version);
  file_.attribute("/", "command", origin.command);
  file_.attribute("/", "system", origin.system);
  file_.attribute("/", "software", origin.software);
  file_.attribute("/", "seed", origin.seed);
  file_.attribute("/", "clock_hz", origin.clock.value);
  file_.group("/inputs");
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const auto& [name, value] : origin.inputs) {
    names.push_back(name);
    values.push_back(value);
  }
  file_.texts("/inputs/names", names);
  file_.texts("/inputs/values", values);
  file_.group("/steps");
  for (const std::string& name : integer_columns())
    columns_[name] = file_.growing("/steps/" + name, Hdf5Writer::Kind::integer, {});
  for (const char* name : {"start_cycles", "cycles"})
    columns_[name] = file_.growing(std::string("/steps/") + name, Hdf5Writer::Kind::real, {});
  file_.group("/meshes");
}

std::int64_t TraceFile::mesh_of(Extent extent) {
  for (std::size_t i = 0; i < meshes_.size(); ++i) {
    if (meshes_[i].extent == extent) return static_cast<std::int64_t>(i);
  }
  const std::string group = fmt::format("/meshes/{}", meshes_.size());
  file_.group(group);
  file_.attribute(group, "rows", extent.rows);
  file_.attribute(group, "cols", extent.cols);
  Mesh& mesh = meshes_.emplace_back();
  mesh.extent = extent;
  const std::vector<std::int64_t> tail{extent.rows, extent.cols};
  mesh.datasets.push_back(file_.growing(group + "/busy_cycles", Hdf5Writer::Kind::real, tail));
  for (std::size_t field = 0; field < kPeFields; ++field) {
    mesh.datasets.push_back(
        file_.growing(fmt::format("{}/{}", group, name(static_cast<PeField>(field))), Hdf5Writer::Kind::integer, tail));
  }
  return static_cast<std::int64_t>(meshes_.size()) - 1;
}

std::int64_t TraceFile::row_of(Mesh& mesh, const TracedStep& step) {
  const auto [entry, is_new] = mesh.rows.try_emplace(fingerprint(step), static_cast<std::int64_t>(mesh.rows.size()));
  if (is_new) {
    file_.append(mesh.datasets[0], step.busy_cycles);
    for (std::size_t field = 0; field < kPeFields; ++field)
      file_.append(mesh.datasets[1 + field], step.recorded.pes.of(static_cast<PeField>(field)));
  }
  return entry->second;
}

void TraceFile::write(const TracedStep& step) {
  const Step& what = step.recorded.step();
  const std::int64_t mesh = mesh_of(step.recorded.pes.extent());
  const auto put = [&](const char* column, std::int64_t value) {
    file_.append(columns_.at(column), std::span<const std::int64_t>(&value, 1));
  };
  put("region", regions_.index_of(step.region));
  put("pass", step.pass);
  put("label", labels_.index_of(what.label));
  put("part", parts_.index_of(kernels::name(what.part)));
  put("kind", kinds_.index_of(kernels::name(what.kind)));
  put("repeats", what.repeats);
  put("sram_bytes", step.recorded.sram_bytes);
  put("mesh", mesh);
  put("pe_row", row_of(meshes_[static_cast<std::size_t>(mesh)], step));
  for (const CounterColumn& counter : kCounters) put(counter.name, step.recorded.counters.*counter.value);
  const double start = step.start.value;
  const double cycles = step.cycles.value;
  file_.append(columns_.at("start_cycles"), std::span<const double>(&start, 1));
  file_.append(columns_.at("cycles"), std::span<const double>(&cycles, 1));
  passes_ = std::max(passes_, step.pass + 1);
}

void TraceFile::finish() {
  file_.attribute("/", "passes", passes_);
  file_.texts("/regions", regions_.names);
  file_.texts("/labels", labels_.names);
  file_.texts("/parts", parts_.names);
  file_.texts("/kinds", kinds_.names);
  file_.finish();
}

}  // namespace waferline::traces
