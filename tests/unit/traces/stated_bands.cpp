#include "traces/stated_bands.hpp"

#include <limits>

#include "tests/support/catch.hpp"

using namespace waferline::traces;

namespace {

ValidationSet one_group(const char* set, const char* group, std::int64_t rows) {
  ValidationSet made = make_validation_set(set, 0, {});
  ValidationGroup part;
  part.name = group;
  part.rows = rows;
  made.groups.push_back(part);
  return made;
}

}  // namespace

TEST_CASE("an error at its stated band keeps the promise, one above breaks it") {
  ValidationSet set = one_group("waferllm-decode", "WaferLLM on WSE-2, one layer, rows fitted on", 9);
  set.groups[0].mean_abs_error_pct = 1.5;
  set.groups[0].worst_abs_error_pct = 3.0;
  CHECK(broken_bands(set).empty());
  set.groups[0].mean_abs_error_pct = 1.51;
  set.groups[0].worst_abs_error_pct = 3.01;
  REQUIRE(broken_bands(set).size() == 2);
  CHECK(broken_bands(set)[0] ==
        "waferllm-decode, WaferLLM on WSE-2, one layer, rows fitted on: mean error 1.51 %, stated is at most 1.5 %");
}

TEST_CASE("GPU classes of 30 rows are held to their error on configurations left out, smaller ones are not") {
  ValidationSet set = one_group("gpu", "vllm-2024", 30);
  set.groups[0].held_out_mean_abs_error_pct = 7.1;
  CHECK(broken_bands(set).size() == 1);
  set.groups[0].rows = 29;
  CHECK(broken_bands(set).empty());
}

TEST_CASE("a set without rows breaks no promise, and one whose errors are not numbers breaks it") {
  CHECK(broken_bands(make_validation_set("gpu", 0, {})).empty());
  ValidationSet set = make_validation_set("waferllm-prefill", 2, {make_point("1", "", "cycles", 100, 104)});
  CHECK(broken_bands(set).empty());
  set.mean_abs_error_pct = std::numeric_limits<double>::quiet_NaN();
  CHECK(broken_bands(set).size() == 1);
}
