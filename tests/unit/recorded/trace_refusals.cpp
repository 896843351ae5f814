// Files that are no traces of this schema: each is refused with its name, the object and what is wrong.
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/scratch.hpp"
#include "tests/unit/recorded/small_run.hpp"
#include "traces/run/hdf5_writer.hpp"
#include "traces/run/trace_file.hpp"
#include "traces/run/trace_summary.hpp"

using namespace waferline;
using namespace waferline::traces;
using namespace waferline::tests;
namespace fs = std::filesystem;

namespace {

std::string reading(const fs::path& path) {
  const std::string said = refusal([&] { summarise_trace(path, std::nullopt, 1); });
  const std::string name = path.string() + ": ";
  return said.starts_with(name) ? said.substr(name.size()) : said;
}

std::string small_run_bytes() {
  const Scratch scratch;
  RunRecorder recorder(small_rates());
  recorder.add(std::make_unique<TraceFile>(scratch.path / "run.h5", small_origin()));
  record_small_run(recorder);
  return read_whole(scratch.path / "run.h5");
}

/// The parts of a trace of one step of one PE, each of which a test may make wrong.
struct Parts {
  std::string format = "waferline-trace";
  std::int64_t schema = kTraceSchema;
  double clock = 1e9;
  std::int64_t rows = 1;
  std::int64_t region = 0;
  std::int64_t pe_row = 0;
  double cycles = 5;
  double busy = 5;
  std::int64_t macs = 1;
  bool with_seed = true;
  bool with_mesh = true;
  bool with_labels = true;
  bool with_inputs = true;
  bool with_cycles_twice = false;
};

void write_header(const Parts& parts, Hdf5Writer& file) {
  file.attribute("/", "format", parts.format);
  file.attribute("/", "schema", parts.schema);
  for (const char* name : {"version", "command", "system", "software"}) file.attribute("/", name, "x");
  if (parts.with_seed) file.attribute("/", "seed", std::int64_t{1});
  file.attribute("/", "clock_hz", parts.clock);
  file.attribute("/", "passes", std::int64_t{1});
  file.group("/inputs");
  file.texts("/inputs/names", {"mesh"});
  if (parts.with_inputs) file.texts("/inputs/values", {"1x1"});
  for (const char* names : {"/regions", "/parts"}) file.texts(names, {"a"});
  if (parts.with_labels) file.texts("/labels", {"a"});
}

void put(Hdf5Writer& file, std::size_t dataset, std::int64_t value) {
  file.append(dataset, std::span<const std::int64_t>(&value, 1));
}
void put(Hdf5Writer& file, std::size_t dataset, double value) {
  file.append(dataset, std::span<const double>(&value, 1));
}

std::string reading(const Parts& parts) {
  using Kind = Hdf5Writer::Kind;
  const Scratch scratch;
  const fs::path path = scratch.path / "run.h5";
  Hdf5Writer file(path);
  write_header(parts, file);
  file.group("/steps");
  for (const std::string name : {"region", "label", "part", "mesh", "pe_row", "repeats", "sram_bytes"}) {
    const std::int64_t value = name == "region" ? parts.region : name == "pe_row" ? parts.pe_row : 0;
    put(file, file.growing("/steps/" + name, Kind::integer, {}), value);
  }
  const std::size_t cycles = file.growing("/steps/cycles", Kind::real, {});
  put(file, cycles, parts.cycles);
  if (parts.with_cycles_twice) put(file, cycles, parts.cycles);
  file.group("/meshes");
  if (parts.with_mesh) {
    file.group("/meshes/0");
    file.attribute("/meshes/0", "rows", parts.rows);
    file.attribute("/meshes/0", "cols", std::int64_t{1});
    put(file, file.growing("/meshes/0/busy_cycles", Kind::real, {1, 1}), parts.busy);
    for (const char* name : {"macs", "sent", "received", "link_east", "link_west", "link_south", "link_north"})
      put(file, file.growing(std::string("/meshes/0/") + name, Kind::integer, {1, 1}), parts.macs);
  }
  file.finish();
  return reading(path);
}

}  // namespace

TEST_CASE("what is no HDF5 file is refused at once") {
  const Scratch scratch;
  CHECK(reading(scratch.path / "absent.h5") == "no such file");
  CHECK(reading(scratch.path) == "is a directory, not a file");
  CHECK(reading("/dev/null") == "is not a regular file");
  std::ofstream(scratch.path / "text") << "not a trace\n";
  std::ofstream(scratch.path / "empty");
  CHECK(reading(scratch.path / "text") == "is not an HDF5 file (a trace is what --hdf5 wrote)");
  CHECK(reading(scratch.path / "empty") == "is not an HDF5 file (a trace is what --hdf5 wrote)");
}

TEST_CASE("a trace cut short anywhere is refused, never read in part") {
  const Scratch scratch;
  const std::string whole = small_run_bytes();
  const fs::path path = scratch.path / "cut.h5";
  REQUIRE(whole.size() > 10'000);
  for (std::size_t length = 0; length < whole.size(); length += 1 + length / 50) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, length);
    INFO(length << " of " << whole.size() << " bytes");
    CHECK(reading(path) != "no error");
  }
  std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() / 2);
  CHECK(reading(path).find("truncated") != std::string::npos);
  std::ofstream(path, std::ios::binary) << whole;
  CHECK(reading(path) == "no error");
}

TEST_CASE("a small file with all parts is read, so that each refusal below has one reason") {
  CHECK(reading(Parts{}) == "no error");
}

TEST_CASE("other formats and other schemas are refused") {
  CHECK(reading(Parts{.format = "sweep"}) == "is an HDF5 file, but not a trace of waferline");
  CHECK(reading(Parts{.schema = 2}) == "/@schema: 2 (this version reads 1)");
  CHECK(reading(Parts{.schema = 0}) == "/@schema: 0 (this version reads 1)");
}

TEST_CASE("missing parts are named") {
  CHECK(reading(Parts{.with_seed = false}) == "/@seed: is missing");
  CHECK(reading(Parts{.with_inputs = false}) == "/inputs/values: is missing");
  CHECK(reading(Parts{.with_labels = false}) == "/labels: is missing");
  CHECK(reading(Parts{.with_mesh = false}) ==
        "/steps/mesh: entry 0 is 0 (permitted: none, the list it points to is empty)");
}

TEST_CASE("numbers out of range are named with their place") {
  CHECK(reading(Parts{.clock = 0}) == "/@clock_hz: 0 (permitted: above 0)");
  CHECK(reading(Parts{.clock = HUGE_VAL}) == "/@clock_hz: inf (permitted: above 0)");
  CHECK(reading(Parts{.rows = 0}) == "/meshes/0: 0 x 1 PEs (permitted: 1 to 4194304)");
  CHECK(reading(Parts{.rows = INT64_MAX}) == "/meshes/0: 9223372036854775807 x 1 PEs (permitted: 1 to 4194304)");
  CHECK(reading(Parts{.rows = 2}) == "/meshes/0/busy_cycles: is not of shape (any, 2, 1)");
  CHECK(reading(Parts{.region = 1}) == "/steps/region: entry 0 is 1 (permitted: 0 to 0)");
  CHECK(reading(Parts{.region = -1}) == "/steps/region: entry 0 is -1 (permitted: 0 to 0)");
  CHECK(reading(Parts{.pe_row = 1}) == "/meshes/0/busy_cycles: row 1 of 1 is missing");
  CHECK(reading(Parts{.cycles = -1}) == "/steps/cycles: entry 0 is -1 (permitted: 0 or more)");
  CHECK(reading(Parts{.cycles = NAN}) == "/steps/cycles: entry 0 is nan (permitted: 0 or more)");
  CHECK(reading(Parts{.busy = HUGE_VAL}) == "/meshes/0/busy_cycles: row 0, PE 0 is inf (permitted: 0 or more)");
  CHECK(reading(Parts{.macs = -1}) == "/meshes/0/macs: row 0, PE 0 is -1 (permitted: 0 or more)");
  CHECK(reading(Parts{.with_cycles_twice = true}) == "/steps/region: 1 entries, where /steps/cycles has 2");
}

TEST_CASE("a place that cannot be written to is refused before the run") {
  const Scratch scratch;
  CHECK(refusal([&] {
          Hdf5Writer(scratch.path / "no" / "run.h5");
        }).ends_with("/no/run.h5: cannot be written: No such file or directory"));
}
