// The schedule of WaferLLM's released kernel against the closed form of docs/model/10-kernels.md and its measured
// cycles.
#include <array>
#include <cmath>

#include "kernels/count.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/kernel_layers.hpp"

namespace waferline {
namespace {

using kernels::Counts;
using kernels::Schedule;

Schedule schedule_of(std::int64_t hidden, std::int64_t inner, std::int64_t side, std::int64_t context) {
  Schedule schedule;
  kernels::Workshop shop = tests::workshop();
  kernels::build_layer(kernels::released_waferllm_layer(hidden, inner), hidden, {side, side}, {1, context, 1}, shop,
                       schedule);
  return schedule;
}

TEST_CASE("the released WaferLLM layer issues 7d + s + f vector instructions on a P x P rectangle") {
  for (const std::int64_t side : {7, 360, 420, 540, 660}) {
    for (const std::int64_t context : {1, 100, 4096, 5000}) {
      const std::int64_t d = ceil_div(4096, side);
      const std::int64_t f = ceil_div(14336, side);
      const std::int64_t s = ceil_div(context, side);
      const Counts counts = kernels::count(schedule_of(4096, 14336, side, context)).total;
      CHECK(counts.instructions == 7 * d + s + f);
      CHECK(counts.macs == 4 * d * d + 2 * d * s + 3 * d * f);
    }
  }
}

TEST_CASE("the arithmetic of the released WaferLLM layer is one quarter cycle a MAC, rounded up for each instruction") {
  const auto q = [](std::int64_t n) { return static_cast<double>(ceil_div(n, 4)); };
  const kernels::Rates rates = tests::waferllm_rates(0, 0);
  for (const std::int64_t side : {360, 420, 540, 660}) {
    const auto d = ceil_div(5120, side);
    const auto f = ceil_div(13824, side);
    const auto s = ceil_div(4096, side);
    const auto dd = static_cast<double>(d);
    const double expected =
        4 * dd * q(d) + dd * q(s) + static_cast<double>(s) * q(d) + 2 * dd * q(f) + static_cast<double>(f) * q(d);
    double arithmetic = 0;
    for (const kernels::Step& step : schedule_of(5120, 13824, side, 4096).steps) {
      if (step.kind == kernels::StepKind::gemv) arithmetic += static_cast<double>(step.instructions) * q(step.length);
    }
    CHECK(arithmetic == expected);
    // Ports add nothing at four half-precision MACs a cycle beyond the scalar inputs, which are read once each.
    const kernels::StepTime time = kernels::time(schedule_of(5120, 13824, side, 4096), rates);
    CHECK((time.weights_sweep + time.multiply).value >= expected);
    CHECK((time.weights_sweep + time.multiply).value <= expected * 1.05);
  }
}

TEST_CASE("the released WaferLLM layer has ten all-reduces of P hops and (g + G) / 2 stages") {
  const Schedule schedule = schedule_of(4096, 14336, 400, 4096);
  std::int64_t reductions = 0;
  for (const kernels::Step& step : schedule.steps) {
    if (step.kind != kernels::StepKind::reduce_sum && step.kind != kernels::StepKind::reduce_max) continue;
    ++reductions;
    CHECK(step.line == 400);
    CHECK(step.traffic.hops >= 398);
    CHECK(step.traffic.hops <= 402);
    CHECK(std::abs(step.traffic.stages - (20 + 20) / 2) <= 2);
  }
  CHECK(reductions == 10);
}

struct Row {
  std::int64_t hidden, inner, side;
  double cycles;
};

// Cycles per layer at context 4,096 from Table 4 (1.1 GHz over tokens per second and layers): 8B, 13B, 72B.
constexpr std::array<Row, 9> kTable4{{{4096, 14336, 420, 12732},
                                      {4096, 14336, 540, 13742},
                                      {4096, 14336, 660, 15323},
                                      {5120, 13824, 420, 13486},
                                      {5120, 13824, 540, 14478},
                                      {5120, 13824, 660, 15806},
                                      {8192, 29568, 420, 16375},
                                      {8192, 29568, 540, 16681},
                                      {8192, 29568, 660, 17469}}};

struct Fit {
  double stage = 0, instruction = 0, mean = 0, worst = 0;
};

/// Least squares on relative error for the two overheads; time is linear in both.
Fit fit_table4(const kernels::Rates& fixed, bool elements_cost, bool payload_cost) {
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
  std::array<std::array<double, 3>, kTable4.size()> rows{};
  for (std::size_t i = 0; i < kTable4.size(); ++i) {
    const Row& row = kTable4[i];
    const Schedule schedule = schedule_of(row.hidden, row.inner, row.side, 4096);
    const Counts counts = kernels::count(schedule).total;
    const double a = static_cast<double>(counts.stages) / row.cycles;
    const double b =
        static_cast<double>(counts.instructions + (elements_cost ? counts.element_instructions : 0)) / row.cycles;
    const kernels::StepTime rest = kernels::time(schedule, fixed);
    const double y = 1 - (rest.total().value - (payload_cost ? 0 : rest.payload.value)) / row.cycles;
    rows[i] = {a, b, y};
    aa += a * a, ab += a * b, bb += b * b, ay += a * y, by += b * y;
  }
  const double det = aa * bb - ab * ab;
  Fit fit;
  fit.stage = (ay * bb - by * ab) / det;
  fit.instruction = (aa * by - ab * ay) / det;
  for (const auto& [a, b, y] : rows) {
    const double error = std::abs(a * fit.stage + b * fit.instruction - y) * 100;
    fit.mean += error / static_cast<double>(rows.size());
    fit.worst = std::max(fit.worst, error);
  }
  return fit;
}

struct Variant {
  const char* what;
  bool payload;        ///< words cost a cycle each on the critical path
  bool elements;       ///< elementwise instructions cost the same overhead
  double exponential;  ///< cycles
  double ramp;         ///< cycles
};

TEST_CASE("two overheads fit the released layer's measured cycles within 1.5 % on average and 3 % at worst") {
  const std::array<Variant, 6> variants{{{"multiplications only", false, false, 0, 0},
                                         {"multiplications and payload", true, false, 0, 0},
                                         {"all instructions", false, true, 0, 0},
                                         {"all instructions and payload", true, true, 0, 0},
                                         {"all instructions, payload and ramps", true, true, 0, 2},
                                         {"all instructions, payload, ramps, exponentials", true, true, 10, 2}}};
  for (const Variant& variant : variants) {
    kernels::Rates rates = tests::waferllm_rates(0, 0);
    rates.exponential_cycles = variant.exponential;
    rates.collective.ramp_cycles = variant.ramp;
    const Fit fit = fit_table4(rates, variant.elements, variant.payload);
    INFO(variant.what << ": stage " << fit.stage << ", instruction " << fit.instruction << ", mean " << fit.mean
                      << " %, worst " << fit.worst << " %");
    CHECK(fit.mean <= 1.5);
    CHECK(fit.worst <= 3.0);
    CHECK(fit.stage > 10);
    CHECK(fit.instruction > 10);
  }
}

TEST_CASE("at the fitted stage overhead the payload of the released layer hides behind the stages of every reduction") {
  kernels::Rates rates = tests::waferllm_rates(25, 20);
  for (const Row& row : kTable4) {
    for (const kernels::Step& step : schedule_of(row.hidden, row.inner, row.side, 4096).steps) {
      if (step.op == kernels::ElementOp::none) CHECK(kernels::time(step, rates).payload.value == 0);
    }
  }
}

}  // namespace
}  // namespace waferline
