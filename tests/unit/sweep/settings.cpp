// Setting single keys of a wafer or a software profile.
#include <fmt/format.h>

#include <algorithm>

#include "arch/profile_values.hpp"
#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "estimate/uncertain_inputs.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;

namespace {

template <class Profile>
std::vector<std::string> problems_of(Profile& profile, const std::string& key, const std::string& value) {
  const ConfigNode values(ConfigNode::Object{{key, value_from_text(value)}}, 0);
  Problems problems("--set");
  set_values(profile, values, problems);
  return problems.lines();
}

}  // namespace

TEST_CASE("a key of a wafer takes a value, loses its band and says that it was asked for") {
  Wafer wafer = load_wafer("wse3");
  REQUIRE(wafer.clock.band.has_value());
  CHECK(problems_of(wafer, "clock_hz", "1.1e9").empty());
  CHECK(wafer.clock.value == Hertz{1.1e9});
  CHECK_FALSE(wafer.clock.band.has_value());
  CHECK(wafer.clock.provenance.source == "asked for");
  CHECK(problems_of(wafer, "sram_bytes", "65536").empty());
  CHECK(wafer.pe.sram.value == Bytes{65536});
  CHECK(problems_of(wafer, "usable", "100x200").empty());
  CHECK(wafer.usable() == Extent{100, 200});
}

TEST_CASE("a value of a wafer can be set to either end of its range and not beyond") {
  for (const char* value : {"0.25", "1000"}) {
    Wafer wafer = load_wafer("wse3");
    CHECK(problems_of(wafer, "hop_cycles", value).empty());
    CHECK(wafer.fabric.hop.value == Cycles{std::stod(value)});
  }
  for (const char* value : {"0.24", "1000.1", "inf", "nan", "one", "", "1x1"}) {
    Wafer wafer = load_wafer("wse3");
    INFO(value);
    CHECK(problems_of(wafer, "hop_cycles", value).size() == 1);
  }
  Wafer wafer = load_wafer("wse3");
  CHECK(problems_of(wafer, "hop_cycles", "2000") ==
        std::vector<std::string>{"--set: wafer.hop_cycles: is 2000, permitted are 0.25 to 1000"});
  CHECK(problems_of(wafer, "sram_bytes", "1.5").size() == 1);
  CHECK(problems_of(wafer, "usable", "0x5").size() == 1);
  CHECK(problems_of(wafer, "usable", "5").size() == 1);
}

TEST_CASE("an unknown key names the nearest one") {
  Wafer wafer = load_wafer("wse3");
  CHECK(problems_of(wafer, "sram_byte", "65536") ==
        std::vector<std::string>{"--set: wafer.sram_byte: unknown key, did you mean sram_bytes?"});
  // Vendor's claims enter no estimate.
  CHECK(problems_of(wafer, "system_power_w", "20000").size() == 1);
}

TEST_CASE("a software profile takes numbers, words, and numbers that may be a word or absent") {
  SoftwareProfile software = load_software("service-2024");
  CHECK(problems_of(software, "code_bytes", "4096").empty());
  CHECK(software.code.value == Bytes{4096});
  CHECK(problems_of(software, "algorithm", "chain").empty());
  CHECK(software.reduce.value == ReduceAlgorithm::chain);
  CHECK(problems_of(software, "group_pes", "12").empty());
  CHECK(software.group_pes.value == 12);
  CHECK(problems_of(software, "group_pes", "best").empty());
  CHECK_FALSE(software.group_pes.value.has_value());
  REQUIRE_FALSE(software.hop_override.has_value());
  CHECK(problems_of(software, "hop_cycles", "3").empty());
  CHECK(software.hop_override->value == Cycles{3});
  CHECK(problems_of(software, "algorithm", "tree") ==
        std::vector<std::string>{"--set: software.algorithm: is \"tree\", permitted are chain, k_tree, star, ring"});
  CHECK(problems_of(software, "group_pes", "worst").size() == 1);
  CHECK(problems_of(software, "points", "7").size() == 1);
}

TEST_CASE("every input that an estimate lists can be set under the name that it has there") {
  const Wafer wafer = load_wafer("wse3");
  const SoftwareProfile software = load_software("service-2024");
  const auto knows = [](const std::vector<std::string>& keys, const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  const std::vector<estimate::InputLine> inputs = estimate::list_inputs(wafer, software);
  CHECK(inputs.size() >= 20);
  for (const estimate::InputLine& line : inputs) {
    const std::size_t dot = line.key.find('.');
    const std::string key = line.key.substr(dot + 1);
    INFO(line.key);
    CHECK(knows(line.key.starts_with("wafer.") ? settable_wafer_keys() : settable_software_keys(), key));
  }
}

TEST_CASE("what is set is what a file with that value says") {
  Wafer wafer = load_wafer("wse3");
  REQUIRE(problems_of(wafer, "ramp_cycles", "7.5").empty());
  CHECK(parse_wafer(to_toml(wafer), "again.toml") == wafer);
  SoftwareProfile software = load_software("service-2024");
  REQUIRE(problems_of(software, "payload", "hidden").empty());
  CHECK(parse_software(to_toml(software), "again.toml") == software);
}

TEST_CASE("values that contradict each other are found whichever was set") {
  Wafer wafer = load_wafer("wse3");
  CHECK(contradictions(wafer).empty());
  const Extent extent = wafer.fabric.extent.value;
  REQUIRE(problems_of(wafer, "usable", fmt::format("{}x{}", extent.rows, extent.cols)).empty());
  CHECK(contradictions(wafer).empty());
  REQUIRE(problems_of(wafer, "usable", fmt::format("{}x{}", extent.rows + 1, extent.cols)).empty());
  CHECK(contradictions(wafer) == std::vector<std::string>{"fabric: usable is 1173 rows x 762 columns, more than the "
                                                          "extent of 1172 x 762"});
}

TEST_CASE("a value's text reads back to it, and is one for all ways to write a number") {
  for (const char* text : {"5", "0.5", "1170x755", "best", "-3", "1e+30"}) {
    CHECK(text_of_value(value_from_text(text)) == text);
  }
  CHECK(text_of_value(value_from_text("0.850e9")) == text_of_value(value_from_text("8.5e8")));
}
