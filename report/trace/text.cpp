#include <fmt/format.h>

#include <algorithm>

#include "report/number.hpp"
#include "report/trace/heat_map.hpp"
#include "report/trace/summary.hpp"

namespace waferline::report {
namespace {

using traces::MeshSummary;
using traces::NamedCycles;
using traces::TraceSummary;

constexpr std::size_t kMostRows = 8;
constexpr std::int64_t kMostDrawnPlaces = 220;

/// "1 pass", "3 passes".
std::string counted(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count_text(count), count == 1 ? one : many);
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::vector<double> mapped(const MeshSummary& mesh, TraceMap map) {
  switch (map) {
    case TraceMap::busy:
      return mesh.busy_cycles;
    case TraceMap::macs:
      return mesh.macs;
    case TraceMap::wavelets:
      return mesh.wavelets;
    case TraceMap::links:
      break;
  }
  std::vector<double> sums(mesh.busy_cycles.size(), 0.0);
  for (const auto& direction : mesh.links) {
    for (std::size_t pe = 0; pe < sums.size(); ++pe) sums[pe] += direction[pe];
  }
  return sums;
}

const char* unit_of(TraceMap map) {
  switch (map) {
    case TraceMap::busy:
      return "busy cycles";
    case TraceMap::macs:
      return "MACs";
    case TraceMap::wavelets:
      return "wavelets through the ramp";
    case TraceMap::links:
      break;
  }
  return "wavelets on outgoing links";
}

Lines cycles_table(const std::string& heading, const std::vector<NamedCycles>& entries, Cycles all, const Page& page) {
  Table table({{heading, Align::wrap}, {"steps", Align::right}, {"cycles", Align::right}, {"share", Align::right}});
  for (std::size_t i = 0; i < std::min(entries.size(), kMostRows); ++i) {
    const NamedCycles& entry = entries[i];
    const double share = all.value > 0 ? entry.cycles / all : 0;
    table.add({entry.name, count_text(entry.steps), report::whole(entry.cycles.value), percent(share)});
  }
  Lines lines = table.lines(page);
  if (entries.size() > kMostRows) lines.push_back(fmt::format("  ... and {} more", entries.size() - kMostRows));
  return lines;
}

std::string regions_text(const MeshSummary& mesh) {
  const std::size_t count = mesh.regions.size();
  if (count == 1) return mesh.regions.front();
  if (count <= 3) return fmt::format("{}", fmt::join(mesh.regions, ", "));
  return fmt::format("{} regions, {} to {}", count, mesh.regions.front(), mesh.regions.back());
}

void append_hottest(Lines& lines, const MeshSummary& mesh, const Page& page) {
  if (mesh.hottest_pes.empty()) return;
  lines.emplace_back();
  Table pes({{"hottest PEs (row, column)"}, {"busy cycles", Align::right}, {"share of time", Align::right}});
  for (const traces::HotPe& pe : mesh.hottest_pes) {
    const double share = mesh.cycles.value > 0 ? pe.busy_cycles / mesh.cycles.value : 0;
    pes.add({fmt::format("({}, {})", pe.row, pe.col), whole(pe.busy_cycles), percent(share)});
  }
  append(lines, pes.lines(page));
  if (mesh.hottest_links.empty()) return;
  lines.emplace_back();
  Table links({{"hottest links"}, {"wavelets", Align::right}, {"share of time", Align::right}});
  for (const traces::HotLink& link : mesh.hottest_links) {
    links.add({fmt::format("({}, {}) to the {}", link.row, link.col, name(link.direction)), whole(link.wavelets),
               percent(link.share)});
  }
  append(lines, links.lines(page));
}

}  // namespace

namespace {

Lines mesh_lines(const TraceSummary& summary, const MeshSummary& mesh, TraceMap map, const Page& page) {
  std::string about = fmt::format("{} x {} PEs ({}): {} of their cycles idle while steps of their region run",
                                  count_text(mesh.extent.rows), count_text(mesh.extent.cols), regions_text(mesh),
                                  percent(mesh.idle_share));
  if (mesh.regions.size() > 1 && summary.cycles.value > 0) {
    about += fmt::format("; each region has {} of the time on average",
                         percent(mesh.cycles / summary.cycles / static_cast<double>(mesh.regions.size())));
  }
  Lines lines = wrapped(about, page.width, 0, 2);
  append_hottest(lines, mesh, page);
  lines.emplace_back();
  lines.push_back(fmt::format("  {} of each PE", unit_of(map)));
  const HeatMap drawn = heat_map(mesh.extent, mapped(mesh, map), cells_for(mesh.extent, page));
  append(lines, heat_map_lines(drawn, unit_of(map), page));
  return lines;
}

}  // namespace

Lines trace_text(const TraceSummary& summary, TraceMap map, const Page& page) {
  const traces::TraceOrigin& origin = summary.origin;
  const std::string heading =
      fmt::format("{}: {} in {} over {} of {}, software {}, seed {}; {} cycles, {}", summary.file,
                  counted(summary.steps, "step", "steps"), counted(summary.passes, "pass", "passes"),
                  counted(std::ssize(summary.regions), "region", "regions"), origin.system, origin.software,
                  origin.seed, whole(summary.cycles.value), seconds_text(summary.cycles / origin.clock));
  Lines lines = wrapped(heading, page.width, 0, 2);
  append(lines, wrapped(fmt::format("By waferline {} on the command", origin.version), page.width, 0, 2));
  append(lines, wrapped(origin.command, page.width, 2, 2));
  lines.emplace_back();
  append(lines, cycles_table("part", summary.parts, summary.cycles, page));
  lines.emplace_back();
  append(lines, cycles_table("steps by name", summary.labels, summary.cycles, page));
  lines.push_back(fmt::format("  Most SRAM of a PE: {} bytes, in step {}", count_text(summary.peak_sram_bytes),
                              summary.peak_sram_step));
  for (const MeshSummary& mesh : summary.meshes) {
    lines.emplace_back();
    append(lines, mesh_lines(summary, mesh, map, page));
  }
  return lines;
}

std::string trace_svg(const TraceSummary& summary, TraceMap map) {
  const auto largest =
      std::max_element(summary.meshes.begin(), summary.meshes.end(),
                       [](const MeshSummary& a, const MeshSummary& b) { return a.extent.pes() < b.extent.pes(); });
  HeatMapDrawing drawing;
  std::string what = unit_of(map);
  what.front() = what.front() == 'b' ? 'B' : what.front() == 'w' ? 'W' : what.front();
  drawing.title =
      fmt::format("{} on {} x {} PEs of {}", what, largest->extent.rows, largest->extent.cols, summary.origin.system);
  drawing.subtitle =
      fmt::format("{}; {}, {} cycles, {} of PE-cycles idle", regions_text(*largest),
                  counted(summary.passes, "pass", "passes"), whole(summary.cycles.value), percent(largest->idle_share));
  drawing.unit = unit_of(map);
  drawing.links = largest->links;
  return heat_map_svg(heat_map(largest->extent, mapped(*largest, map), {kMostDrawnPlaces, kMostDrawnPlaces}), drawing);
}

}  // namespace waferline::report
