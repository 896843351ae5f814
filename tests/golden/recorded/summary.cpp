// What `waferline trace` prints, word for word, and what it says to files that are no traces.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "report/version.hpp"
#include "tests/golden/command_line/schema_check.hpp"
#include "tests/golden/recorded/recorded.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"

using namespace waferline::tests;
using Json = nlohmann::ordered_json;

namespace {

std::string without_version(std::string text) {
  const std::string version = waferline::report::version();
  for (std::size_t at = text.find(version); at != std::string::npos; at = text.find(version))
    text.replace(at, version.size(), "VERSION");
  return text;
}

}  // namespace

TEST_CASE("a trace is summarised as reviewed") {
  const Bench bench;
  REQUIRE(bench.run(decode() + "--hdf5 run.h5").exit_code == 0);
  std::string text;
  for (const char* command :
       {"trace run.h5", "trace run.h5 --map links --region 'layer 2' --hottest 2",
        "trace run.h5 --map wavelets --hottest 0", "trace run.h5 --region 'layer 9'", "trace absent.h5", "trace .",
        "trace run.h5 --map heat", "trace run.h5 --hottest -1", "trace run.h5 --svg nowhere/mesh.svg"}) {
    const ShellResult result = bench.run(fmt::format("$W {} 2>&1; echo \"[exit code $?]\"", command));
    text += fmt::format("$ waferline {}\n{}\n", command, result.output);
  }
  check_golden("tests/golden/recorded/expected/trace.txt", without_version(text));
}

TEST_CASE("the document of a trace has every key of schema 1, and its sums agree") {
  const Bench bench;
  REQUIRE(bench.run(decode() + "--hdf5 run.h5").exit_code == 0);
  const Json json = Json::parse(bench.run("$W trace run.h5 --json -").output);
  std::ifstream in(source_dir() / "docs/schema/trace.json");
  for (const std::string& problem : schema_problems(json, Json::parse(in))) {
    INFO(problem);
    CHECK(false);
  }
  for (const char* list : {"regions", "parts", "labels", "meshes"}) {
    double cycles = 0;
    for (const Json& entry : json[list]) cycles += entry["cycles"].get<double>();
    INFO(list);
    CHECK(cycles == Approx(json["cycles"].get<double>()).epsilon(1e-12));
  }
  CHECK(json["trace"]["system"] == "wse2");
  CHECK(json["trace"]["inputs"]["mesh"] == "6x10");
  CHECK(json["passes"] == 3);
}

TEST_CASE("every kernel leaves a trace whose cycles are those of its answer, one region for each product") {
  const Bench bench;
  for (const char* command :
       {"gemv --model smollm2-135m --layer 3 --mesh 7x9 --sram-bytes 10000000",
        "gemm --rows 60 --cols 50 --tokens 9 --mesh 5x5 --sram-bytes 10000000",
        "attention --heads 8 --kv-heads 2 --head-dim 16 --context 50 --mesh 6x8 --sram-bytes 10000000",
        "layer --model smollm2-135m --layer 3 --mesh 16x16 --batch 2 --sram-bytes 10000000"}) {
    INFO(command);
    const Json answer =
        Json::parse(bench.run(fmt::format("$W emulate {} --hdf5 run.h5 --perfetto run.json --json -", command)).output);
    const Json trace = Json::parse(bench.run("$W trace run.h5 --json -").output);
    double cycles = 0;
    for (const Json& kernel : answer["kernels"]) cycles += kernel["cycles"].get<double>();
    CHECK(trace["cycles"].get<double>() == Approx(cycles).epsilon(1e-12));
    CHECK(trace["regions"].size() == answer["kernels"].size());
    CHECK(trace["passes"] == 1);
    CHECK(trace["trace"]["command"] ==
          fmt::format("waferline emulate {} --hdf5 run.h5 --perfetto run.json --json -", command));
    CHECK(Json::parse(read_whole(bench.scratch.path / "run.json")).contains("traceEvents"));
    CHECK(bench.run(fmt::format("$W emulate {} --hdf5 nowhere/run.h5 2>&1", command)).exit_code == 2);
  }
}

TEST_CASE("a trace that is damaged or of another kind is refused with its name and nothing of the library's own") {
  const Bench bench;
  REQUIRE(bench.run(decode() + "--hdf5 run.h5").exit_code == 0);
  const auto said = [&](const std::string& make) {
    const ShellResult result = bench.run(make + "; $W trace bad.h5 2>&1; echo \"exit $?\"");
    CHECK(result.output.starts_with("waferline: bad.h5: "));
    CHECK(result.output.ends_with("exit 2\n"));
    CHECK(result.output.find("HDF5-DIAG") == std::string::npos);
    return result.output;
  };
  CHECK(said("rm -f bad.h5").find("no such file") != std::string::npos);
  CHECK(said(": > bad.h5").find("is not an HDF5 file") != std::string::npos);
  CHECK(said("cp tiny/config.json bad.h5").find("is not an HDF5 file") != std::string::npos);
  CHECK(said("head -c 20000 run.h5 > bad.h5").find("truncated") != std::string::npos);
  said("head -c 100 run.h5 > bad.h5");
  said("rm bad.h5; mkfifo bad.h5");
}

TEST_CASE("flipped bytes are refused or read, and never crash") {
  const Bench bench;
  REQUIRE(bench.run(decode("--tokens 1 --layers 1 --mesh 2x3 --sram-bytes 100000000") + "--hdf5 run.h5").exit_code ==
          0);
  const std::string whole = read_whole(bench.scratch.path / "run.h5");
  std::mt19937 random(2026);
  int refused = 0;
  for (int round = 0; round < 60; ++round) {
    std::string bytes = whole;
    for (int flip = 0; flip < 8; ++flip) bytes[random() % bytes.size()] = static_cast<char>(random());
    std::ofstream(bench.scratch.path / "bad.h5", std::ios::binary) << bytes;
    const ShellResult result = bench.run("timeout 20 $W trace bad.h5 2>&1");
    INFO(round << ": " << result.output);
    CHECK((result.exit_code == 0 || (result.exit_code == 2 && result.output.starts_with("waferline: bad.h5: "))));
    refused += result.exit_code == 2 ? 1 : 0;
  }
  CHECK(refused > 5);
}

TEST_CASE("an SVG map is written whole and is well-formed") {
  const Bench bench;
  REQUIRE(bench.run(decode() + "--hdf5 run.h5").exit_code == 0);
  REQUIRE(bench.run("$W trace run.h5 --map links --svg mesh.svg > text; test -s text").exit_code == 0);
  const std::string svg = read_whole(bench.scratch.path / "mesh.svg");
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  const ShellResult parsed = bench.run(
      "python3 -c 'import xml.dom.minidom as d; print(len(d.parse(\"mesh.svg\").getElementsByTagName(\"title\")))'");
  // 60 PEs, and two bars between each pair of neighbours: 6 x 9 + 5 x 10 pairs.
  CHECK(parsed.output == "268\n");
}
