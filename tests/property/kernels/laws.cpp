// Laws that hold for every layer: bounds, and what may not grow faster or slower.
#include "kernels/count.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/kernel_layers.hpp"
#include "tests/support/random_layers.hpp"

namespace waferline {
namespace {

using kernels::Schedule;
using kernels::Step;

kernels::Rates some_rates(bool payload_hidden) {
  kernels::Rates rates = tests::waferllm_rates(25, 20);
  rates.payload_hidden = payload_hidden;
  rates.element_cycles = 0.5;
  rates.exponential_cycles = 60;
  rates.special_cycles = 30;
  rates.dequantise_cycles = 1;
  rates.stream_cycles = 10;
  return rates;
}

struct Case {
  models::Layer layer;
  std::int64_t hidden = 1;
  Extent extent;
  kernels::Pass pass;
  kernels::ScheduleOptions options;
};

Case random_case(tests::RandomLayers& random) {
  Case c;
  c.layer = random.layer();
  c.hidden = random.number(1, 300);
  c.extent = {random.number(1, 40), random.number(1, 40)};
  c.pass = {random.number(1, 3), random.number(1, 200), 1};
  c.options = tests::random_options(random);
  return c;
}

Schedule schedule_of(const Case& c) {
  Schedule schedule;
  kernels::Workshop shop = tests::workshop(c.options);
  kernels::build_layer(c.layer, c.hidden, c.extent, c.pass, shop, schedule);
  return schedule;
}

TEST_CASE("no step is faster than its bytes through the ports, its arithmetic, its hops or its payload") {
  tests::RandomLayers random(1);
  for (int round = 0; round < 200; ++round) {
    const Case c = random_case(random);
    const Schedule schedule = schedule_of(c);
    for (const bool hidden : {false, true}) {
      const kernels::Rates rates = some_rates(hidden);
      for (const Step& step : schedule.steps) {
        INFO(step.label);
        const double cycles = kernels::time(step, rates).total().value;
        REQUIRE(cycles >= kernels::lower_bound(step, rates).value);
        REQUIRE(cycles >= static_cast<double>(step.weight_bytes) / rates.read_bytes_per_cycle);
        REQUIRE(cycles >= static_cast<double>(step.traffic.hops));
        REQUIRE(cycles >= static_cast<double>(step.traffic.payload_slots));
        REQUIRE(cycles >= static_cast<double>(step.macs) / rates.macs_per_cycle_16bit);
      }
    }
  }
}

TEST_CASE("no part of a step's time is negative and the parts add up") {
  tests::RandomLayers random(2);
  for (int round = 0; round < 200; ++round) {
    const Schedule schedule = schedule_of(random_case(random));
    const kernels::Rates rates = some_rates(round % 2 == 0);
    Cycles sum;
    for (const Step& step : schedule.steps) {
      const kernels::StepTime t = kernels::time(step, rates);
      for (const Cycles part : {t.weights_sweep, t.multiply, t.instruction_overhead, t.elementwise, t.exponential,
                                t.special, t.dequantise, t.hops, t.stages, t.payload}) {
        REQUIRE(part.value >= 0);
      }
      sum += t.total();
    }
    REQUIRE(kernels::time(schedule, rates).total().value == Approx(sum.value).epsilon(1e-12));
  }
}

TEST_CASE("more context never lowers the time, the bytes or the work of a layer") {
  tests::RandomLayers random(3);
  for (int round = 0; round < 200; ++round) {
    Case c = random_case(random);
    const kernels::Rates rates = some_rates(false);
    const Schedule before = schedule_of(c);
    c.pass.context_tokens += random.number(1, 100);
    const Schedule after = schedule_of(c);
    CHECK(kernels::time(after, rates).total() >= kernels::time(before, rates).total());
    CHECK(kernels::sram(after).kv >= kernels::sram(before).kv);
    CHECK(kernels::sram(after).state == kernels::sram(before).state);
    CHECK(kernels::sram(after).weights == kernels::sram(before).weights);
    CHECK(kernels::count(after).total.macs >= kernels::count(before).total.macs);
  }
}

TEST_CASE("more tokens in a pass never make it faster, nor slower than so many passes with one token each") {
  tests::RandomLayers random(4);
  for (int round = 0; round < 200; ++round) {
    Case c = random_case(random);
    c.options.weights_once_per_batch = false;
    c.pass.batch = 1;
    const kernels::Rates rates = some_rates(false);
    const double one = kernels::time(schedule_of(c), rates).total().value;
    c.pass.batch = random.number(2, 5);
    const double many = kernels::time(schedule_of(c), rates).total().value;
    CHECK(many >= one);
    CHECK(many <= static_cast<double>(c.pass.batch) * one * (1 + 1e-9));
  }
}

TEST_CASE("a larger payload is never faster to reduce, whichever plan is best for it") {
  tests::RandomLayers random(5);
  for (const bool hidden : {false, true}) {
    kernels::CollectiveChoice choice = tests::tree_choice(hidden ? 25 : 7);
    choice.payload_hidden = hidden;
    kernels::PlanCache plans(choice);
    kernels::Rates rates = some_rates(hidden);
    rates.collective = choice.rates;
    for (int round = 0; round < 200; ++round) {
      Step step;
      step.kind = kernels::StepKind::reduce_sum;
      step.line = random.number(2, 700);
      double last = 0;
      for (std::int64_t wavelets = 1; wavelets < 3000; wavelets = wavelets * 3 / 2 + 1) {
        step.traffic = plans.plan(step.line, wavelets).allreduce;
        const double cycles = kernels::time(step, rates).total().value;
        INFO(step.line << " PEs, " << wavelets << " wavelets");
        CHECK(cycles >= last);
        last = cycles;
      }
    }
  }
}

TEST_CASE("the parts of a schedule's counts add up to its total") {
  tests::RandomLayers random(6);
  for (int round = 0; round < 200; ++round) {
    const Schedule schedule = schedule_of(random_case(random));
    kernels::Counts sum;
    for (const Step& step : schedule.steps) sum += kernels::count(step);
    CHECK(kernels::count(schedule).total == sum);
  }
}

TEST_CASE("building a schedule again, into used memory and with a warm cache of plans, gives the same") {
  tests::RandomLayers random(8);
  Schedule used;
  for (int round = 0; round < 200; ++round) {
    const Case c = random_case(random);
    kernels::Workshop shop = tests::workshop(c.options);
    kernels::build_layer(c.layer, c.hidden, c.extent, c.pass, shop, used);
    const kernels::Counts first = kernels::count(used).total;
    kernels::build_layer(c.layer, c.hidden, c.extent, c.pass, shop, used);
    CHECK(kernels::count(used).total == first);
    CHECK(kernels::count(schedule_of(c)).total == first);
  }
}

}  // namespace
}  // namespace waferline
