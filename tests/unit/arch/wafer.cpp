#include "arch/wafer.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/unit/arch/hardware_texts.hpp"

using namespace waferline;

TEST_CASE("the shipped wafers load, rows and columns the right way round") {
  const std::vector<std::string> names = list_wafers();
  for (const std::string& name : names) CHECK(load_wafer(name).name == name);
  for (const char* name : {"cs4", "tiny", "wse2", "wse3"}) CHECK(std::count(names.begin(), names.end(), name) == 1);
  CHECK(load_wafer("wse2").usable() == Extent{994, 750});
  CHECK(usable_pes(load_wafer("wse2")) == 745'500);
  CHECK(load_wafer("wse3").usable() == Extent{1170, 755});
  CHECK(usable_pes(load_wafer("wse3")) == 883'350);
  CHECK(usable_pes(load_wafer("tiny")) == 256);
  CHECK(load_wafer("cs4").links.wafers_per_rack.value == 3);
}

TEST_CASE("aggregates are PEs x port x clock") {
  const Wafer wafer = load_wafer("tiny");
  const Hertz clock{2e9};
  CHECK(aggregate_sram(wafer) == Bytes{256 * 49'152});
  CHECK(aggregate_sram_read_bandwidth(wafer, clock).value == Approx(256 * 16 * 2e9));
  CHECK(aggregate_sram_bandwidth(wafer, clock).value == Approx(256 * 24 * 2e9));
  CHECK(aggregate_fabric_bandwidth(wafer, clock).value == Approx(256 * 4 * 2 * 4 * 2e9));
  CHECK(peak_fp16(wafer, clock).value == Approx(256 * 2 * 4 * 2e9));
}

TEST_CASE("the vendor's aggregate bandwidths follow from its PE counts at the clocks that the files name") {
  // 21 PB/s is 900,000 PEs x 24 B at 0.97 GHz, 20 PB/s is 850,000 at 0.98, 43.2 PB/s is 900,000 at 2.0.
  struct Claim {
    const char* wafer;
    double pes;
    double ghz;
  };
  for (const Claim& claim : {Claim{"wse3", 900'000, 0.97}, Claim{"wse2", 850'000, 0.98}, Claim{"cs4", 900'000, 2.0}}) {
    const Wafer wafer = load_wafer(claim.wafer);
    const double ports = (wafer.pe.sram_read.value + wafer.pe.sram_write.value).value;
    INFO(claim.wafer);
    CHECK(wafer.vendor.sram_bandwidth->value.value == Approx(claim.pes * ports * claim.ghz * 1e9).epsilon(0.005));
  }
}

TEST_CASE("what we derive lies below the vendor's figure by its larger PE count and clock, and no further") {
  const auto lines = aggregates(load_wafer("wse3"));
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].derived == 883'350);
  CHECK(*lines[0].vendor == 900'000);
  CHECK(lines[1].derived / *lines[1].vendor == Approx(0.987).margin(0.001));
  CHECK(lines[2].what == "SRAM bandwidth");
  CHECK(lines[2].derived == Approx(883'350 * 24 * 0.875e9));
  CHECK(lines[2].formula == "883350 PEs x 24 B/cycle x 0.875 GHz");
  CHECK(lines[2].derived / *lines[2].vendor == Approx(0.883).margin(0.001));
  CHECK(lines[2].derived_low < *lines[2].vendor);
  CHECK(lines[2].derived_high > *lines[2].vendor);
  CHECK(lines[3].derived / *lines[3].vendor == Approx(0.924).margin(0.001));
  // Dense arithmetic at the SIMD width that the vendor counts and at the highest clock reaches its figure.
  CHECK(lines[4].derived_high / *lines[4].vendor == Approx(1.033).margin(0.001));
}

TEST_CASE("a wafer without vendor claims shows none") {
  for (const AggregateLine& line : aggregates(load_wafer("tiny"))) CHECK_FALSE(line.vendor);
}

TEST_CASE("PEs of defective rows, columns and places are counted out once each") {
  const Wafer wafer = parse_wafer(tests::kWaferText, "mesh.toml");
  CHECK(wafer.defects.rows == std::vector<std::int64_t>{7});
  CHECK(wafer.defects.pes == std::vector<PePosition>{{0, 0}, {7, 2}});
  // 8 x 6 less one row and one column is 7 x 5; [0, 0] goes, too, and [7, 2] is in the row that is gone already.
  CHECK(usable_pes(wafer) == 34);
  CHECK(aggregates(wafer)[0].formula == "8 rows x 6 columns less 14 defective");
}

TEST_CASE("bands and provenance are read as written") {
  const Wafer wafer = parse_wafer(tests::kWaferText, "mesh.toml");
  CHECK(wafer.clock.low() == Hertz{0.9e9});
  CHECK(wafer.clock.high() == Hertz{1.2e9});
  CHECK_FALSE(wafer.pe.sram.band);
  CHECK(wafer.pe.sram.low() == wafer.pe.sram.value);
  CHECK(wafer.fabric.hop.provenance == Provenance{ProvenanceKind::fitted, "test", "", 9, 2});
  CHECK(describe(wafer.fabric.hop.provenance) == "fitted on 9 points, 2 constants");
  CHECK(describe(wafer.clock.provenance) == "assumed");
}

TEST_CASE("a wafer written as TOML reads back equal") {
  const Wafer mesh = parse_wafer(tests::kWaferText, "mesh.toml");
  CHECK(parse_wafer(to_toml(mesh), "again.toml") == mesh);
  for (const std::string& name : list_wafers()) {
    INFO(name);
    const Wafer wafer = load_wafer(name);
    CHECK(parse_wafer(to_toml(wafer), "again.toml") == wafer);
    CHECK(to_toml(parse_wafer(to_toml(wafer), "again.toml")) == to_toml(wafer));
  }
}
