#include "estimate/calibrate_wafer.hpp"

#include <stdexcept>

#include "tests/support/catch.hpp"

using waferline::load_software;
using waferline::SoftwareProfile;
using waferline::estimate::calibrate_profile;
using waferline::estimate::fit_profile;
using waferline::estimate::WaferFitRow;
using waferline::estimate::WaferKnob;

namespace {

/// A time that is linear in two overheads.
double cycles(const SoftwareProfile& software, double instructions, double stages) {
  return 1000 + software.vector_instruction_overhead.value.value * instructions +
         software.stage_overhead.value.value * stages;
}

WaferFitRow row(const char* id, double instructions, double stages, double measured) {
  return {id, id, measured, [=](const SoftwareProfile& software) { return cycles(software, instructions, stages); }};
}

const std::vector<WaferKnob> kBoth{waferline::estimate::vector_instruction_knob(), waferline::estimate::stage_knob()};

}  // namespace

TEST_CASE("A fit on exact times finds the constants that made them") {
  SoftwareProfile truth = load_software("ideal");
  truth.vector_instruction_overhead.value = waferline::Cycles{17};
  truth.stage_overhead.value = waferline::Cycles{5};
  std::vector<WaferFitRow> rows;
  for (const auto& [id, a, b] : {std::tuple{"a", 10., 3.}, {"b", 2., 40.}, {"c", 7., 7.}}) {
    rows.push_back(row(id, a, b, cycles(truth, a, b)));
  }
  const auto fit = fit_profile(load_software("ideal"), rows, kBoth);
  CHECK(fit.values[0] == Approx(17));
  CHECK(fit.values[1] == Approx(5));
  CHECK(fit.worst_abs_error_pct < 1e-6);
}

TEST_CASE("Constants never fall below zero") {
  const std::vector<WaferFitRow> rows{row("a", 10, 3, 1100), row("b", 2, 40, 900), row("c", 7, 7, 1050)};
  const auto fit = fit_profile(load_software("waferllm"), rows, kBoth);
  for (const double value : fit.values) CHECK(value >= 0);
}

TEST_CASE("A calibrated profile says on how many points and constants it rests and by how much it misses each") {
  const std::vector<WaferFitRow> rows{row("a", 10, 3, 1200), row("b", 2, 40, 1300), row("c", 7, 7, 1190)};
  const auto fit = calibrate_profile(load_software("ideal"), rows, kBoth, "class", "data.csv", "a source");
  REQUIRE(fit.profile.fit);
  CHECK(fit.profile.fit->points == 3);
  CHECK(fit.profile.fit->constants == 2);
  CHECK(fit.profile.fit->residuals.size() == 3);
  CHECK(fit.profile.stage_overhead.provenance.kind == waferline::ProvenanceKind::fitted);
  CHECK(fit.profile.stage_overhead.provenance.points == 3);
  CHECK(fit.profile.stage_overhead.low() <= fit.profile.stage_overhead.value);
  CHECK(fit.profile.stage_overhead.value <= fit.profile.stage_overhead.high());
}

TEST_CASE("Fewer rows than constants are refused") {
  const std::vector<WaferFitRow> rows{row("a", 10, 3, 1200)};
  CHECK_THROWS_AS(fit_profile(load_software("ideal"), rows, kBoth), std::invalid_argument);
}
