// Which question: do the numbers that a recorder is given PE by PE add up to what the counters and the model say?

#include "kernels/emulate/recorder.hpp"

#include <map>
#include <string>

#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "kernels/rates.hpp"
#include "tests/cross/emulate/random_layer.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::emulate;
using namespace waferline::tests;

namespace {

/// Keeps a copy of every step.
class Copies : public Recorder {
 public:
  struct Copy {
    std::size_t index;
    StepCounters counters;
    std::int64_t sram_bytes;
    PeGrid pes;
  };
  std::vector<Copy> steps;
  void enter(std::string_view, std::int64_t) override {}
  void record(const RecordedStep& step) override {
    steps.push_back({step.index, step.counters, step.sram_bytes, step.pes});
  }
};

std::int64_t most_on_a_link(const PeGrid& pes) {
  std::int64_t most = 0;
  for (const PeField link : {PeField::link_east, PeField::link_west, PeField::link_south, PeField::link_north})
    most = std::max(most, pes.most(link));
  return most;
}

/// Whether the tensors that travel together in a step are all dealt out alike. Those of experts in bands and of the
/// shared expert are not: the PE that has most of one need not have most of the other.
bool dealt_alike(const Schedule& schedule, const Step& step) {
  const auto bands = [&](int i) -> const Bands& {
    return schedule.tensors[static_cast<std::size_t>(step.input + i)].along(other(step.axis));
  };
  for (int i = 1; i < step.span; ++i) {
    if (bands(i).heads != bands(0).heads) return false;
  }
  return true;
}

/// The counters hold the busiest PE and link, so each must be the largest of its kind on the rectangle. What tensors
/// that are dealt out differently send together is counted as the sum of the most of each, as the closed form does.
void check_busiest(const Schedule& schedule, const Step& step, const StepCounters& counted, const PeGrid& pes) {
  INFO("step " << step.label);
  CHECK(pes.most(PeField::instructions) == counted.instructions);
  CHECK(pes.most(PeField::length) == counted.length);
  CHECK(pes.most(PeField::macs) == counted.macs);
  CHECK(pes.most(PeField::exponentials) == counted.exponentials);
  CHECK(pes.most(PeField::specials) == counted.specials);
  CHECK(pes.most(PeField::weight_bytes) == counted.weight_bytes);
  CHECK(pes.most(PeField::dequantised) == counted.dequantised);
  CHECK(pes.most(PeField::combines) <= counted.combines);
  CHECK(most_on_a_link(pes) <= counted.link_wavelets);
  if (!dealt_alike(schedule, step)) return;
  CHECK(pes.most(PeField::combines) == counted.combines);
  CHECK(most_on_a_link(pes) == counted.link_wavelets);
}

/// Every wavelet that is sent by a PE arrives, and each hop is a link: a line's links cannot carry less than it takes.
void check_conservation(const Step& step, const PeGrid& pes) {
  INFO("step " << step.label);
  if (step.kind == StepKind::stream) return;
  CHECK(pes.sum(PeField::received) >= pes.sum(PeField::sent));
  CHECK(pes.sum(PeField::combines) <= pes.sum(PeField::received));
  std::int64_t on_links = 0;
  for (const PeField link : {PeField::link_east, PeField::link_west, PeField::link_south, PeField::link_north})
    on_links += pes.sum(link);
  CHECK(on_links >= pes.sum(PeField::received));
}

}  // namespace

TEST_CASE("200 random layers: the busiest PE and link that a recorder sees are those of the counters, step by step") {
  std::mt19937 random(2025);
  for (int round = 0; round < 200; ++round) {
    const LayerCase chosen = random_layer(random, 16, 16);
    Copies copies;
    MachineOptions options;
    options.recorder = &copies;
    LayerRun run(chosen, static_cast<std::uint64_t>(round), options);
    run.run();
    INFO("case " << round << " mesh " << chosen.mesh.rows << " x " << chosen.mesh.cols << " heads "
                 << chosen.layer.mixers[0].heads << "/" << chosen.layer.mixers[0].kv_heads << " dim "
                 << chosen.layer.mixers[0].head_dim << " batch " << chosen.pass.batch);
    REQUIRE(copies.steps.size() == run.schedule().steps.size());
    for (std::size_t i = 0; i < copies.steps.size(); ++i) {
      const Step& step = run.schedule().steps[i];
      CHECK(copies.steps[i].index == i);
      CHECK(copies.steps[i].counters == run.machine().counters()[i]);
      check_busiest(run.schedule(), step, copies.steps[i].counters, copies.steps[i].pes);
      check_conservation(step, copies.steps[i].pes);
    }
  }
}

TEST_CASE("the MACs of all PEs are those of the whole matrices") {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    const LayerCase chosen = random_layer(random, 16, 16);
    Copies copies;
    MachineOptions options;
    options.recorder = &copies;
    LayerRun run(chosen, static_cast<std::uint64_t>(round), options);
    run.run();
    int matrices = 0;
    for (std::size_t i = 0; i < copies.steps.size(); ++i) {
      const Step& step = run.schedule().steps[i];
      if (step.kind != StepKind::gemv || step.op != ElementOp::matrix) continue;
      const Tensor& weight = run.schedule().tensors[static_cast<std::size_t>(step.second)];
      INFO("case " << round << " step " << step.label);
      // A gate that every column needs is multiplied by every column.
      const std::int64_t columns = weight.along(other(weight.input_axis)).whole ? chosen.mesh.cols : 1;
      CHECK(copies.steps[i].pes.sum(PeField::macs) == weight.elements * run.schedule().batch * columns);
      ++matrices;
    }
    CHECK(matrices >= 4);
  }
}

TEST_CASE("counted steps take the cycles of the closed form, and SRAM is the machine's at its peak") {
  const Wafer wafer = load_wafer("wse2");
  const SoftwareProfile software = load_software("waferllm");
  const Rates rates = rates_of(wafer, software);
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    const LayerCase chosen = random_layer(random, 12, 12);
    Copies copies;
    MachineOptions options;
    options.recorder = &copies;
    LayerRun run(chosen, 1, options);
    run.run();
    const Schedule known = run.schedule_of_choice();
    std::int64_t peak = 0;
    for (std::size_t i = 0; i < copies.steps.size(); ++i) {
      const Step& step = known.steps[i];
      INFO("case " << round << " step " << step.label);
      CHECK(time(with_counted(step, copies.steps[i].counters), rates).total().value == time(step, rates).total().value);
      peak = std::max(peak, copies.steps[i].sram_bytes);
    }
    CHECK(peak == run.machine().resident_bytes() + run.machine().peak_buffer_bytes());
  }
}

TEST_CASE("a recorder changes no bit of outputs and counters, whatever the threads") {
  std::mt19937 random(8);
  LayerCase chosen = random_layer(random, 12, 12);
  chosen.hidden_size = 700;
  LayerRun plain(chosen, 9, {});
  plain.run();
  std::vector<Copies::Copy> first;
  for (const int threads : {1, 2, 4}) {
    Copies copies;
    MachineOptions options;
    options.recorder = &copies;
    options.threads = threads;
    LayerRun recorded(chosen, 9, options);
    recorded.run();
    CHECK(recorded.output() == plain.output());
    CHECK(recorded.machine().counters() == plain.machine().counters());
    if (first.empty()) first = copies.steps;
    REQUIRE(first.size() == copies.steps.size());
    for (std::size_t i = 0; i < first.size(); ++i) CHECK(first[i].pes == copies.steps[i].pes);
  }
}
