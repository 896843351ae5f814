#include "traces/run/perfetto.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/scratch.hpp"
#include "tests/unit/recorded/small_run.hpp"

using namespace waferline;
using namespace waferline::traces;
using namespace waferline::tests;
using Json = nlohmann::ordered_json;

namespace {

Json written(const TraceOrigin& origin) {
  const Scratch scratch;
  RunRecorder recorder(small_rates());
  recorder.add(std::make_unique<PerfettoFile>(scratch.path / "run.json", origin));
  record_small_run(recorder);
  REQUIRE(recorder.problems().empty());
  return Json::parse(read_whole(scratch.path / "run.json"));
}

std::vector<Json> slices(const Json& document, const std::string& category) {
  std::vector<Json> found;
  for (const Json& event : document["traceEvents"]) {
    if (event["ph"] == "X" && (event["cat"] == "pass") == (category == "pass")) found.push_back(event);
  }
  return found;
}

}  // namespace

TEST_CASE("every region is a track with its name, in the order in which they first run") {
  const Json document = written(small_origin());
  std::map<std::int64_t, std::string> tracks;
  for (const Json& event : document["traceEvents"]) {
    if (event["ph"] == "M" && event["name"] == "thread_name") tracks[event["tid"]] = event["args"]["name"];
  }
  CHECK(tracks == std::map<std::int64_t, std::string>{{1, "layer 0"}, {2, "layer 1"}, {3, "head"}});
}

TEST_CASE("every step is a slice at its time, inside the slice of its pass") {
  const Json document = written(small_origin());
  const std::vector<Json> steps = slices(document, "step");
  const std::vector<Json> passes = slices(document, "pass");
  REQUIRE(steps.size() == 10);
  REQUIRE(passes.size() == 6);
  CHECK(steps[0]["name"] == "q");
  CHECK(steps[0]["dur"] == Approx(0.030));
  CHECK(steps[1]["ts"] == Approx(0.030));
  CHECK(steps[1]["args"]["wavelets"] == 4);
  CHECK(steps[9]["ts"] == Approx(0.216));
  CHECK(steps[9]["tid"] == 3);
  for (const Json& step : steps) {
    int around = 0;
    for (const Json& pass : passes) {
      const double begin = pass["ts"].get<double>();
      const double end = begin + pass["dur"].get<double>();
      const double from = step["ts"].get<double>();
      if (pass["tid"] == step["tid"] && begin <= from + 1e-9 && from + step["dur"].get<double>() <= end + 1e-9)
        ++around;
    }
    CHECK(around == 1);
  }
}

TEST_CASE("names with quotes, backslashes and control characters stay a JSON document") {
  TraceOrigin origin = small_origin();
  origin.command = "waferline emulate model --weights 'a\"b\\c\nd\x01'";
  origin.inputs = {{"we\"ird", "\\"}};
  const Json document = written(origin);
  CHECK(document["otherData"]["command"] == origin.command);
  CHECK(document["otherData"]["we\"ird"] == "\\");
  CHECK(document["otherData"]["seed"] == "7");
}

TEST_CASE("bytes that are no UTF-8 do not make the document unreadable") {
  TraceOrigin origin = small_origin();
  origin.command = "waferline emulate model --weights \xff\xfe";
  CHECK(written(in_utf8(origin))["otherData"]["command"] == "waferline emulate model --weights ??");
}

TEST_CASE("a trace that is not finished leaves no file") {
  const Scratch scratch;
  {
    RunRecorder recorder(small_rates());
    recorder.add(std::make_unique<PerfettoFile>(scratch.path / "run.json", small_origin()));
    recorder.record(small_head().recorded());
    CHECK(scratch.entries() == 1);
  }
  CHECK(scratch.entries() == 0);
}
