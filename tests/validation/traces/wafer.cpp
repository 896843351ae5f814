// How far the wafer estimate is from published figures. Bands: docs/model/20-wafer.md.
#include <algorithm>
#include <cmath>

#include "arch/data_dir.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reference_data.hpp"
#include "traces/calibrate_wafer_class.hpp"
#include "traces/endpoint_model.hpp"
#include "traces/validate.hpp"

using waferline::data_dir;
using waferline::load_software;
using waferline::SoftwareProfile;
using waferline::traces::calibrate_wafer_class;
using waferline::traces::EndpointRow;
using waferline::traces::ServedModel;
using waferline::traces::ValidationPoint;
using waferline::traces::ValidationSet;

namespace {

ValidationSet validated(const char* name) {
  return waferline::traces::run_validation({name}).front();
}

const ValidationPoint& point(const ValidationSet& set, const std::string& id) {
  const auto found =
      std::find_if(set.points.begin(), set.points.end(), [&](const ValidationPoint& one) { return one.id == id; });
  REQUIRE(found != set.points.end());
  return *found;
}

/// Seconds of the same figures, whatever wrote them last.
void check_same(const SoftwareProfile& made, const SoftwareProfile& shipped) {
  const auto same = [](double a, double b) { CHECK(a == Approx(b).epsilon(1e-4).margin(1e-9)); };
  same(made.vector_instruction_overhead.value.value, shipped.vector_instruction_overhead.value.value);
  same(made.stage_overhead.value.value, shipped.stage_overhead.value.value);
  same(made.exponential_per_element.value.value, shipped.exponential_per_element.value.value);
  same(made.fixed_per_token.value.value, shipped.fixed_per_token.value.value);
  CHECK(made.accepted_tokens.has_value() == shipped.accepted_tokens.has_value());
  if (made.accepted_tokens) same(made.accepted_tokens->value, shipped.accepted_tokens->value);
  REQUIRE(made.fit);
  REQUIRE(shipped.fit);
  CHECK(made.fit->points == shipped.fit->points);
  CHECK(made.fit->constants == shipped.fit->constants);
  same(made.fit->mean_abs_error_pct, shipped.fit->mean_abs_error_pct);
  same(made.fit->worst_abs_error_pct, shipped.fit->worst_abs_error_pct);
}

}  // namespace

TEST_CASE("WaferLLM decode on WSE-2 is met within 1.5 % on average and 3 % at worst with two constants") {
  const ValidationSet set = validated("waferllm-decode");
  REQUIRE(set.groups.size() == 3);
  CHECK(set.groups[0].rows == 9);
  CHECK(set.groups[0].constants == 2);
  CHECK(set.groups[0].mean_abs_error_pct <= 1.5);
  CHECK(set.groups[0].worst_abs_error_pct <= 3.0);
  CHECK(set.groups[1].worst_abs_error_pct <= 5.0);
}

TEST_CASE("The full decode on WSE-3 is met within 10 % in base and context slope") {
  const ValidationSet set = validated("waferllm-decode");
  CHECK(std::abs(point(set, "238 base").error_pct) <= 10);
  CHECK(std::abs(point(set, "238 slope").error_pct) <= 10);
  CHECK(std::abs(point(set, "239@1024").error_pct) <= 10);
}

TEST_CASE("WaferLLM prefill on WSE-2 is met within 5 % on average with two constants") {
  const ValidationSet set = validated("waferllm-prefill");
  CHECK(set.rows >= 12);
  CHECK(set.constants == 2);
  CHECK(set.mean_abs_error_pct <= 5);
}

TEST_CASE("Served speeds of a model left out are met within a factor of 1.25, better than simple predictors") {
  const auto all = waferline::traces::read_endpoint_rows(data_dir("traces/published") / "endpoint_speeds.csv");
  std::vector<EndpointRow> rows;
  for (const EndpointRow& row : all.rows) {
    if (row.system == "wse3") rows.push_back(row);
  }
  CHECK(rows.size() == 25);
  const auto left_out = waferline::traces::leave_models_out(
      rows, {waferline::traces::starting_point("service-2024"), waferline::traces::starting_point("service-2026")});
  const auto ours = waferline::traces::error_factors(left_out);
  const auto simple = waferline::traces::baseline_factors(rows);
  CHECK(ours.rows < 1.25);
  CHECK(ours.models < 1.25);
  CHECK(simple.constant == Approx(1.44).margin(0.03));
  CHECK(simple.layers == Approx(1.32).margin(0.03));
  CHECK(simple.layers_and_constant == Approx(1.29).margin(0.03));
  CHECK(ours.models < simple.layers_and_constant);
}

TEST_CASE("A cached token of 405B costs 66 ns a layer and 1,000 tokens, within 10 %") {
  const SoftwareProfile software = load_software("service-2026");
  EndpointRow row;
  row.model = "llama-3.1-405b";
  row.system = "wse3";
  row.weight_bits = 16;
  row.context_tokens = 1000;
  row.tokens_per_s = 969;
  row.speculates = true;
  const double near = ServedModel(row, software).seconds(software);
  row.context_tokens = 100'000;
  const double far = ServedModel(row, software).seconds(software);
  CHECK((far - near) / 126 / 99 * 1e9 == Approx(66).epsilon(0.1));
}

TEST_CASE("The shipped software profiles are what calibration makes of the published rows") {
  for (const std::string_view name : waferline::traces::wafer_classes()) {
    INFO(name);
    const std::string class_name(name);
    const auto file = data_dir("traces/published") / waferline::traces::data_file_of(class_name);
    check_same(calibrate_wafer_class(file, class_name), load_software(class_name));
  }
}

TEST_CASE("The reference data give the same figures as the published subset") {
  WAFERLINE_REQUIRE_REFERENCE(reference);
  const ValidationSet set = waferline::traces::run_validation({"waferllm-decode"}, reference).front();
  CHECK(set.groups[0].mean_abs_error_pct <= 1.5);
  CHECK(set.groups[0].worst_abs_error_pct <= 3.0);
}
