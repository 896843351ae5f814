// What other programs read in the files: h5py in the HDF5 file, a JSON parser in the other.
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/golden/recorded/recorded.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"

using namespace waferline::tests;
using Json = nlohmann::json;

TEST_CASE("h5py finds the documented schema, and its sums are those of the summary") {
  const Bench bench;
  // Debian's own interpreter has its packages even where another one comes first.
  const ShellResult python = shell(
      "for p in python3 /usr/bin/python3; do if $p -c 'import h5py' 2> /dev/null; then printf %s $p; break; fi; done");
  if (python.output.empty()) {
    WARN("SKIPPED: python3 has no h5py (Debian: python3-h5py)");
    return;
  }
  REQUIRE(bench.run(decode() + "--hdf5 run.h5 && $W trace run.h5 --json sum.json").exit_code == 0);
  const ShellResult result =
      shell(python.output + " tests/golden/recorded/check_schema.py docs/traces.md '" +
            (bench.scratch.path / "run.h5").string() + "' '" + (bench.scratch.path / "sum.json").string() + "' 2>&1");
  INFO(result.output);
  CHECK(result.exit_code == 0);
}

TEST_CASE("the trace for Perfetto has one track for each region and one slice for each step") {
  const Bench bench;
  REQUIRE(bench.run(decode() + "--hdf5 run.h5 --perfetto run.json && $W trace run.h5 --json sum.json").exit_code == 0);
  const Json trace = Json::parse(read_whole(bench.scratch.path / "run.json"));
  const Json summary = Json::parse(read_whole(bench.scratch.path / "sum.json"));
  std::map<std::int64_t, std::string> tracks;
  std::map<std::string, std::int64_t> slices;
  double end_us = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["name"] == "thread_name") tracks[event["tid"]] = event["args"]["name"];
    if (event["ph"] != "X" || event["cat"] == "pass") continue;
    ++slices[tracks.at(event["tid"])];
    end_us = std::max(end_us, event["ts"].get<double>() + event["dur"].get<double>());
  }
  CHECK(tracks.size() == summary["regions"].size());
  for (const Json& region : summary["regions"]) CHECK(slices[region["name"]] == region["steps"]);
  CHECK(end_us * 1e-6 == Approx(summary["seconds"].get<double>()).epsilon(1e-6));
}
