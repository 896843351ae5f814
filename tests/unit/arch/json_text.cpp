#include "arch/config_node.hpp"
#include "tests/support/catch.hpp"

#include <cmath>
#include <string>

using namespace waferline;

namespace {

std::string error_of(const std::string& text) {
  try {
    parse_json(text, "config.json");
  } catch (const ConfigError& problem) {
    return problem.what();
  }
  return {};
}

}  // namespace

TEST_CASE("JSON values keep their kind: integers, reals, booleans and strings stay apart") {
  const ConfigNode root = parse_json(R"({"a": 1, "b": 1.0, "c": true, "d": "1", "e": null, "f": -5})", "config.json");
  CHECK(*root.find("a")->integer() == 1);
  CHECK(root.find("b")->integer() == nullptr);
  CHECK(*root.find("b")->real() == 1.0);
  CHECK(root.find("c")->integer() == nullptr);
  CHECK(*root.find("c")->boolean());
  CHECK(*root.find("d")->string() == "1");
  CHECK(root.find("e")->is_null());
  CHECK(*root.find("f")->integer() == -5);
}

TEST_CASE("JSON takes the bare words Infinity, -Infinity and NaN, and leaves strings that hold them alone") {
  const ConfigNode root =
      parse_json("{\"a\": [0.0, Infinity], \"b\": -Infinity, \"c\": NaN,\n \"d\": \"-Infinity, NaN\"}", "config.json");
  CHECK(std::isinf(*root.find("a")->array()->at(1).real()));
  CHECK(*root.find("b")->real() < 0);
  CHECK(std::isnan(*root.find("c")->real()));
  CHECK(*root.find("d")->string() == "-Infinity, NaN");
}

TEST_CASE("JSON values know their line") {
  const ConfigNode root = parse_json("{\n  \"a\": 1,\n\n  \"b\": {\n    \"c\": 2\n  }\n}", "config.json");
  CHECK(root.find("a")->line() == 2);
  CHECK(root.find("b")->find("c")->line() == 5);
}

TEST_CASE("JSON errors name file, line and cause") {
  CHECK(error_of("{\"a\": 1,\n \"a\": 2}") == "config.json:2: duplicate key \"a\"");
  CHECK(error_of("") == "config.json: is empty, a JSON object was expected");
  CHECK(error_of("{\"a\": \"\xff\"}") == "config.json:1: text is not UTF-8");
  CHECK(error_of("{\"a\": 99999999999999999999}") == "config.json:1: integer 99999999999999999999 is beyond 64 bits");
  CHECK(error_of("{\"a\": 1e999}").find("out of range") != std::string::npos);
  CHECK(error_of("{\"a\": 1").find("config.json:1: syntax error") == 0);
  CHECK(error_of("{\"a\": Infinite}").find("config.json:1: syntax error") == 0);
  CHECK(error_of(std::string(10000, '[')).find("nested deeper than 64 levels") != std::string::npos);
}
