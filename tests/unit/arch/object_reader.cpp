#include "arch/object_reader.hpp"

#include "tests/support/catch.hpp"

using namespace waferline;

TEST_CASE("a strict reader reports every problem of an object at once, with key, value and range") {
  const ConfigNode root = parse_json(R"({
  "hidden_size": -5,
  "num_layers": true,
  "vocab_size": 1.9,
  "hiden_act": "silu"
})",
                                     "config.json");
  Problems problems("config.json");
  ObjectReader reader(root, problems);
  reader.integer("hidden_size", {1, 1 << 20});
  reader.integer("num_layers", {1, 1000});
  reader.integer("vocab_size", {1, 1 << 24});
  reader.optional_string("hidden_act");
  reader.integer("intermediate_size", {1, 1 << 20});
  reader.reject_unknown_keys();
  REQUIRE(problems.lines().size() == 5);
  CHECK(problems.lines()[0] == "config.json:2: hidden_size: is -5, permitted are 1 to 1048576");
  CHECK(problems.lines()[1] == "config.json:3: num_layers: is true, an integer from 1 to 1000 was expected");
  CHECK(problems.lines()[2] == "config.json:4: vocab_size: is 1.9, an integer from 1 to 16777216 was expected");
  CHECK(problems.lines()[3] == "config.json:1: intermediate_size: is missing, a value is required");
  CHECK(problems.lines()[4] == "config.json:5: hiden_act: unknown key, did you mean hidden_act?");
  CHECK_THROWS_AS(problems.throw_if_any(), ConfigError);
}

TEST_CASE("null and absent read as nothing where a key is optional, and as a problem where it is required") {
  const ConfigNode root = parse_json(R"({"head_dim": null})", "config.json");
  Problems problems("config.json");
  ObjectReader reader(root, problems);
  CHECK_FALSE(reader.optional_integer("head_dim", {1, 4096}));
  CHECK_FALSE(reader.optional_integer("absent", {1, 4096}));
  CHECK(problems.empty());
  reader.integer("head_dim", {1, 4096});
  REQUIRE(problems.lines().size() == 1);
  CHECK(problems.lines()[0] == "config.json:1: head_dim: is null, a value is required");
}

TEST_CASE("TOML goes through the same reader and keeps its lines") {
  const ConfigNode root = parse_toml("[pe]\nsram_bytes = 49152\nclock_hz = 1.1e9\n", "wafer.toml");
  Problems problems("wafer.toml");
  ObjectReader reader(root, problems);
  ObjectReader pe = reader.object("pe");
  CHECK(pe.integer("sram_bytes", {1024, 1 << 24}) == 49152);
  CHECK(pe.real("clock_hz", {1e8, 1e11}) == 1.1e9);
  pe.reject_unknown_keys();
  CHECK(problems.empty());
  CHECK(root.find("pe")->find("clock_hz")->line() == 3);
  CHECK_THROWS_WITH(parse_toml("a = 1\na = 2\n", "wafer.toml"), Catch::Contains("wafer.toml:2"));
}

TEST_CASE("a missing section is one problem, not one for each of its keys") {
  const ConfigNode root = parse_json("{}", "config.json");
  Problems problems("config.json");
  ObjectReader reader(root, problems);
  ObjectReader section = reader.object("rope_scaling");
  section.integer("factor", {1, 64});
  section.string("type");
  section.object("inner").real("x", {0, 1});
  section.reject_unknown_keys();
  REQUIRE(problems.lines().size() == 1);
  CHECK(problems.lines()[0] == "config.json:1: rope_scaling: is missing, a value is required");
}

TEST_CASE("a choice of the wrong type is one problem") {
  const ConfigNode root = parse_json(R"({"hidden_act": 3, "norm": "lyer"})", "config.json");
  Problems problems("config.json");
  ObjectReader reader(root, problems);
  reader.one_of("hidden_act", {"silu", "gelu"});
  reader.one_of("norm", {"layer", "rms"});
  REQUIRE(problems.lines().size() == 2);
  CHECK(problems.lines()[0] == "config.json:1: hidden_act: is 3, a string was expected");
  CHECK(problems.lines()[1] == "config.json:1: norm: is \"lyer\", permitted are layer, rms");
}

TEST_CASE("the ends of a range are permitted, one beyond is not") {
  const ConfigNode root =
      parse_json(R"({"low": 1, "high": 8, "below": 0, "above": 9, "edge": 1.0, "over": 1.0000001})", "c");
  Problems problems("c");
  ObjectReader reader(root, problems);
  CHECK(reader.integer("low", {1, 8}) == 1);
  CHECK(reader.integer("high", {1, 8}) == 8);
  CHECK(reader.real("edge", {0, 1}) == 1.0);
  CHECK(problems.empty());
  reader.integer("below", {1, 8});
  reader.integer("above", {1, 8});
  reader.real("over", {0, 1});
  CHECK(problems.lines().size() == 3);
}

TEST_CASE("a file with endless problems ends in a message of readable length") {
  std::string text = "{\"list\": [";
  for (int i = 0; i < 5000; ++i) text += "true, ";
  const ConfigNode root = parse_json(text + "true]}", "config.json");
  Problems problems("config.json");
  ObjectReader(root, problems).integers("list", {0, 1});
  CHECK(problems.count() == 5001);
  CHECK(problems.lines().size() == 100);
  CHECK_THROWS_WITH(problems.throw_if_any(), Catch::Contains("config.json: and 4901 more problems"));
}

TEST_CASE("what is shown of a file is printable and ends between characters") {
  CHECK(printable("plain", 10) == "plain");
  CHECK(printable("bell\x07 esc\x1b[31m del\x7f", 40) == "bell? esc?[31m del?");
  CHECK(printable("\xC3\xBC\xC3\xBC", 3) == "\xC3\xBC...");
  CHECK(printable("abc", 3) == "abc");
  CHECK(printable("abcd", 3) == "abc...");
  const ConfigNode root = parse_json("\"" + std::string(35, 'x') + "\xE2\x82\xAC rest\"", "c");
  CHECK(root.describe() == "\"" + std::string(35, 'x') + "...\"");
}
