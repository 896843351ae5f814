// Which question: do rotating tiles (MeshGEMM) and multicast panels (SUMMA) give the product, within the bound of their
// sums, and count what the closed form says?

#include "kernels/gemm.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "arch/error.hpp"
#include "estimate/prefill_kernel.hpp"
#include "kernels/emulate/seeded/reference_weights.hpp"
#include "kernels/numerics/contract.hpp"
#include "tests/cross/emulate/random_layer.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::kernels;
using namespace waferline::kernels::emulate;
using namespace waferline::tests;

namespace {

std::int64_t between(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

struct GemmCase {
  bool mesh_gemm = true;
  GemmSizes sizes;
  Extent extent;
  models::StoredType weight;
  ScheduleOptions options;
};

GemmCase random_case(std::mt19937& random, std::int64_t most_pes) {
  GemmCase chosen;
  chosen.mesh_gemm = between(random, 0, 1) == 1;
  chosen.extent = {between(random, 1, most_pes), between(random, 1, most_pes)};
  if (chosen.mesh_gemm) chosen.extent.cols = chosen.extent.rows;
  chosen.sizes = {between(random, 1, 60), between(random, 1, 90), between(random, 1, 150)};
  const std::array types{DType::fp32, DType::fp16, DType::bf16, DType::int8, DType::int4, DType::fp8_e4m3};
  chosen.weight.dtype = types[static_cast<std::size_t>(between(random, 0, 5))];
  if (chosen.weight.dtype == DType::int8 || chosen.weight.dtype == DType::int4)
    chosen.weight = {chosen.weight.dtype, 1, 32, 16, 0};
  chosen.options.accumulate = between(random, 0, 1) == 1 ? DType::fp16 : DType::fp32;
  chosen.options.loop = between(random, 0, 1) == 1 ? LoopOrder::shorter : LoopOrder::per_input;
  return chosen;
}

/// A run with seeded operands; keeps what the machine refers to.
struct GemmRun {
  Schedule schedule;
  std::unique_ptr<Machine> machine;
  std::unique_ptr<PanelMatrix> weight;
  Bindings bindings;
};

std::unique_ptr<GemmRun> run(const GemmCase& of, std::uint32_t seed, int threads = 1) {
  auto made = std::make_unique<GemmRun>();
  Workshop shop{of.options, PlanCache({})};
  (of.mesh_gemm ? build_mesh_gemm : build_summa)(of.sizes, of.weight, of.extent, shop, made->schedule);
  MachineOptions options;
  options.accumulate = of.options.accumulate;
  options.loop = of.options.loop;
  options.threads = threads;
  made->machine = std::make_unique<Machine>(made->schedule, options, Constants{});
  made->weight = std::make_unique<PanelMatrix>(seed, of.sizes.n, of.weight.dtype, Bands{1, of.sizes.k, 1}, 1);
  made->bindings.matrices[made->machine->find("gemm.b")] = {made->weight.get()};
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (float& value : made->machine->buffer(made->machine->find("gemm.a")).values) {
    value = normal(random);
    if (of.options.accumulate == DType::fp16) value = rounded(DType::fp16, value);
  }
  made->machine->run(made->bindings, {});
  return made;
}

void check_counted(const GemmRun& done) {
  for (std::size_t i = 0; i < done.schedule.steps.size(); ++i) {
    INFO("step " << done.schedule.steps[i].label);
    CHECK(shown(done.machine->counters()[i]) == shown(closed_form(done.schedule.steps[i])));
  }
}

/// Largest error of an element as a share of its bound.
double share_of_bound(const GemmCase& of, const GemmRun& done) {
  const bool fp16 = of.options.accumulate == DType::fp16;
  const double u = fp16 ? 0x1p-11 * (1 + 0x1p-12) + 0x1p-24 : 0x1p-24;
  const double least = fp16 ? static_cast<double>(of.sizes.k) * 0x1p-25 : 1e-38;
  const double bound = reference::sum_bound(of.sizes.k + 1, u);
  const reference::Matrix weight = whole_matrix(*done.weight);
  const Buffer& a = done.machine->buffer(done.machine->find("gemm.a"));
  const Buffer& c = done.machine->buffer(done.machine->find("gemm.c"));
  double worst = 0;
  for (std::int64_t m = 0; m < of.sizes.m; ++m) {
    std::vector<double> row;
    for (std::int64_t k = 0; k < of.sizes.k; ++k) row.push_back(a.values[static_cast<std::size_t>(k * of.sizes.m + m)]);
    const reference::Product exact = reference::multiply(weight, row);
    for (std::int64_t n = 0; n < of.sizes.n; ++n) {
      const auto i = static_cast<std::size_t>(n);
      const double got = c.values[static_cast<std::size_t>(n * of.sizes.m + m)];
      const double share = std::abs(got - exact.values[i]) / (bound * exact.magnitudes[i] + least);
      worst = std::isnan(share) ? 1e9 : std::max(worst, share);
    }
  }
  return worst;
}

std::string shown(const GemmCase& of) {
  return std::string(of.mesh_gemm ? "MeshGEMM " : "SUMMA ") + std::to_string(of.sizes.m) + " x " +
         std::to_string(of.sizes.k) + " x " + std::to_string(of.sizes.n) + " on " + std::to_string(of.extent.rows) +
         " x " + std::to_string(of.extent.cols) + ", " + std::string(name(of.weight.dtype)) + " summed in " +
         std::string(name(of.options.accumulate));
}

}  // namespace

TEST_CASE("200 random products by tiles and 200 by panels: within gamma of k, and counted as in closed form") {
  std::mt19937 random(61);
  int cases[2] = {0, 0};
  double worst = 0;
  for (std::uint32_t round = 0; cases[0] < 200 || cases[1] < 200; ++round) {
    const GemmCase of = random_case(random, 16);
    ++cases[of.mesh_gemm ? 1 : 0];
    const auto done = run(of, round);
    INFO("case " << round << ": " << shown(of));
    const double share = share_of_bound(of, *done);
    CHECK(share <= 1);
    worst = std::max(worst, share);
    check_counted(*done);
  }
  CHECK(worst > 0.01);
}

TEST_CASE("large rectangles: products by tiles and panels are counted as in closed form") {
  std::mt19937 random(62);
  for (const Extent extent : {Extent{64, 64}, Extent{101, 101}, Extent{96, 40}}) {
    GemmCase of = random_case(random, 1);
    of.mesh_gemm = extent.rows == extent.cols;
    of.extent = extent;
    of.sizes = {130, 210, 170};
    const auto done = run(of, 3);
    INFO(shown(of));
    check_counted(*done);
    CHECK(share_of_bound(of, *done) <= 1);
  }
}

TEST_CASE("a product has the same bits for 1, 2, 4 and 16 threads") {
  std::mt19937 random(63);
  for (int round = 0; round < 6; ++round) {
    GemmCase of = random_case(random, 12);
    of.sizes = {70, 300, 200};
    const auto one = run(of, 5);
    for (const int threads : {2, 4, 16}) {
      const auto many = run(of, 5, threads);
      CHECK(many->machine->buffer(many->machine->find("gemm.c")).values ==
            one->machine->buffer(one->machine->find("gemm.c")).values);
      CHECK(many->machine->counters() == one->machine->counters());
    }
  }
}

TEST_CASE("sums run in the order in which a PE's tiles arrive: from its own block on, or from the first panel on") {
  std::mt19937 random(65);
  for (int round = 0; round < 20; ++round) {
    GemmCase of = random_case(random, 9);
    of.options.accumulate = DType::fp32;
    const auto done = run(of, 7);
    const Buffer& a = done->machine->buffer(done->machine->find("gemm.a"));
    const Buffer& c = done->machine->buffer(done->machine->find("gemm.c"));
    const std::int64_t side = of.extent.rows;
    INFO(shown(of));
    for (std::int64_t m = 0; m < of.sizes.m; ++m) {
      for (std::int64_t n = 0; n < of.sizes.n; ++n) {
        const std::int64_t row = Split{of.sizes.m, side}.owner(m);
        const std::int64_t col = Split{of.sizes.n, of.extent.cols}.owner(n);
        const std::int64_t block = (ring_position(row, side) + ring_position(col, side)) % side;
        const std::int64_t first = of.mesh_gemm ? Split{of.sizes.k, side}.begin(block) : 0;
        float sum = 0;
        for (std::int64_t i = 0; i < of.sizes.k; ++i) {
          const std::int64_t k = (first + i) % of.sizes.k;
          sum = std::fma(done->weight->at(n, k), a.values[static_cast<std::size_t>(k * of.sizes.m + m)], sum);
        }
        REQUIRE(c.values[static_cast<std::size_t>(n * of.sizes.m + m)] == sum);
      }
    }
  }
}

TEST_CASE("tiles that rotate need as many rows as columns") {
  Workshop shop{{}, PlanCache({})};
  Schedule schedule;
  CHECK_THROWS_WITH(build_mesh_gemm({8, 8, 8}, {}, {2, 3}, shop, schedule), Catch::Contains("2 x 3 PEs"));
}

TEST_CASE("the ring visits every PE, and no two neighbours are more than two hops apart") {
  for (std::int64_t pes = 1; pes <= 40; ++pes) {
    std::vector<std::int64_t> at_place(static_cast<std::size_t>(pes), -1);
    for (std::int64_t pe = 0; pe < pes; ++pe) at_place[static_cast<std::size_t>(ring_position(pe, pes))] = pe;
    for (std::int64_t place = 0; place < pes; ++place) {
      REQUIRE(at_place[static_cast<std::size_t>(place)] >= 0);
      const std::int64_t next = at_place[static_cast<std::size_t>((place + 1) % pes)];
      CHECK(std::abs(next - at_place[static_cast<std::size_t>(place)]) <= 2);
    }
  }
}

TEST_CASE("nine products by tiles are the instructions and rotations of the closed form of a prefill layer") {
  std::mt19937 random(64);
  for (int round = 0; round < 50; ++round) {
    estimate::PrefillKernelCase layer;
    layer.pes_per_side = between(random, 2, 40);
    layer.hidden_size = between(random, 1, 900);
    layer.intermediate_size = between(random, 1, 2000);
    layer.prompt_tokens = between(random, 1, 700);
    const auto closed = estimate::count_prefill(layer);
    const std::int64_t s = layer.prompt_tokens;
    const std::int64_t d = layer.hidden_size;
    const std::int64_t f = layer.intermediate_size;
    std::int64_t instructions = 0;
    std::int64_t rotations = 0;
    double arithmetic = 0;
    Workshop shop{{}, PlanCache({})};
    Schedule schedule;
    for (const GemmSizes& sizes :
         {GemmSizes{s, d, d}, GemmSizes{s, d, d}, GemmSizes{s, d, d}, GemmSizes{s, d, d}, GemmSizes{s, d, s},
          GemmSizes{s, s, d}, GemmSizes{s, d, f}, GemmSizes{s, d, f}, GemmSizes{s, f, d}}) {
      build_mesh_gemm(sizes, {.dtype = DType::fp16}, {layer.pes_per_side, layer.pes_per_side}, shop, schedule);
      for (const Step& step : schedule.steps) {
        if (step.label == "gemm.rotate_a") rotations += step.repeats;
        if (step.label != "gemm.product") continue;
        instructions += step.repeats * step.instructions;
        arithmetic += static_cast<double>(step.repeats * step.instructions) *
                      std::ceil(static_cast<double>(step.length) / layer.macs_per_cycle);
      }
    }
    CHECK(static_cast<double>(instructions) == closed.instructions);
    CHECK(static_cast<double>(rotations) == closed.rotations);
    CHECK(arithmetic == closed.arithmetic);
  }
}
