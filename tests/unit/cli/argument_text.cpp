#include "cli/argument_text.hpp"

#include "arch/error.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::cli;

namespace {

constexpr IntegerRange contexts{1, 1 << 20};
constexpr RealRange times{0, 1000};

}  // namespace

TEST_CASE("a whole number on the command line is digits, with Ki for 1,024") {
  CHECK(parse_integer("--context", "8192", contexts) == 8192);
  CHECK(parse_integer("--context", "8Ki", contexts) == 8192);
  CHECK(parse_integer("--context", "1", contexts) == 1);
  CHECK(parse_integer("--context", "1024Ki", contexts) == 1 << 20);
}

TEST_CASE("a whole number that is none, or out of range, is refused with flag, value and range") {
  for (const char* text :
       {"", " ", "8k", "8K", "8ki", "8KiB", "0x10", "+8", "8.0", "8e3", "8,192", "-", "nan", "inf", "8 "}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_integer("--context", text, contexts), ConfigError);
  }
  CHECK_THROWS_WITH(parse_integer("--context", "0", contexts), "--context: is 0, permitted are 1 to 1048576");
  CHECK_THROWS_WITH(parse_integer("--context", "-5", contexts), "--context: is -5, permitted are 1 to 1048576");
  CHECK_THROWS_WITH(parse_integer("--context", "1048577", contexts), Catch::Contains("permitted are 1 to 1048576"));
  CHECK_THROWS_WITH(parse_integer("--context", "1025Ki", contexts), Catch::Contains("permitted are 1 to 1048576"));
  CHECK_THROWS_WITH(parse_integer("--context", "99999999999999999999", contexts), Catch::Contains("permitted are"));
  CHECK_THROWS_WITH(parse_integer("--context", "9007199254740993Ki", contexts), Catch::Contains("permitted are"));
  CHECK_THROWS_WITH(parse_integer("--context", "8k", contexts),
                    "--context: is '8k', write 8Ki for 8 x 1024, or the number in full");
}

TEST_CASE("a real number on the command line is finite, whole and in range") {
  CHECK(parse_real("--accepted-tokens", "2.82", {1, 32}) == 2.82);
  CHECK(parse_real("--accepted-tokens", "1e1", {1, 32}) == 10);
  for (const char* text : {"", "nan", "inf", "-inf", "1e999", "2.82x", "1,5", "0x1p3", ".", "-", "0.99", "33"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_real("--accepted-tokens", text, {1, 32}), ConfigError);
  }
}

TEST_CASE("a time on the command line needs its unit, unless it is zero") {
  CHECK(parse_duration("--deadline", "10s", times).value == 10);
  CHECK(parse_duration("--deadline", "750ms", times).value == Approx(0.75));
  CHECK(parse_duration("--deadline", "2us", times).value == Approx(2e-6));
  CHECK(parse_duration("--deadline", "1.5min", times).value == 90);
  CHECK(parse_duration("--deadline", "0s", times).value == 0);
  CHECK(parse_duration("--deadline", "0", times).value == 0);
  for (const char* text : {"10", "s", "10 s", "10sec", "-1s", "1e9s", "infs", "10ss", "1h", ""}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_duration("--deadline", text, times), ConfigError);
  }
  CHECK_THROWS_WITH(parse_duration("--deadline", "-1s", times), "--deadline: is -1s, permitted are 0 s to 1000 s");
}

TEST_CASE("a named rate splits at the last equals sign and its name is printable") {
  const NamedReal rate = parse_named_real("--rate", "a=b=1790.3", {1e-6, 1e9});
  CHECK(rate.name == "a=b");
  CHECK(rate.value == 1790.3);
  const std::string long_name(61, 'x');
  for (const std::string& text :
       {std::string("1790.3"), std::string("=5"), std::string("x="), std::string("x=0"), std::string("x=-1"),
        std::string("a\nb=1"), std::string("\xff=1"), long_name + "=1"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_named_real("--rate", text, {1e-6, 1e9}), ConfigError);
  }
}

TEST_CASE("a list of numbers has one between every two commas") {
  CHECK(parse_integer_list("--prompt-ids", "1,2,3", {0, 9}) == std::vector<std::int64_t>{1, 2, 3});
  for (const char* text : {"", "1,", ",1", "1,,2", "1;2", "1,10"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_integer_list("--prompt-ids", text, {0, 9}), ConfigError);
  }
}

TEST_CASE("an argument is shown short and harmless") {
  CHECK(shown_argument("8k") == "'8k'");
  CHECK(shown_argument("a\x1b[2J") == "'a\\x1b[2J'");
  CHECK(shown_argument("\xff\xc3\xa9") == "'\\xff\xc3\xa9'");
  const std::string shown = shown_argument(std::string(100000, 'y'));
  CHECK(shown.size() < 100);
  CHECK(shown.find("(100000 bytes)") != std::string::npos);
}

TEST_CASE("an argument is quoted for a shell only where something in it is special") {
  CHECK(shell_quoted("llama-3.1-8b") == "llama-3.1-8b");
  CHECK(shell_quoted("h100x8,b200x8") == "h100x8,b200x8");
  CHECK(shell_quoted("") == "''");
  CHECK(shell_quoted("a b") == "'a b'");
  CHECK(shell_quoted("it's $HOME") == "'it'\\''s $HOME'");
  CHECK(shell_quoted("~/x") == "'~/x'");
}
