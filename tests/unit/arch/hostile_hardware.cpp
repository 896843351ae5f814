// A corpus of broken hardware files, as short valid files with one change each. Every change must end in a ConfigError
// that names file, line and key, shows the value and says what is permitted.
#include <fmt/format.h>

#include <array>
#include <functional>
#include <span>
#include <string>

#include "arch/error.hpp"
#include "arch/gpu.hpp"
#include "arch/gpu_engine.hpp"
#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/arch/hardware_texts.hpp"

using namespace waferline;

namespace {

struct Change {
  const char* from;  // must occur exactly once in the file
  const char* to;
  std::array<const char*, 3> expected;  // parts of the message; null ends them
};

using Parse = std::function<void(std::string_view, const std::string&)>;

std::string error_of(const Parse& parse, std::string_view text) {
  try {
    parse(text, "f.toml");
  } catch (const ConfigError& problem) {
    return problem.what();
  }
  return {};
}

std::string changed(std::string_view text, const Change& change) {
  std::string out(text);
  const std::size_t at = out.find(change.from);
  REQUIRE(at != std::string::npos);
  REQUIRE(out.find(change.from, at + 1) == std::string::npos);
  return out.replace(at, std::string_view(change.from).size(), change.to);
}

void check_all(const Parse& parse, std::string_view valid, std::span<const Change> changes) {
  REQUIRE(error_of(parse, valid).empty());
  for (const Change& change : changes) {
    INFO(change.from << " -> " << change.to);
    const std::string error = error_of(parse, changed(valid, change));
    CHECK(error.find("f.toml") == 0);
    for (const char* part : change.expected) {
      if (part != nullptr) CHECK_THAT(error, Catch::Contains(part));
    }
  }
}

const Parse kWafer = [](std::string_view text, const std::string& file) { parse_wafer(text, file); };
const Parse kGpu = [](std::string_view text, const std::string& file) { parse_gpu(text, file); };
const Parse kEngine = [](std::string_view text, const std::string& file) { parse_gpu_engine(text, file); };
const Parse kSoftware = [](std::string_view text, const std::string& file) { parse_software(text, file); };

}  // namespace

TEST_CASE("wafer files with a wrong value are refused, with line, key, value and range") {
  static constexpr const char* sram = "sram_bytes = { value = 49152, ";
  static constexpr const char* clock = "value = 1.0e9, low = 0.9e9, high = 1.2e9";
  static constexpr const char* usable = "usable = { rows = 8, cols = 6";
  static constexpr Change kChanges[] = {
      {sram, "sram_bytes = { value = -49152, ", {"f.toml:6: pe.sram_bytes.value: is -49152, permitted are 1024 to"}},
      {sram, "sram_bytes = { value = 0, ", {"f.toml:6: pe.sram_bytes.value: is 0, permitted are 1024 to 67108864"}},
      {sram, "sram_bytes = { value = 9223372036854775807, ", {"f.toml:6: pe.sram_bytes.value: is 9223372036854775807"}},
      {sram, "sram_bytes = { value = 9223372036854775808, ", {"f.toml:6:", "not representable in 64 bits"}},
      {sram, "sram_bytes = { value = 49152.5, ", {"f.toml:6: pe.sram_bytes.value: is 49152.5, an integer from"}},
      {sram, "sram_bytes = { value = 49152.0, ", {"f.toml:6: pe.sram_bytes.value: is 49152, an integer from"}},
      {sram, "sram_bytes = { value = \"49152\", ", {"pe.sram_bytes.value: is \"49152\", an integer from 1024"}},
      {sram, "sram_bytes = { value = true, ", {"f.toml:6: pe.sram_bytes.value: is true, an integer from 1024"}},
      {sram, "sram_bytes = { value = [49152], ", {"f.toml:6: pe.sram_bytes.value: is [1 values], an integer"}},
      {sram, "sram_bytes = { value = 1979-05-27, ", {"f.toml:6: dates and times are not used"}},
      {sram, "sram_bytes = { ", {"f.toml:6: pe.sram_bytes.value: is missing"}},
      {sram, "sram_bytes = { value = 49152, value = 2048, ", {"f.toml:6:", "value"}},
      {sram, "sram_bytes = { vaule = 49152, ", {"value: is missing", "vaule: unknown key, did you mean value?"}},
      {sram, "sram_kib = { value = 48, ", {"pe.sram_bytes: is missing", "pe.sram_kib: unknown key"}},
      {clock, "value = 0", {"f.toml:3: clock_hz.value: is 0, permitted are 1000000 to 100000000000"}},
      {clock, "value = -1e9", {"f.toml:3: clock_hz.value: is -1000000000, permitted are"}},
      {clock, "value = 1e308", {"f.toml:3: clock_hz.value: is 1e+308, permitted are"}},
      {clock, "value = 1e309", {"f.toml:3:", "1e309"}},
      {clock, "value = inf", {"f.toml:3: clock_hz.value: is inf, permitted are"}},
      {clock, "value = -inf", {"f.toml:3: clock_hz.value: is -inf, permitted are"}},
      {clock, "value = nan", {"f.toml:3: clock_hz.value: is nan, permitted are"}},
      {clock, "value = 0.875", {"f.toml:3: clock_hz.value: is 0.875, permitted are 1000000 to"}},
      {clock, "value = 1e9, low = 0.9e9", {"f.toml:3: clock_hz.low: stands alone, a band has both low and high"}},
      {clock, "value = 1e9, high = 1.2e9", {"f.toml:3: clock_hz.high: stands alone"}},
      {clock, "value = 1e9, low = 1.1e9, high = 1.2e9", {"clock_hz.value: is 1000000000, which is not between"}},
      {clock, "value = 1e9, low = 0.9e9, high = 0.95e9", {"clock_hz.value: is 1000000000, which is not between"}},
      {clock, "value = 1e9, low = nan, high = 1.2e9", {"f.toml:3: clock_hz.low: is nan, permitted are"}},
      {"clock_hz = ",
       "clock_ghz = ",
       {"clock_hz: is missing", "f.toml:3: clock_ghz: unknown key, did you mean clock_hz?"}},
      {"clock_hz = { ", "clock_hz = 1e9\nother = { ", {"f.toml:3: clock_hz: is 1000000000, a table with value"}},
      {usable,
       "usable = { rows = 10, cols = 6",
       {"f.toml:13: fabric: usable is 10 rows x 6 columns, more than the extent"}},
      {usable,
       "usable = { rows = 8, cols = 9",
       {"fabric: usable is 8 rows x 9 columns, more than the extent of 9 x 8"}},
      {usable,
       "usable = { rows = 16385, cols = 6",
       {"f.toml:15: fabric.usable.rows: is 16385, permitted are 1 to 16384"}},
      {usable, "usable = { rows = 8", {"f.toml:15: fabric.usable.cols: is missing"}},
      {usable, "usable = { rows = 8, colz = 6", {"fabric.usable.colz: unknown key, did you mean cols?"}},
      {"usable = { rows = 8, cols = 6",
       "usable = { low = 1, high = 2, rows = 8, cols = 6",
       {"fabric.usable.low: unknown key"}},
      {"rows = [7]", "rows = [8]", {"f.toml:28: defects: row 8 is outside the usable 8 rows"}},
      {"rows = [7]", "rows = [-1]", {"f.toml:31: defects.rows: is -1, permitted are 0 to 16383"}},
      {"rows = [7]", "rows = 7", {"f.toml:31: defects.rows: is 7, a list of integers was expected"}},
      {"rows = [7]", "rows = [0, 1, 2, 3, 4, 5, 6, 7]", {"f.toml:28: defects: leave no PE to use"}},
      {"cols = [5]", "cols = [6]", {"defects: column 6 is outside the usable 6"}},
      {"pes = [[0, 0], [7, 2]]", "pes = [[0, 0, 0]]", {"f.toml:33: defects.pes: is [3 values], pairs [row, column]"}},
      {"pes = [[0, 0], [7, 2]]", "pes = [0, 0]", {"f.toml:33: defects.pes: is 0, pairs [row, column]"}},
      {"pes = [[0, 0], [7, 2]]", "pes = \"none\"", {"f.toml:33: defects.pes: is \"none\", pairs"}},
      {"pes = [[0, 0], [7, 2]]", "pes = [[8, 0]]", {"defects: PE [8, 0] is outside the usable 8 x 6"}},
  };
  check_all(kWafer, tests::kWaferText, kChanges);
}

TEST_CASE("wafer files that hide where a number is from are refused") {
  static constexpr const char* fitted = "kind = \"fitted\", points = 9, constants = 2";
  static constexpr Change kChanges[] = {
      {fitted, "kind = \"fitted\", points = 9", {"f.toml:18: fabric.hop_cycles.constants: is missing"}},
      {fitted, "kind = \"fitted\", constants = 2", {"f.toml:18: fabric.hop_cycles.points: is missing"}},
      {fitted, "kind = \"fitted\", points = 1, constants = 2", {"points: is 1, too few for 2 constants"}},
      {fitted, "kind = \"assumed\", points = 9", {"points: belongs to numbers of kind fitted, this one is assumed"}},
      {fitted, "kind = \"guessed\"", {"kind: is \"guessed\", permitted are measured, simulated, vendor"}},
      {fitted, "kind = 1", {"f.toml:18: fabric.hop_cycles.kind: is 1, a string was expected"}},
      {"colors = { value = 24, kind = \"assumed\", source = \"test\" }",
       "colors = { value = 24, kind = \"vendor\" }",
       {"f.toml:20: fabric.colors.source: is missing"}},
      {"colors = { value = 24, kind = \"assumed\", source = \"test\" }",
       "colors = { value = 24, source = \"x\" }",
       {"f.toml:20: fabric.colors.kind: is missing"}},
      {"colors = { value = 24, kind = \"assumed\", source = \"test\" }",
       "colors = { value = 24, kind = \"vendor\", source = \"\" }",
       {"fabric.colors.source: is empty"}},
      {"[defects]\nkind = \"assumed\"\nsource = \"test\"", "[defects]", {"defects.kind: is missing", "defects.source"}},
  };
  check_all(kWafer, tests::kWaferText, kChanges);
}

TEST_CASE("wafer files with a wrong structure are refused, all problems at once") {
  static constexpr Change kChanges[] = {
      {"name = \"mesh\"", "name = \"Mesh 1\"", {"f.toml:1: name: is \"Mesh 1\", permitted are 1 to 64 of a-z"}},
      {"name = \"mesh\"", "name = \"\"", {"f.toml:1: name: is \"\", permitted are 1 to 64"}},
      {"name = \"mesh\"", "name = \"../mesh\"", {"f.toml:1: name: is \"../mesh\", permitted are"}},
      {"name = \"mesh\"", "name = 5", {"f.toml:1: name: is 5, a string was expected"}},
      {"name = \"mesh\"\n", "", {"name: is missing"}},
      {"name = \"mesh\"", "name = \"mesh\"\nname = \"mesh\"", {"f.toml:2:", "name"}},
      {"name = \"mesh\"", "name = \"mesh", {"f.toml:1:"}},
      {"name = \"mesh\"", "name = 'mesh'\ncolour = 1", {"f.toml:2: colour: unknown key; known are"}},
      {"description = \"8 x 6 PEs\"", "description = \"\"", {"f.toml:2: description: is empty"}},
      {"[links]", "[link]", {"links: is missing", "f.toml:22: link: unknown key, did you mean links?"}},
      {"[links]", "[fabric]", {"f.toml:22:", "fabric"}},
      {"[pe]\n", "", {"pe: is missing", "sram_banks: unknown key"}},
      {"[vendor]\npes = { value = 72", "[vendor]\npes = { value = 0", {"f.toml:36: vendor.pes.value: is 0, permitted"}},
      {"[vendor]\npes = ", "[vendor]\npe = ", {"f.toml:36: vendor.pe: unknown key, did you mean pes?"}},
      {"[vendor]", "[[vendor]]", {"f.toml:35: vendor: is [1 values], an object was expected"}},
      {"[vendor]", "vendor = 3\n[other]", {"vendor"}},
      {"[vendor]", "[vendor", {"f.toml:35:"}},
      {"[defects]", "\xff\xfe[defects]", {"f.toml:28: text is not UTF-8"}},
      {"[defects]", "[a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r]\n[defects]", {"f.toml:28: nested deeper than 32 levels"}},
  };
  check_all(kWafer, tests::kWaferText, kChanges);
  const std::string several = error_of(kWafer, "name = 1\nclock_hz = -1\n[fabric]\nhop_cycle = 3\n");
  for (const char* part : {"f.toml:1: name: is 1", "description: is missing", "f.toml:2: clock_hz: is -1",
                           "pe: is missing", "f.toml:3: fabric.extent: is missing",
                           "f.toml:4: fabric.hop_cycle: unknown key, did you mean hop_cycles?", "links: is missing"}) {
    CHECK_THAT(several, Catch::Contains(part));
  }
  CHECK_THAT(several, !Catch::Contains("pe.sram_bytes"));  // what is within a missing section is not missed one by one
}

TEST_CASE("GPU files with a wrong value are refused, with line, key, value and range") {
  static constexpr Change kChanges[] = {
      {"value = 80_000_000_000", "value = 80", {"f.toml:4: memory_bytes.value: is 80, permitted are 100000000 to"}},
      {"value = 80_000_000_000", "value = 80e9", {"f.toml:4: memory_bytes.value: is 80000000000, an integer from"}},
      {"value = 2e12", "value = 2000", {"f.toml:5: bandwidth_bytes_per_s.value: is 2000, permitted are 1000000000"}},
      {"value = 2e12", "value = 1e308", {"f.toml:5: bandwidth_bytes_per_s.value: is 1e+308"}},
      {"\nbandwidth_bytes_per_s",
       "\nbandwidth_gb_per_s",
       {"bandwidth_bytes_per_s: is missing", "bandwidth_gb_per_s: unknown key, did you mean bandwidth_bytes_per_s?"}},
      {"value = 1.8e12", "value = 2.1e12", {"f.toml:6: achieved_bandwidth_bytes_per_s: is 2100000000000, more than"}},
      {"fp16 = ", "fp15 = ", {"f.toml:9: dense_flops_per_s.fp15: unknown key, did you mean fp16?"}},
      {"value = 1e15", "value = 989", {"f.toml:9: dense_flops_per_s.fp16.value: is 989, permitted are"}},
      {"value = 100,", "value = 0,", {"f.toml:13: units.count.value: is 0, permitted are 1 to"}},
      {"architecture = \"none\"\n", "", {"units.architecture: is missing"}},
      {"value = 8,", "value = 0,", {"f.toml:19: scale_up.devices_per_node.value: is 0, permitted are 1 to"}},
      {"link_bytes_per_s_per_direction = { value = 4.5e11, kind = \"assumed\", source = \"test\" }\n",
       "",
       {"f.toml:16: scale_up: joins several devices, so link_bytes_per_s_per_direction is required"}},
      {"link = \"cable\"", "link = 900", {"f.toml:17: scale_up.link: is 900, a string was expected"}},
      {"vendor = \"nobody\"\n", "", {"vendor: is missing"}},
  };
  check_all(kGpu, tests::kGpuText, kChanges);
}

TEST_CASE("engine files with a wrong value are refused, with line, key, value and range") {
  static constexpr Change kChanges[] = {
      {"value = 0.8", "value = 1.01", {"f.toml:4: weight_bandwidth_fraction.value: is 1.01, permitted are 0.001 to 1"}},
      {"value = 0.5, kind = \"fitted\"",
       "value = 0.0, kind = \"fitted\"",
       {"f.toml:5: kv_bandwidth_fraction.value: is 0"}},
      {"value = 15e-6", "value = 15", {"f.toml:6: layer_overhead_s.value: is 15, permitted are 0 to 1"}},
      {"value = 5e-6", "value = -5e-6", {"f.toml:7: allreduce_s.value: is -5e-06, permitted are 0 to 1"}},
      {"layer_overhead_s", "layer_overhead_us", {"layer_overhead_us: unknown key, did you mean layer_overhead_s?"}},
      {"gpus = [\"card\"]", "gpus = \"card\"", {"f.toml:3: gpus: is \"card\", a list of strings was expected"}},
      {"gpus = [\"card\"]", "gpus = [1]", {"f.toml:3: gpus: is 1, a string in this list was expected"}},
      {"device_split = \"tensor\"",
       "device_split = \"pipeline\"",
       {"f.toml:17: traits.device_split: is \"pipeline\", permitted are tensor, layers"}},
      {"kv_reads = \"per_query_head\"\n", "", {"traits.kv_reads: is missing"}},
      {"points = 40\nconstants = 5", "points = 0\nconstants = 5", {"f.toml:29: fit.points: is 0, permitted are 1 to"}},
      {"mean_abs_error_pct = 4.25", "mean_abs_error_pct = -1", {"fit.mean_abs_error_pct: is -1, permitted are 0 to"}},
      {"{ id = \"1\", error_pct = -3.5 }", "{ id = \"1\" }", {"f.toml:36: fit.residuals.error_pct: is missing"}},
      {"{ id = \"1\", error_pct = -3.5 }", "3", {"fit.residuals: is 3, an object was expected"}},
      {"[fit]", "[fits]", {"fit: is missing", "fits: unknown key, did you mean fit?"}},
  };
  check_all(kEngine, tests::kEngineText, kChanges);
}

TEST_CASE("software files with a wrong value are refused, with key, value and range") {
  const std::string valid = to_toml(load_software("ideal"));
  static constexpr Change kChanges[] = {
      {"group_pes = { value = \"best\"",
       "group_pes = { value = \"bset\"",
       {"is \"bset\", permitted are \"best\" and 1 to"}},
      {"group_pes = { value = \"best\"",
       "group_pes = { value = 0",
       {"collective.group_pes.value: is 0, permitted are 1"}},
      {"group_pes = { value = \"best\"", "group_pes = { value = 1.5", {"group_pes.value: is 1.5, an integer from 1"}},
      {"algorithm = { value = \"k_tree\"",
       "algorithm = { value = \"tree\"",
       {"collective.algorithm.value: is \"tree\", permitted are chain, k_tree, star, ring"}},
      {"payload = { value = \"counted\"", "payload = { value = 1", {"payload.value: is 1, a string was expected"}},
      {"accumulate = { value = \"fp32\"", "accumulate = { value = \"int8\"", {"permitted are fp32, fp16, bf16"}},
      {"tree_levels = { value = 2", "tree_levels = { value = 5", {"tree_levels.value: is 5, permitted are 1 to 4"}},
      {"stage_overhead_cycles = { value = 1",
       "stage_overhead_cycles = { value = -1",
       {"stage_overhead_cycles.value: is -1"}},
      {"code_bytes = { value = 0", "code_bytes = { value = 1e3", {"memory.code_bytes.value: is 1000, an integer from"}},
      {"[token]", "[tokens]", {"token: is missing", "tokens: unknown key, did you mean token?"}},
  };
  check_all(kSoftware, valid, kChanges);
}

TEST_CASE("files that are no hardware files at all are refused") {
  for (const Parse& parse : {kWafer, kGpu, kEngine, kSoftware}) {
    CHECK(error_of(parse, "") == "f.toml: is empty, keys were expected");
    CHECK(error_of(parse, " \n\t\n") == "f.toml: is empty, keys were expected");
    CHECK_THAT(error_of(parse, "# nothing but a comment\n"), Catch::Contains("name: is missing"));
    CHECK_THAT(error_of(parse, "{\"name\": \"json\"}"), Catch::Contains("f.toml:1:"));
    CHECK_THAT(error_of(parse, std::string(1 << 21, 'a')), Catch::Contains("2097152 bytes, at most 1048576 are read"));
    CHECK_THAT(error_of(parse, std::string("name = \"a\0b\"", 12)), Catch::Contains("f.toml:1:"));
    CHECK_THAT(error_of(parse, std::string(1 << 19, '[')), Catch::Contains("f.toml:1: nested deeper"));
    std::string many;
    for (int i = 0; i < 50'000; ++i) many += fmt::format("k{} = 1\n", i);
    CHECK_THAT(error_of(parse, many), Catch::Contains("has 50000 unknown keys, the first 20 are listed"));
  }
}

TEST_CASE("paths that are no readable file are refused at once") {
  CHECK_THROWS_WITH(load_wafer("/tmp/"), Catch::Contains("is a directory"));
  CHECK_THROWS_WITH(load_wafer("/dev/zero"), Catch::Contains("is not a regular file"));
  CHECK_THROWS_WITH(load_wafer("./no/such.toml"), Catch::Contains("no such file"));
}
