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
