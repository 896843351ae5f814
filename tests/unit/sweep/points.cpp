// What the points of a sweep are.
#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>

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

SweepAxes small() {
  return sweep_axes("qwen3-0.6b", "wse3", "service-2024");
}

}  // namespace

TEST_CASE("points are all combinations, the last list changing fastest") {
  SweepAxes axes = small();
  axes.settings.push_back(setting("wafer.clock_hz", {"0.85e9", "1.1e9"}));
  axes.batches = {1, 2, 3};
  axes.contexts = {1024, 2048};
  const Sweep sweep(axes, "test");
  REQUIRE(sweep.points() == 12);
  std::set<SweepRow> seen;
  for (std::int64_t point = 0; point < 12; ++point) {
    const SweepRow inputs = sweep.inputs(point);
    REQUIRE(inputs.size() == sweep.input_columns());
    CHECK(cell(sweep, inputs, "wafer.clock_hz") == (point < 6 ? "850000000" : "1100000000"));
    CHECK(cell(sweep, inputs, "batch") == std::to_string(point / 2 % 3 + 1));
    CHECK(cell(sweep, inputs, "context_tokens") == (point % 2 == 0 ? "1024" : "2048"));
    CHECK(cell(sweep, inputs, "model") == "qwen3-0.6b");
    CHECK(cell(sweep, inputs, "wafers_asked") == "auto");
    seen.insert(inputs);
  }
  CHECK(seen.size() == 12);
}

TEST_CASE("the fingerprint of a point tells program, contents and every input apart") {
  const auto fingerprint = [](const SweepAxes& axes, const char* program) {
    const Sweep sweep(axes, program);
    return cell(sweep, sweep.inputs(0), "inputs_fingerprint");
  };
  std::set<std::string> seen{fingerprint(small(), "test")};
  CHECK(seen.count(fingerprint(small(), "test")) == 1);
  CHECK(seen.insert(fingerprint(small(), "test 2")).second);
  SweepAxes axes = small();
  axes.models[0].content += "!";
  CHECK(seen.insert(fingerprint(axes, "test")).second);
  axes = small();
  axes.systems[0].content += "!";
  CHECK(seen.insert(fingerprint(axes, "test")).second);
  axes = small();
  axes.software[0].content += "!";
  CHECK(seen.insert(fingerprint(axes, "test")).second);
  axes = small();
  axes.users = {2};
  CHECK(seen.insert(fingerprint(axes, "test")).second);
  axes.users = {1};
  axes.batches = {2};
  CHECK(seen.insert(fingerprint(axes, "test")).second);
}

TEST_CASE("the description of a sweep ends with a fingerprint that tells every other line apart") {
  SweepAxes axes = small();
  const Sweep one(axes, "test");
  CHECK(one.description().front() == "program: test");
  CHECK(one.description().back().starts_with("fingerprint: "));
  CHECK(Sweep(axes, "test").description() == one.description());
  axes.contexts = {8192, 8193};
  CHECK(Sweep(axes, "test").description().back() != one.description().back());
  axes = small();
  axes.software[0].content += "!";
  CHECK(Sweep(axes, "test").description().back() != one.description().back());
}

TEST_CASE("every column says what it means, with its unit where it is a quantity, as the documentation does") {
  SweepAxes axes = small();
  for (const char* key : {"wafer.clock_hz", "wafer.hop_cycles", "wafer.link_bytes_per_cycle", "software.fixed_s"})
    axes.settings.push_back(setting(key, {key == std::string("wafer.clock_hz") ? "1e9" : "1"}));
  const Sweep sweep(axes, "test");
  const std::vector<std::string> units{"Hz", "cycles", "bytes/cycle", "s"};
  for (std::size_t i = 0; i < units.size(); ++i) CHECK(sweep.columns().at(3 + i).unit == units[i]);
  std::ifstream file(std::string(WAFERLINE_SOURCE_DIR) + "/docs/sweep.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const SweepColumn& column : sweep.columns()) {
    INFO(column.name);
    CHECK_FALSE(column.meaning.empty());
    if (column.name.find("wafer.") == 0 || column.name.find("software.") == 0) continue;
    const char* kind = column.kind == CellKind::text ? "text" : column.kind == CellKind::integer ? "int64" : "float64";
    const std::string row = fmt::format("| `{}` | {} | {} | {} |", column.name, kind, column.unit, column.meaning);
    INFO(row);
    CHECK(text.str().find(row) != std::string::npos);
  }
}

TEST_CASE("lists that make no sweep are refused by flag") {
  const auto message = [](const SweepAxes& axes) -> std::string {
    try {
      const Sweep sweep(axes, "test");
    } catch (const ConfigError& problem) {
      return problem.what();
    }
    return "";
  };
  CHECK(message(small()).empty());
  SweepAxes axes = small();
  axes.contexts = {};
  CHECK(message(axes) == "--context: has no value, one at least is needed");
  axes.contexts = {1024, 2048, 1024};
  CHECK(message(axes) == "--context: 1024 is given twice");
  axes = small();
  axes.models[0].name = "a\nb";
  CHECK(message(axes) == "--model: a?b holds a control character or is not UTF-8");
  axes.models[0].name = "a\xff";
  CHECK(message(axes) == "--model: a? holds a control character or is not UTF-8");
  axes = small();
  const std::string permitted = fmt::format("\n--set: permitted are {}", fmt::join(settable_keys(), ", "));
  for (const char* key : {"wafer.clok_hz", "clock_hz"}) {
    axes.settings = {setting(key, {"1e9"})};
    CHECK(message(axes) == fmt::format("--set: {}: unknown key, did you mean wafer.clock_hz?{}", key, permitted));
  }
  axes.settings = {setting("weather", {"1"})};
  CHECK(message(axes) == "--set: weather: unknown key" + permitted);
  axes.settings = {setting("wafer.clock_hz", {"1e9"}), setting("wafer.clock_hz", {"2e9"})};
  CHECK(message(axes) == "--set: wafer.clock_hz is given twice, write all its values in one list");
  axes.settings = {setting("wafer.clock_hz", {"1e9", "1"})};
  CHECK(message(axes) == "--set: wafer.clock_hz: is 1, permitted are 1000000 to 100000000000");
}

TEST_CASE("as many points as are permitted, and not one list of two more") {
  SweepAxes axes = small();
  axes.contexts.clear();
  for (std::int64_t i = 1; i <= 100'000; ++i) axes.contexts.push_back(i);
  axes.batches.clear();
  for (std::int64_t i = 1; i <= 100; ++i) axes.batches.push_back(i);
  CHECK(Sweep(axes, "test").points() == Sweep::kMostPoints);
  axes.users = {1, 2};
  CHECK_THROWS_WITH(Sweep(axes, "test"), "--context: its 100000 values make more than the 10000000 points permitted");
}

TEST_CASE("a point that does not fit, or contradicts itself, is a row with the reason on one line") {
  SweepAxes axes = sweep_axes("llama-3.1-70b", "wse3", "service-2024");
  axes.settings.push_back(setting("wafer.usable", {"1000x700", "4000x4000"}));
  axes.wafers = {1, 20};
  const Sweep sweep(axes, "test");
  for (std::int64_t point : {0, 2, 3}) {
    const SweepRow row = sweep.row(point);
    INFO(point);
    REQUIRE(row.size() == sweep.columns().size());
    CHECK(cell(sweep, row, "fits") == "0");
    const std::string reason = cell(sweep, row, "reason");
    CHECK(reason.find(point == 0 ? "wafer" : "more than the extent") != std::string::npos);
    CHECK(reason.find('\n') == std::string::npos);
    CHECK(cell(sweep, row, "tokens_per_s").empty());
    CHECK(row.back().empty());
  }
  CHECK(cell(sweep, sweep.row(1), "fits") == "1");
  CHECK(cell(sweep, sweep.row(1), "reason").empty());
}
