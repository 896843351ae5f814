// Files that are written and read back, with sums that can be done by hand: see small_run.hpp.
#include "traces/run/trace_file.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/scratch.hpp"
#include "tests/unit/recorded/small_run.hpp"
#include "traces/run/hdf5_reader.hpp"
#include "traces/run/trace_summary.hpp"

using namespace waferline;
using namespace waferline::traces;
using namespace waferline::tests;
namespace fs = std::filesystem;

namespace {

fs::path write_small_run(const Scratch& scratch, const TraceOrigin& origin = small_origin()) {
  const fs::path target = scratch.path / "run.h5";
  RunRecorder recorder(small_rates());
  recorder.add(std::make_unique<TraceFile>(target, origin));
  record_small_run(recorder);
  REQUIRE(recorder.problems().empty());
  return target;
}

using Numbers = std::vector<double>;

}  // namespace

TEST_CASE("a summary names where the run came from") {
  const Scratch scratch;
  const TraceSummary summary = summarise_trace(write_small_run(scratch), std::nullopt, 3);
  const TraceOrigin expected = small_origin();
  CHECK(summary.origin.version == expected.version);
  CHECK(summary.origin.command == expected.command);
  CHECK(summary.origin.system == expected.system);
  CHECK(summary.origin.software == expected.software);
  CHECK(summary.origin.seed == expected.seed);
  CHECK(summary.origin.clock == expected.clock);
  CHECK(summary.origin.inputs == expected.inputs);
}

TEST_CASE("the cycles of steps add up by region, part and label") {
  const Scratch scratch;
  const TraceSummary summary = summarise_trace(write_small_run(scratch), std::nullopt, 3);
  CHECK(summary.passes == 2);
  CHECK(summary.steps == 10);
  CHECK(summary.cycles.value == 232);
  REQUIRE(summary.regions.size() == 3);
  CHECK(summary.regions[0].name == "layer 0");
  CHECK(summary.regions[0].cycles.value == 100);
  CHECK(summary.regions[0].steps == 4);
  CHECK(summary.regions[2].name == "head");
  CHECK(summary.regions[2].cycles.value == 32);
  REQUIRE(summary.parts.size() == 2);
  CHECK(summary.parts[0].name == "qkv");
  CHECK(summary.parts[0].cycles.value == 200);
  REQUIRE(summary.labels.size() == 3);
  CHECK(summary.labels[0].name == "q");
  CHECK(summary.labels[0].cycles.value == 120);
  CHECK(summary.labels[1].name == "sum of q");
  CHECK(summary.labels[1].cycles.value == 80);
  CHECK(summary.peak_sram_bytes == 1200);
  CHECK(summary.peak_sram_step == "sum of q");
}

TEST_CASE("a mesh adds up what its PEs and links did, with every repeat and every pass") {
  const Scratch scratch;
  const TraceSummary summary = summarise_trace(write_small_run(scratch), std::nullopt, 3);
  REQUIRE(summary.meshes.size() == 2);
  const MeshSummary& layers = summary.meshes[0];
  CHECK(layers.extent == Extent{2, 3});
  CHECK(layers.regions == std::vector<std::string>{"layer 0", "layer 1"});
  CHECK(layers.cycles.value == 200);
  CHECK(layers.busy_cycles == Numbers{112, 120, 128, 136, 144, 152});
  CHECK(layers.macs == Numbers{80, 88, 96, 104, 112, 120});
  CHECK(layers.wavelets == Numbers{32, 64, 32, 32, 64, 32});
  CHECK(layers.links[static_cast<std::size_t>(LinkDirection::west)] == Numbers{0, 32, 32, 0, 32, 32});
  CHECK(layers.links[static_cast<std::size_t>(LinkDirection::east)] == Numbers{0, 0, 0, 0, 0, 0});
  CHECK(layers.idle_share == Approx(1 - 792.0 / 1200));
  CHECK(summary.meshes[1].idle_share == Approx(0).margin(1e-12));
}

TEST_CASE("the hottest PEs and links come first, of equal ones the first of the mesh") {
  const Scratch scratch;
  const TraceSummary summary = summarise_trace(write_small_run(scratch), std::nullopt, 3);
  const MeshSummary& layers = summary.meshes[0];
  REQUIRE(layers.hottest_pes.size() == 3);
  CHECK(layers.hottest_pes[0].row == 1);
  CHECK(layers.hottest_pes[0].col == 2);
  CHECK(layers.hottest_pes[0].busy_cycles == 152);
  REQUIRE(layers.hottest_links.size() == 3);
  CHECK(layers.hottest_links[0].row == 0);
  CHECK(layers.hottest_links[0].col == 1);
  CHECK(layers.hottest_links[0].direction == LinkDirection::west);
  CHECK(layers.hottest_links[0].wavelets == 32);
  CHECK(layers.hottest_links[0].share == Approx(0.16));
  CHECK(summary.meshes[1].hottest_links.empty());
  CHECK(summarise_trace(scratch.path / "run.h5", std::nullopt, 0).meshes[0].hottest_pes.empty());
}

TEST_CASE("one region alone has only its own steps and its own mesh") {
  const Scratch scratch;
  const TraceSummary summary = summarise_trace(write_small_run(scratch), "layer 1", 1);
  CHECK(summary.steps == 4);
  CHECK(summary.cycles.value == 100);
  REQUIRE(summary.regions.size() == 1);
  CHECK(summary.regions[0].name == "layer 1");
  REQUIRE(summary.meshes.size() == 1);
  CHECK(summary.meshes[0].macs == Numbers{40, 44, 48, 52, 56, 60});
  CHECK(refusal([&] { summarise_trace(scratch.path / "run.h5", "layer 2", 1); }) ==
        (scratch.path / "run.h5").string() + ": no region layer 2 (there are 3: layer 0, layer 1, head)");
}

TEST_CASE("steps that did the same on every PE share one row") {
  const Scratch scratch;
  const Hdf5Reader file(write_small_run(scratch));
  CHECK(file.integers("/steps/pe_row", 100) == std::vector<std::int64_t>{0, 1, 0, 1, 0, 0, 1, 0, 1, 0});
  CHECK(file.integers("/steps/mesh", 100) == std::vector<std::int64_t>{0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  CHECK(file.shape("/meshes/0/macs") == std::vector<std::int64_t>{2, 2, 3});
  CHECK(file.shape("/meshes/1/macs") == std::vector<std::int64_t>{1, 1, 4});
  std::vector<std::int64_t> row(6);
  file.read_row("/meshes/0/sent", 1, row);
  CHECK(row == std::vector<std::int64_t>{0, 4, 4, 0, 4, 4});
}

TEST_CASE("the same run leaves the same bytes") {
  const Scratch one;
  const Scratch other;
  CHECK(read_whole(write_small_run(one)) == read_whole(write_small_run(other)));
}

TEST_CASE("a command and inputs of any length are kept, cut where an attribute must end") {
  const Scratch scratch;
  TraceOrigin origin = small_origin();
  origin.command.assign(200'000, 'x');
  origin.software = "";
  origin.inputs = {{"prompt_ids", std::string(100'000, '1')}, {"empty", ""}};
  const TraceSummary summary = summarise_trace(write_small_run(scratch, origin), std::nullopt, 1);
  CHECK(summary.origin.command == std::string(60'000, 'x'));
  CHECK(summary.origin.software.empty());
  CHECK(summary.origin.inputs[0].second == std::string(60'000, '1'));
  CHECK(summary.origin.inputs[1].second.empty());
}

TEST_CASE("a run without inputs and steps is a file that can be read") {
  const Scratch scratch;
  TraceOrigin origin = small_origin();
  origin.inputs.clear();
  RunRecorder recorder(small_rates());
  recorder.add(std::make_unique<TraceFile>(scratch.path / "run.h5", origin));
  recorder.finish();
  REQUIRE(recorder.problems().empty());
  const TraceSummary summary = summarise_trace(scratch.path / "run.h5", std::nullopt, 1);
  CHECK(summary.steps == 0);
  CHECK(summary.meshes.empty());
  CHECK(summary.origin.inputs.empty());
}

TEST_CASE("more steps than a chunk holds are all there, in order") {
  const Scratch scratch;
  RunRecorder recorder(small_rates());
  recorder.add(std::make_unique<TraceFile>(scratch.path / "run.h5", small_origin()));
  const SmallStep head = small_head();
  for (std::int64_t pass = 0; pass < 20'000; ++pass) {
    recorder.enter("head", pass);
    recorder.record(head.recorded());
  }
  recorder.finish();
  REQUIRE(recorder.problems().empty());
  const Hdf5Reader file(scratch.path / "run.h5");
  const std::vector<std::int64_t> passes = file.integers("/steps/pass", 100'000);
  REQUIRE(passes.size() == 20'000);
  for (std::size_t i = 0; i < passes.size(); ++i) REQUIRE(passes[i] == static_cast<std::int64_t>(i));
  CHECK(summarise_trace(scratch.path / "run.h5", std::nullopt, 1).cycles.value == 320'000);
  CHECK(refusal([&] { file.integers("/steps/pass", 19'999); }).ends_with("20000 entries (permitted: at most 19999)"));
}

TEST_CASE("a mesh whose row is larger than a chunk is written and read back") {
  const Scratch scratch;
  SmallStep wide({3, 700'000});
  wide.step().kind = kernels::StepKind::gemv;
  wide.step().label = "q";
  wide.pes.add(PeField::macs, 2, 699'999, 5);
  RunRecorder recorder(small_rates());
  recorder.add(std::make_unique<TraceFile>(scratch.path / "run.h5", small_origin()));
  recorder.record(wide.recorded());
  recorder.finish();
  REQUIRE(recorder.problems().empty());
  const TraceSummary summary = summarise_trace(scratch.path / "run.h5", std::nullopt, 1);
  CHECK(summary.meshes[0].macs.back() == 5);
  CHECK(summary.meshes[0].macs.size() == 2'100'000);
}

TEST_CASE("a trace that is not finished leaves the file that was there") {
  const Scratch scratch;
  const fs::path target = write_small_run(scratch);
  const std::string before = read_whole(target);
  {
    RunRecorder recorder(small_rates());
    recorder.add(std::make_unique<TraceFile>(target, small_origin()));
    recorder.record(small_multiply().recorded());
  }
  CHECK(scratch.entries() == 1);
  CHECK(read_whole(target) == before);
}
