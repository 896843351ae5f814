// Which question: does a trace hold what the emulator's recorder said, step by step and PE by PE?

#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "tests/cross/emulate/random_layer.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/scratch.hpp"
#include "traces/run/hdf5_reader.hpp"
#include "traces/run/trace_file.hpp"
#include "traces/run/trace_summary.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::emulate;
using namespace waferline::traces;
using namespace waferline::tests;
namespace fs = std::filesystem;

namespace {

/// Keeps every step, and hands it on.
class Copies : public Recorder {
 public:
  struct Copy {
    StepCounters counters;
    std::int64_t repeats;
    std::int64_t sram_bytes;
    PeGrid pes;
  };
  std::vector<Copy> steps;
  explicit Copies(Recorder& next) : next_(next) {}
  void enter(std::string_view region, std::int64_t pass) override { next_.enter(region, pass); }
  void record(const RecordedStep& step) override {
    steps.push_back({step.counters, step.step().repeats, step.sram_bytes, step.pes});
    next_.record(step);
  }

 private:
  Recorder& next_;
};

Rates wafer_rates() {
  return rates_of(load_wafer("wse2"), load_software("waferllm"));
}

TraceOrigin some_origin() {
  TraceOrigin origin;
  origin.version = origin.command = origin.system = origin.software = "x";
  origin.clock = Hertz{1e9};
  return origin;
}

/// Runs the layer `passes` times into `file`; returns the copies and the schedule.
struct Recorded {
  std::vector<Copies::Copy> steps;
  Schedule schedule;
};

Recorded record(const LayerCase& layer, int threads, int passes, const fs::path& file) {
  RunRecorder recorder(wafer_rates());
  recorder.add(std::make_unique<TraceFile>(file, some_origin()));
  Copies copies(recorder);
  MachineOptions options;
  options.recorder = &copies;
  options.threads = threads;
  LayerRun run(layer, 4, options);
  for (int pass = 0; pass < passes; ++pass) {
    copies.enter("layer 0", pass);
    run.run();
  }
  recorder.finish();
  REQUIRE(recorder.problems().empty());
  return {copies.steps, run.schedule()};
}

void check_step(const Hdf5Reader& file, std::int64_t pe_row, const Copies::Copy& step) {
  std::vector<std::int64_t> row(static_cast<std::size_t>(step.pes.extent().pes()));
  for (std::size_t field = 0; field < kPeFields; ++field) {
    const auto which = static_cast<PeField>(field);
    file.read_row("/meshes/0/" + std::string(name(which)), pe_row, row);
    INFO(name(which));
    CHECK(row == step.pes.of(which));
  }
}

}  // namespace

TEST_CASE("15 random layers: the file holds every number of every PE in every step") {
  std::mt19937 random(77);
  for (int round = 0; round < 15; ++round) {
    const Scratch scratch;
    const LayerCase layer = random_layer(random, 12, 12);
    INFO("case " << round << " mesh " << layer.mesh.rows << " x " << layer.mesh.cols);
    const Recorded run = record(layer, 2, 2, scratch.path / "run.h5");
    const Hdf5Reader file(scratch.path / "run.h5");
    const std::vector<std::int64_t> rows = file.integers("/steps/pe_row", 10'000);
    const std::vector<std::int64_t> macs = file.integers("/steps/macs", 10'000);
    const std::vector<std::int64_t> wavelets = file.integers("/steps/wavelets", 10'000);
    const std::vector<std::int64_t> sram = file.integers("/steps/sram_bytes", 10'000);
    REQUIRE(rows.size() == run.steps.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      INFO("step " << i);
      CHECK(macs[i] == run.steps[i].counters.macs);
      CHECK(wavelets[i] == run.steps[i].counters.wavelets);
      CHECK(sram[i] == run.steps[i].sram_bytes);
      check_step(file, rows[i], run.steps[i]);
    }
  }
}

TEST_CASE("10 random layers: the summary's cycles are those of the model, and its sums those of all steps") {
  std::mt19937 random(78);
  for (int round = 0; round < 10; ++round) {
    const Scratch scratch;
    const LayerCase layer = random_layer(random, 12, 12);
    const Recorded run = record(layer, 1, 3, scratch.path / "run.h5");
    const TraceSummary summary = summarise_trace(scratch.path / "run.h5", std::nullopt, 5);
    INFO("case " << round << " mesh " << layer.mesh.rows << " x " << layer.mesh.cols);
    double cycles = 0;  // of the three passes, whose routers may choose other experts each time
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
      const Step& step = run.schedule.steps[i % run.schedule.steps.size()];
      cycles += time(with_counted(step, run.steps[i].counters), wafer_rates()).total().value;
    }
    CHECK(summary.cycles.value == Approx(cycles).epsilon(1e-12));
    const bool same_each_time = layer.layer.ffns[0].kind != models::FfnKind::moe;
    if (same_each_time) CHECK(cycles == Approx(3 * time(run.schedule, wafer_rates()).total().value).epsilon(1e-12));
    REQUIRE(summary.meshes.size() == 1);
    const MeshSummary& mesh = summary.meshes.front();
    std::vector<double> macs(mesh.macs.size(), 0.0);
    std::vector<double> east(mesh.macs.size(), 0.0);
    for (const Copies::Copy& step : run.steps) {
      for (std::size_t pe = 0; pe < macs.size(); ++pe) {
        macs[pe] += static_cast<double>(step.repeats * step.pes.of(PeField::macs)[pe]);
        east[pe] += static_cast<double>(step.repeats * step.pes.of(PeField::link_east)[pe]);
      }
    }
    CHECK(mesh.macs == macs);
    CHECK(mesh.links[static_cast<std::size_t>(LinkDirection::east)] == east);
    CHECK(mesh.idle_share >= 0);
    CHECK(mesh.idle_share < 1);
    for (const double busy : mesh.busy_cycles) CHECK(busy <= mesh.cycles.value * (1 + 1e-12));
  }
}

TEST_CASE("1, 2 and 4 threads leave the same bytes") {
  std::mt19937 random(79);
  LayerCase layer = random_layer(random, 12, 12);
  layer.hidden_size = 700;
  const Scratch scratch;
  record(layer, 1, 2, scratch.path / "1.h5");
  const std::string one = read_whole(scratch.path / "1.h5");
  REQUIRE(one.size() > 10'000);
  for (const int threads : {2, 4}) {
    record(layer, threads, 2, scratch.path / "n.h5");
    INFO(threads << " threads");
    CHECK(read_whole(scratch.path / "n.h5") == one);
  }
}
