#include "report/trace/summary.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::report;
using namespace waferline::traces;

namespace {

MeshSummary mesh_of(Extent extent, std::vector<std::string> regions) {
  MeshSummary mesh;
  const auto pes = static_cast<std::size_t>(extent.pes());
  mesh.extent = extent;
  mesh.regions = std::move(regions);
  mesh.cycles = Cycles{1000};
  for (std::vector<double>* numbers : {&mesh.busy_cycles, &mesh.macs, &mesh.wavelets}) numbers->assign(pes, 3.0);
  for (auto& direction : mesh.links) direction.assign(pes, 5.0);
  mesh.idle_share = 0.25;
  mesh.hottest_pes = {{1, 2, 750}};
  mesh.hottest_links = {{1, 2, LinkDirection::north, 123456, 0.5}};
  return mesh;
}

TraceSummary summary_of(std::vector<MeshSummary> meshes) {
  TraceSummary summary;
  summary.file = "run.h5";
  summary.origin.version = "1.2.3";
  summary.origin.command = "waferline emulate model --weights tiny --prompt-ids 1,2,3,4,5,6,7,8,9 --hdf5 run.h5";
  summary.origin.system = "wse2";
  summary.origin.software = "waferllm";
  summary.origin.clock = Hertz{1e9};
  summary.passes = 1;
  summary.steps = 10;
  summary.cycles = Cycles{2000};
  for (int i = 0; i < 10; ++i) summary.labels.push_back({"a.step." + std::to_string(i), Cycles{200.0 - i}, 1});
  summary.parts = {{"ffn", Cycles{2000}, 10}};
  summary.regions = {{"layer 0", Cycles{1000}, 5}, {"layer 1", Cycles{1000}, 5}};
  summary.peak_sram_bytes = 49152;
  summary.peak_sram_step = "a.step.0";
  summary.meshes = std::move(meshes);
  return summary;
}

bool has_line(const Lines& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

TEST_CASE("a summary says how much there is in the singular and the plural") {
  const TraceSummary summary = summary_of({mesh_of({2, 3}, {"layer 0", "layer 1"})});
  const Lines lines = trace_text(summary, TraceMap::busy, Page{120, false});
  CHECK(lines[0] ==
        "run.h5: 10 steps in 1 pass over 2 regions of wse2, software waferllm, seed 0; 2,000 cycles, 2.000 us");
  CHECK(lines[1] == "By waferline 1.2.3 on the command");
}

TEST_CASE("the longest steps stand in order, and how many more there are") {
  const Lines lines = trace_text(summary_of({}), TraceMap::busy, Page{80, false});
  CHECK(has_line(lines, "  a.step.0           1     200  10.0 %"));
  CHECK(has_line(lines, "  a.step.7           1     193   9.7 %"));
  CHECK_FALSE(has_line(lines, "  a.step.8           1     192   9.6 %"));
  CHECK(has_line(lines, "  ... and 2 more"));
  CHECK(has_line(lines, "  Most SRAM of a PE: 49,152 bytes, in step a.step.0"));
}

TEST_CASE("a mesh says its idle share, its hottest PEs and links, and what its map shows") {
  const TraceSummary summary = summary_of({mesh_of({2, 3}, {"layer 0", "layer 1"})});
  const Lines lines = trace_text(summary, TraceMap::links, Page{200, false});
  CHECK(has_line(lines,
                 "2 x 3 PEs (layer 0, layer 1): 25.0 % of their cycles idle while steps of their region run; each "
                 "region has 25.0 % of the time on average"));
  CHECK(has_line(lines, "  (1, 2)                             750         75.0 %"));
  CHECK(has_line(lines, "  (1, 2) to the north   123,456         50.0 %"));
  CHECK(has_line(lines, "  wavelets on outgoing links of each PE"));
  CHECK(has_line(lines, "  20.00 wavelets on outgoing links everywhere; a place is one PE, row 0 at the top"));
}

TEST_CASE("no line of a summary is wider than its page") {
  const TraceSummary summary =
      summary_of({mesh_of({40, 96}, {"layer 0", "layer 1", "layer 2", "layer 3"}), mesh_of({660, 660}, {"head"})});
  for (const int width : {60, 80, 120}) {
    for (const TraceMap map : {TraceMap::busy, TraceMap::macs, TraceMap::wavelets, TraceMap::links}) {
      for (const std::string& line : trace_text(summary, map, Page{width, false})) {
        INFO(width << ": " << line);
        CHECK(line.size() <= static_cast<std::size_t>(width));
      }
    }
  }
}

TEST_CASE("the drawing is that of the largest mesh") {
  const TraceSummary summary = summary_of({mesh_of({2, 3}, {"layer 0"}), mesh_of({4, 5}, {"head"})});
  const std::string svg = trace_svg(summary, TraceMap::macs);
  CHECK(svg.find(">MACs on 4 x 5 PEs of wse2<") != std::string::npos);
  CHECK(svg.find(">head; 1 pass, 2,000 cycles, 25.0 % of PE-cycles idle<") != std::string::npos);
}

TEST_CASE("the document holds what the summary holds") {
  const auto json = nlohmann::json::parse(trace_json(summary_of({mesh_of({2, 3}, {"layer 0"})})));
  CHECK(json["schema"] == 1);
  CHECK(json["trace"]["system"] == "wse2");
  CHECK(json["seconds"] == Approx(2e-6));
  CHECK(json["labels"].size() == 10);
  CHECK(json["meshes"][0]["idle_share"] == 0.25);
  CHECK(json["meshes"][0]["hottest_links"][0]["direction"] == "north");
}
