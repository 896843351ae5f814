#pragma once
// What a trace file says in short: where the cycles go, which PEs and links are hottest, how much of the mesh idles.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "arch/region.hpp"
#include "traces/run/run_trace.hpp"

namespace waferline::traces {

/// A number of cycles under a name.
struct NamedCycles {
  std::string name;
  Cycles cycles;
  std::int64_t steps = 0;
};

enum class LinkDirection : std::uint8_t { east, west, south, north };
std::string_view name(LinkDirection direction);

struct HotPe {
  std::int64_t row = 0;
  std::int64_t col = 0;
  double busy_cycles = 0;
};

struct HotLink {
  std::int64_t row = 0;  ///< of the PE that the link leaves
  std::int64_t col = 0;
  LinkDirection direction = LinkDirection::east;
  double wavelets = 0;
  double share = 0;  ///< of the cycles of its mesh's regions, at one wavelet a cycle
};

/// One size of rectangle, all regions that have it laid over each other. Sums over their steps, repeats included; a
/// regions's steps count for each pass. Vectors are (rows x cols), row by row.
struct MeshSummary {
  Extent extent;
  std::vector<std::string> regions;
  Cycles cycles;  ///< of their steps
  std::vector<double> busy_cycles;
  std::vector<double> macs;
  std::vector<double> wavelets;              ///< through the ramp, both ways
  std::array<std::vector<double>, 4> links;  ///< wavelets on the outgoing link, by LinkDirection
  double idle_share = 0;                     ///< of the cycles of all its PEs while their region's steps run
  std::vector<HotPe> hottest_pes;            ///< hottest first; of equal ones the first in the mesh
  std::vector<HotLink> hottest_links;
};

struct TraceSummary {
  std::string file;
  TraceOrigin origin;
  std::int64_t passes = 0;
  std::int64_t steps = 0;
  Cycles cycles;
  std::vector<NamedCycles> regions;  ///< in order of their first step
  std::vector<NamedCycles> parts;    ///< most cycles first
  std::vector<NamedCycles> labels;   ///< steps of one label together, most cycles first
  std::int64_t peak_sram_bytes = 0;
  std::string peak_sram_step;
  std::vector<MeshSummary> meshes;
};

/// Reads and checks a trace. `region`: only that one's steps; `hottest`: PEs and links named for each mesh.
/// Errors: ConfigError naming the file, the dataset and what is wrong: no file, no HDF5, cut short, not a trace, of
/// another schema, datasets missing, of other lengths or out of range, a mesh of more than 4,194,304 PEs; or that no
/// region has that name.
TraceSummary summarise_trace(const std::filesystem::path& file, const std::optional<std::string>& region, int hottest);

}  // namespace waferline::traces
