// Which way an answer moves with each input, over random cases with a fixed seed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "estimate/sweep/sweep.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sweep_axes.hpp"

using namespace waferline;
using namespace waferline::estimate;
using waferline::tests::cell;
using waferline::tests::setting;
using waferline::tests::sweep_axes;

namespace {

constexpr std::array kModels{"smollm2-135m", "smollm2-360m"};

/// Random inputs; those of a test change one of them along a list.
SweepAxes random_axes(std::mt19937& random, std::size_t model) {
  const auto any = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  SweepAxes axes = sweep_axes(kModels[model % kModels.size()], "wse3", "service-2024");
  axes.contexts = {any(1, 20'000)};
  axes.settings.push_back(setting("wafer.usable", {"300x300"}));  // a small part, quick to search
  axes.batches = {any(1, 2)};
  axes.users = {any(1, 2)};
  axes.accepted_tokens = {static_cast<double>(any(10, 30)) / 10};
  axes.weight_bits = {any(0, 1) == 0 ? 16 : 8};
  return axes;
}

/// Rising texts from `low` to `high`.
std::vector<std::string> rising(std::mt19937& random, double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(std::uniform_real_distribution<double>(low, high)(random));
  std::sort(values.begin(), values.end());
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(fmt::format("{}", value));
  return texts;
}

/// A column along the points of a sweep, all of which must fit.
std::vector<double> along(const Sweep& sweep, const char* column) {
  std::vector<double> values;
  run_sweep(sweep, 0, 2, [&](std::int64_t, const SweepRow& row) {
    INFO(cell(sweep, row, "reason"));
    REQUIRE(cell(sweep, row, "fits") == "1");
    values.push_back(std::stod(cell(sweep, row, column)));
  });
  return values;
}

bool never_falls(const std::vector<double>& values) {
  return std::is_sorted(values.begin(), values.end());
}

constexpr int kCases = 40;
constexpr int kValues = 5;  // 200 points a law

}  // namespace

TEST_CASE("A faster clock is never slower") {
  std::mt19937 random(20261211);
  for (std::size_t i = 0; i < kCases; ++i) {
    SweepAxes axes = random_axes(random, i);
    axes.settings.push_back(setting("wafer.clock_hz", rising(random, 0.3e9, 3e9, kValues)));
    CHECK(never_falls(along(Sweep(axes, "test"), "tokens_per_s")));
  }
}

TEST_CASE("Twice the clock is half the time on the wafer") {
  std::mt19937 random(20261212);
  for (std::size_t i = 0; i < kCases; ++i) {
    SweepAxes axes = random_axes(random, i);
    const std::int64_t clock = std::uniform_int_distribution<std::int64_t>(300'000'000, 1'500'000'000)(random);
    axes.settings.push_back(setting("wafer.clock_hz", {fmt::format("{}", clock), fmt::format("{}", 2 * clock)}));
    axes.wafers = {1};
    const Sweep sweep(axes, "test");
    const std::vector<double> tpot = along(sweep, "tpot_s");
    const std::vector<double> fixed = along(sweep, "breakdown_s.fixed");
    CHECK(tpot[1] - fixed[1] == Approx((tpot[0] - fixed[0]) / 2).epsilon(1e-9));
  }
}

TEST_CASE("More cycles a hop, a stage or an instruction are never faster") {
  std::mt19937 random(20261213);
  constexpr std::array<const char*, 4> keys{"wafer.hop_cycles", "wafer.ramp_cycles", "software.stage_overhead_cycles",
                                            "software.vector_instruction_overhead_cycles"};
  for (std::size_t i = 0; i < kCases; ++i) {
    SweepAxes axes = random_axes(random, i);
    axes.settings.push_back(setting(keys[i % keys.size()], rising(random, 1, 60, kValues)));
    INFO(keys[i % keys.size()]);
    CHECK(never_falls(along(Sweep(axes, "test"), "tpot_s")));
  }
}

TEST_CASE("More cached tokens are never faster, and more accepted ones never slower") {
  std::mt19937 random(20261214);
  for (std::size_t i = 0; i < kCases; ++i) {
    SweepAxes axes = random_axes(random, i);
    axes.accepted_tokens = {1, 1.5, 2, 2.5, 3};
    CHECK(never_falls(along(Sweep(axes, "test"), "tokens_per_s")));
    axes.accepted_tokens = {1};
    axes.contexts = {100, 1000, 4000, 9000, 20'000};
    axes.wafers = {1};
    CHECK(never_falls(along(Sweep(axes, "test"), "tpot_s")));
  }
}

TEST_CASE(
    "More SRAM on one wafer holds no fewer users, and is slower by no more than the stated gap of the placement") {
  // The bound falls with more SRAM; which of the placements above it is found may change.
  std::mt19937 random(20261215);
  for (std::size_t i = 0; i < kCases; ++i) {
    SweepAxes axes = random_axes(random, i);
    axes.wafers = {1};
    axes.settings.push_back(setting("wafer.sram_bytes", {"45056", "49152", "57344", "65536", "98304"}));
    const Sweep sweep(axes, "test");
    const std::vector<double> tpot = along(sweep, "tpot_s");
    const std::vector<double> gap_pct = along(sweep, "gap_pct");
    for (std::size_t at = 1; at < tpot.size(); ++at)
      CHECK(tpot[at] <= tpot[at - 1] * (1 + gap_pct[at] / 100) * (1 + 1e-12));
    axes.objectives = {mapping::Objective::users};
    CHECK(never_falls(along(Sweep(axes, "test"), "max_users")));
  }
}
