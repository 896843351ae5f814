// Laws of sweeps, over random cases with a fixed seed.
#include <array>
#include <random>

#include "arch/error.hpp"
#include "estimate/sweep/sweep.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sweep_axes.hpp"

using namespace waferline;
using namespace waferline::estimate;
using waferline::tests::cell;
using waferline::tests::setting;
using waferline::tests::sweep_axes;

namespace {

constexpr std::array kModels{"smollm2-135m", "smollm2-360m", "qwen2-0.5b"};

/// 200 points: some fit, some do not.
Sweep random_sweep(std::mt19937& random, const char* model) {
  const auto any = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  SweepAxes axes = sweep_axes(model, "wse3", "service-2024");
  axes.settings.push_back(setting("wafer.usable", {"250x250"}));  // a small part, quick to search
  axes.settings.push_back(setting("wafer.hop_cycles", {"1", "1.5"}));
  axes.settings.push_back(setting("wafer.sram_bytes", {std::to_string(any(6000, 30'000)), "49152"}));
  axes.settings.push_back(setting("software.exponential_cycles_per_element", {std::to_string(any(1, 20))}));
  axes.objectives = {mapping::Objective::latency, mapping::Objective::users};
  axes.weight_bits = {16, 8};
  axes.kv_types = {std::nullopt};
  axes.wafers = {std::nullopt, 1};
  axes.accepted_tokens = {1.0 + static_cast<double>(any(0, 30)) / 10};
  axes.batches = {any(1, 3)};
  axes.users = {1, any(4, 40)};
  axes.contexts = {any(1, 3000), any(3001, 20'000), 1'000'000};
  return Sweep(axes, "test");
}

std::vector<SweepRow> rows_of(const Sweep& sweep, int threads) {
  std::vector<SweepRow> rows;
  run_sweep(sweep, 0, threads, [&](std::int64_t, const SweepRow& row) { rows.push_back(row); });
  return rows;
}

/// The same inputs, put together by hand from the cells of the row.
DecodeEstimate estimate_of(const Sweep& sweep, const SweepRow& row) {
  const auto text = [&](const char* column) { return cell(sweep, row, column); };
  Wafer wafer = load_wafer(text("system"));
  wafer.fabric.usable = {{250, 250}, std::nullopt, {}};
  wafer.fabric.hop = {Cycles{std::stod(text("wafer.hop_cycles"))}, std::nullopt, {}};
  wafer.pe.sram = {Bytes{std::stoll(text("wafer.sram_bytes"))}, std::nullopt, {}};
  SoftwareProfile software = load_software(text("software"));
  software.exponential_per_element = {
      Cycles{std::stod(text("software.exponential_cycles_per_element"))}, std::nullopt, {}};
  DecodeRequest request;
  request.weight_bits = std::stoi(text("weight_bits"));
  request.objective = text("objective") == "users" ? mapping::Objective::users : mapping::Objective::latency;
  if (text("wafers_asked") != "auto") request.wafers = std::stoll(text("wafers_asked"));
  request.users = std::stoll(text("users"));
  request.batch = std::stoll(text("batch"));
  request.accepted_tokens = std::stod(text("accepted_tokens"));
  request.context_tokens = std::stoll(text("context_tokens"));
  return estimate_decode(models::load_model(text("model")), wafer, software, request);
}

void check_same(const Sweep& sweep, const SweepRow& row, const DecodeEstimate& estimate) {
  const auto real = [&](const std::string& column) { return std::stod(cell(sweep, row, column)); };
  const auto whole = [&](const std::string& column) { return std::stoll(cell(sweep, row, column)); };
  CHECK(real("tokens_per_s_low") == estimate.tokens_per_s.low);
  CHECK(real("tokens_per_s") == estimate.tokens_per_s.expected);
  CHECK(real("tokens_per_s_high") == estimate.tokens_per_s.high);
  CHECK(real("tpot_s") == estimate.tpot.expected.value);
  CHECK(whole("wafers") == estimate.placement.wafers);
  CHECK(whole("regions") == std::ssize(estimate.placement.regions));
  CHECK(whole("max_users") == estimate.placement.max_users);
  CHECK(whole("max_context_tokens") == estimate.placement.max_context_tokens);
  CHECK(real("pipelined_tokens_per_s") == estimate.pipelined_tokens_per_s);
  CHECK(real("slowest_stage_s") == estimate.slowest_stage.value);
  CHECK(real("gap_pct") == estimate.placement.search.gap_pct);
  for (const BoundLine& bound : estimate.bounds) CHECK(real("bounds_s." + bound.name) == bound.time.value);
  double sum = 0;
  for (const BreakdownPart& part : estimate.breakdown) {
    CHECK(real("breakdown_s." + part.name) == part.time.value);
    sum += real("breakdown_s." + part.name);
  }
  CHECK(sum == Approx(real("tpot_s")).epsilon(1e-12));
}

}  // namespace

TEST_CASE("A row is the estimate of its own inputs, digit for digit, or says why there is none") {
  std::mt19937 random(20261207);
  int fitting = 0;
  int misfits = 0;
  for (const char* model : kModels) {
    const Sweep sweep = random_sweep(random, model);
    for (std::int64_t point = 0; point < sweep.points(); point += 2) {
      const SweepRow row = sweep.row(point);
      INFO(model << " point " << point);
      try {
        const DecodeEstimate estimate = estimate_of(sweep, row);
        REQUIRE(cell(sweep, row, "fits") == "1");
        check_same(sweep, row, estimate);
        ++fitting;
      } catch (const DoesNotFit&) {
        CHECK(cell(sweep, row, "fits") == "0");
        CHECK_FALSE(cell(sweep, row, "reason").empty());
        ++misfits;
      }
    }
  }
  CHECK(fitting >= 60);
  CHECK(misfits >= 20);
}

TEST_CASE("Rows are the same on 1, 2 and 4 threads") {
  std::mt19937 random(20261208);
  const Sweep sweep = random_sweep(random, kModels[0]);
  const std::vector<SweepRow> alone = rows_of(sweep, 1);
  REQUIRE(std::ssize(alone) == sweep.points());
  for (const int threads : {2, 4}) CHECK(rows_of(sweep, threads) == alone);
}
