#include <string>

#include "arch/config_node.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;

namespace {

std::string error_of(const std::string& text) {
  try {
    parse_toml(text, "f.toml");
  } catch (const ConfigError& problem) {
    return problem.what();
  }
  return {};
}

std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

}  // namespace

TEST_CASE("TOML keys of hundreds of thousands of parts are refused instead of exhausting the stack") {
  const std::string expected = "nested deeper than 32 levels, or a key of more than 16 parts";
  CHECK(error_of("[" + repeated("a.", 400'000) + "b]\nx = 1\n") == "f.toml:1: " + expected);
  CHECK(error_of("x = 1\n" + repeated("a.", 400'000) + "b = 1\n") == "f.toml:2: " + expected);
  CHECK(error_of(repeated("\"a\".", 200'000) + "b = 1\n") == "f.toml:1: " + expected);
  CHECK(error_of("a = " + repeated("{b = ", 100'000)) == "f.toml:1: " + expected);
  CHECK(error_of("a = [\n" + repeated("[\n", 100'000)) == "f.toml:33: " + expected);
}

TEST_CASE("TOML nesting is counted outside strings and comments only, whatever quotes they hold") {
  const std::string deep = repeated("a.", 200'000) + "b = 1\n";
  CHECK(error_of("s = \"" + repeated("a.", 100) + repeated("[", 100) + "\"\n").empty());
  CHECK(error_of("s = '" + repeated("[", 100) + "\\'\n").empty());
  CHECK(error_of("# " + repeated("[", 100) + "\ns = 1\n").empty());
  CHECK(error_of("s = \"\"\"\n" + repeated("a.\n", 100) + "\"\"\"\n").empty());
  CHECK(error_of("s = \"\"\"x\"\"\"\"\n" + deep).find("f.toml:2: nested") == 0);
  CHECK(error_of("s = '''x'''''\n" + deep).find("f.toml:2: nested") == 0);
  CHECK(error_of("s = \"\"\"x\\\"\"\"\"\n" + deep).find("f.toml:2: nested") == 0);
  CHECK(error_of("s = \"\"\"x \\\n y\"\"\"\n" + deep).find("f.toml:3: nested") == 0);
  CHECK(error_of("s = \"\\\\\"\n" + deep).find("f.toml:2: nested") == 0);
  CHECK(error_of("s = '\\'\n" + deep).find("f.toml:2: nested") == 0);
  CHECK(error_of("s = \"\" # it's\n" + deep).find("f.toml:2: nested") == 0);
  CHECK(error_of("s = \"open\n" + deep).find("f.toml:1:") == 0);
}

TEST_CASE("TOML nesting of exactly the limit is read") {
  CHECK(error_of("a = " + repeated("[", 32) + repeated("]", 32)).empty());
  CHECK_FALSE(error_of("a = " + repeated("[", 33) + repeated("]", 33)).empty());
  CHECK(error_of(repeated("a.", 15) + "b = 1").empty());
  CHECK_FALSE(error_of(repeated("a.", 16) + "b = 1").empty());
}

TEST_CASE("TOML errors name file, line and column, and stay short") {
  CHECK(error_of("a = 1\na = 2\n").find("f.toml:2:") == 0);
  CHECK(error_of("a = 99999999999999999999").find("not representable in 64 bits") != std::string::npos);
  CHECK(error_of("a = 07").find("f.toml:1:") == 0);
  CHECK(error_of("a = \"\xff\"").find("f.toml:1:") == 0);
  CHECK(error_of("a = 1979-05-27T07:32:00Z") == "f.toml:1: dates and times are not used in these files");
  CHECK(error_of("a = " + std::string(100'000, '9')).size() < 300);
  CHECK(error_of("") == "f.toml: is empty, keys were expected");
}

TEST_CASE("TOML keeps the order of the file, within a line as well") {
  const ConfigNode root = parse_toml("z = { q = 1, b = 2, y = 3 }\na = 1\n[m]\nd = 1\nc = 2\n", "f.toml");
  std::string order;
  for (const ConfigNode::Member& member : *root.object()) order += member.key;
  for (const ConfigNode::Member& member : *root.find("z")->object()) order += member.key;
  for (const ConfigNode::Member& member : *root.find("m")->object()) order += member.key;
  CHECK(order == "zamqbydc");
}
