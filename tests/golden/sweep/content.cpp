// What stands in the file of a sweep, and what the program says of it.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "report/version.hpp"
#include "tests/golden/command_line/schema_check.hpp"
#include "tests/golden/sweep/sweep_bench.hpp"
#include "traces/csv.hpp"

using namespace waferline;
using namespace waferline::tests;
using Json = nlohmann::ordered_json;

namespace {

const std::string reviewed =
    "sweep --model smollm2-135m,llama-3.1-70b --context 1Ki,8Ki --set wafer.clock_hz=0.85e9,1.1e9 --wafers auto,1 ";

std::string without_comments(const std::string& csv) {
  return csv.substr(csv.find("\nmodel,") + 1);
}

/// Nine digits of every real: the last ones may differ between compilers. Without fingerprints and the version.
std::string portable(const std::string& csv) {
  const std::size_t rows = csv.find("\nmodel,") + 1;
  const std::string comments = csv.substr(0, rows);
  std::string text = std::regex_replace(comments, std::regex("[0-9a-f]{16}"), "FINGERPRINT");
  text = std::regex_replace(text, std::regex("program: waferline [^\n]*"), "program: waferline VERSION");
  const traces::CsvTable table = traces::parse_csv(csv.substr(rows), "sweep");
  for (const std::string& column : table.columns()) text += column + (column == table.columns().back() ? "\n" : ",");
  for (const traces::CsvTable::Record& record : table.records()) {
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      const std::string& field = record.fields[i];
      const bool is_real = i > *table.column("reason") && field.find_first_of(".e") != std::string::npos;
      if (i == *table.column("inputs_fingerprint")) {
        REQUIRE(field.size() == 16);
        text += "FINGERPRINT";
      } else {
        text += is_real ? fmt::format("{:.9g}", std::stod(field)) : traces::csv_field(field);
      }
      text += i + 1 < record.fields.size() ? "," : "\n";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("a sweep writes what was reviewed, and says so") {
  const SweepBench bench;
  const ShellResult result = bench.run("$W " + reviewed + "--out sweep.csv 2>&1");
  REQUIRE(result.exit_code == 0);
  check_golden("tests/golden/sweep/expected/sweep.txt",
               "$ waferline " + reviewed + "--out sweep.csv\n" + result.output);
  check_golden("tests/golden/sweep/expected/sweep.csv", portable(bench.read("sweep.csv")));
  CHECK(bench.scratch.entries() == 1);
}

TEST_CASE("a sweep's file is the same on 1, 2 and 4 threads, and from the command that it holds") {
  const SweepBench bench;
  REQUIRE(bench.run("$W " + reviewed + "--threads 1 --out a.csv").exit_code == 0);
  const std::string csv = bench.read("a.csv");
  for (const char* threads : {"2", "4"}) {
    REQUIRE(bench.run("$W " + reviewed + "--out b.csv --threads " + threads).exit_code == 0);
    CHECK(bench.read("b.csv") == csv);
  }
  const std::size_t at = csv.find("# command: waferline ") + 21;
  const std::string command = csv.substr(at, csv.find('\n', at) - at);
  REQUIRE(bench.run("$W " + command + " --out b.csv").exit_code == 0);
  CHECK(bench.read("b.csv") == csv);
}

TEST_CASE("a sweep's row is what estimate says of the same inputs") {
  const SweepBench bench;
  REQUIRE(
      bench.run("$W sweep --model llama-3.1-8b --context 4Ki,8Ki --batch 2 --weight-bits 8 --out a.csv").exit_code ==
      0);
  const traces::CsvTable table = traces::parse_csv(without_comments(bench.read("a.csv")), "a.csv");
  REQUIRE(table.size() == 2);
  const Json said =
      Json::parse(shell("$W estimate llama-3.1-8b --context 8Ki --batch 2 --weight-bits 8 --vs none --json -").output);
  const auto real = [&](const char* column) { return table.row(1).real(column, {0, 1e18}); };
  CHECK(real("tpot_s") == said["tpot_s"]["expected"].get<double>());
  CHECK(real("tokens_per_s_low") == said["tokens_per_s"]["low"].get<double>());
  CHECK(real("tokens_per_s") == said["tokens_per_s"]["expected"].get<double>());
  CHECK(real("bounds_s.distance") == said["bounds_s"]["distance"].get<double>());
  CHECK(real("breakdown_s.hops") == said["breakdown_s"]["hops"].get<double>());
  CHECK(real("max_users") == said["wafer"]["max_users"].get<double>());
}

TEST_CASE("HDF5 holds the columns, units and values of the CSV, as h5py reads them") {
  const SweepBench bench;
  const ShellResult python = shell(
      "for p in python3 /usr/bin/python3; do if $p -c 'import h5py' 2> /dev/null; then printf %s $p; break; fi; done");
  if (python.output.empty()) {
    WARN("SKIPPED: python3 has no h5py (Debian: python3-h5py)");
    return;
  }
  REQUIRE(bench.run("$W " + reviewed + "--out a.csv && $W " + reviewed + "--out a.h5").exit_code == 0);
  CHECK(bench.scratch.entries() == 2);
  const std::string folder = bench.scratch.path.string();
  const ShellResult result = shell(python.output + " tests/golden/sweep/compare.py docs/sweep.md '" + folder +
                                   "/a.csv' '" + folder + "/a.h5' 2>&1");
  INFO(result.output);
  CHECK(result.exit_code == 0);
}

TEST_CASE("the document of a sweep has every key of schema 1, and its rows are the best") {
  const SweepBench bench;
  const ShellResult result = bench.run("$W " + reviewed + "--out a.csv --json -");
  REQUIRE(result.exit_code == 0);
  const Json json = Json::parse(result.output);
  std::ifstream in(source_dir() / "docs/schema/sweep.json");
  for (const std::string& problem : schema_problems(json, Json::parse(in))) {
    INFO(problem);
    CHECK(false);
  }
  const traces::CsvTable table = traces::parse_csv(without_comments(bench.read("a.csv")), "a.csv");
  CHECK(json["points"] == 16);
  REQUIRE(json["models"].size() == 2);
  for (const Json& model : json["models"]) {
    double best = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table.row(i).text("model") != model["model"].get<std::string>()) continue;
      best = std::max(best, table.row(i).optional_real("tokens_per_s", {0, 1e18}).value_or(0));
    }
    const auto row = static_cast<std::size_t>(model["fastest"]["row"].get<std::int64_t>() - 1);
    CHECK(model["fastest"]["tokens_per_s"].get<double>() == best);
    CHECK(table.row(row).real("tokens_per_s", {0, 1e18}) == best);
  }
}

TEST_CASE("a sweep says on a terminal how far it is, and how long it will take") {
  if (shell("command -v script").exit_code != 0) {
    WARN("SKIPPED: no script(1), which lends a terminal");
    return;
  }
  const SweepBench bench;
  const ShellResult result = bench.run(
      "script -qec \"timeout -s KILL 5 $W sweep --model smollm2-135m --context 1:100000 --out a.csv\" /dev/null");
  CHECK(std::regex_search(result.output,
                          std::regex("waferline sweep: [0-9]+ of 100000 points, [0-9.]+ points/s, [0-9]+ s left")));
  CHECK(bench.has("a.csv.partial"));
}
