#include "arch/config_node.hpp"
#include "tests/support/catch.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
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

TEST_CASE("JSON bare words stand for numbers only where a value may stand") {
  CHECK(error_of("{NaN: 1}") == "config.json:1: NaN is no key");
  CHECK(error_of("{\"a\": NaN NaN}").find("config.json:1: syntax error") == 0);
  CHECK(error_of("{\"a\": NaN NaN}").find("waferline:") == std::string::npos);
  CHECK(error_of("{\"a\": -NaN}").find("config.json:1: syntax error") == 0);
  CHECK(error_of("{\"a\": +Infinity}").find("config.json:1: syntax error") == 0);
  CHECK(error_of("{\"a\": 1Infinity}").find("config.json:1: syntax error") == 0);
}

TEST_CASE("JSON strings cannot pass for a number that is not finite") {
  CHECK(error_of("{\"a\":\n \"\\u0000waferline:NaN\"}") == "config.json:2: holds a NUL character");
  CHECK(error_of("{\"\\u0000\": 1}") == "config.json:1: holds a NUL character");
  const ConfigNode root = parse_json("{\"a\": \"\\\\u0000waferline:NaN\"}", "config.json");
  CHECK(*root.find("a")->string() == "\\u0000waferline:NaN");
}

TEST_CASE("JSON errors stay short and printable, whatever the file holds") {
  const std::string long_text(100'000, '7');
  CHECK(error_of("{\"a\": " + long_text + "}").size() < 120);
  CHECK(error_of("{\"" + long_text + "\": 1, \"" + long_text + "\": 2}").size() < 120);
  CHECK(error_of("{\"\\u001b[2J\": 1, \"\\u001b[2J\": 2}") == "config.json:1: duplicate key \"?[2J\"");
  CHECK(error_of("{\"a\": 1e" + long_text + "}").size() < 120);
}

TEST_CASE("JSON numbers at the ends of 64 bits are exact, one beyond is refused") {
  const ConfigNode root = parse_json("[9223372036854775807, -9223372036854775808]", "config.json");
  CHECK(*root.array()->at(0).integer() == std::numeric_limits<std::int64_t>::max());
  CHECK(*root.array()->at(1).integer() == std::numeric_limits<std::int64_t>::min());
  CHECK_FALSE(error_of("[9223372036854775808]").empty());
  CHECK_FALSE(error_of("[-9223372036854775809]").empty());
  CHECK_FALSE(error_of("[1e309]").empty());
}

TEST_CASE("JSON refuses text behind the value, single quotes, comments, trailing commas and truncation") {
  for (const char* text :
       {"{} {}", "{'a': 1}", "{\"a\": 1 /* one */}", "{\"a\": 1,}", "[1, 2,]", "{\"a\"", "{\"a\":", "[1", "\"abc",
        "nul", "tru", "-", "1.", ".5", "01", "{\"a\" 1}", "\xEF\xBB\xBF", "\"\t\"", "{1: 2}"}) {
    INFO(text);
    CHECK(error_of(text).find("config.json") == 0);
  }
  CHECK(error_of(std::string("{\"a\": 1}\n\0{", 11)) == "config.json:2: holds a NUL character");
}

TEST_CASE("JSON nesting of exactly the limit is read, one level more is not") {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(error_of(nested(64)).empty());
  CHECK(error_of(nested(65)) == "config.json:1: nested deeper than 64 levels");
}
