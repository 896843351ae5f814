#include "cli/sweep/value_lists.hpp"

#include <random>

#include "arch/error.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::cli;

using Texts = std::vector<std::string>;
using Integers = std::vector<std::int64_t>;

TEST_CASE("a list is values between commas, ranges and Ki written out") {
  CHECK(split_list("--model", "a,b") == Texts{"a", "b"});
  CHECK(parse_integers("--context", "1Ki,8Ki,5", {1, 100'000}) == Integers{1024, 8192, 5});
  CHECK(parse_integers("--context", "1024:65536:x2", {1, 100'000}) ==
        Integers{1024, 2048, 4096, 8192, 16384, 32768, 65536});
  CHECK(parse_integers("--context", "1Ki:65535:x4", {1, 100'000}) == Integers{1024, 4096, 16384});
  CHECK(parse_integers("--context", "1Ki:65535:*4", {1, 100'000}) == Integers{1024, 4096, 16384});
  CHECK(parse_integers("--batch", "1:4,8:16:4", {1, 100}) == Integers{1, 2, 3, 4, 8, 12, 16});
  CHECK(parse_integers("--batch", "7:7", {1, 100}) == Integers{7});
  CHECK(expand_list("--wafers", "auto,1:2") == Texts{"auto", "1", "2"});
  CHECK(parse_integers("--x", "9223372036854775805:9223372036854775807", {1, 9223372036854775807}).size() == 3);
}

TEST_CASE("a range of reals meets its end and has no digits that nobody wrote") {
  CHECK(expand_list("--set", "0.1:0.5:0.1") == Texts{"0.1", "0.2", "0.3", "0.4", "0.5"});
  CHECK(expand_list("--set", "0.8e9:1e9:0.1e9") == Texts{"800000000", "900000000", "1000000000"});
  CHECK(expand_list("--set", "1:8:x1.5") == Texts{"1", "1.5", "2.25", "3.375", "5.0625", "7.59375"});
  CHECK(expand_list("--set", "1:2:0.75") == Texts{"1", "1.75"});
  CHECK(parse_reals("--accepted-tokens", "1:2:0.5,4", {1, 64}) == std::vector<double>{1, 1.5, 2, 4});
}

TEST_CASE("what is no list is refused with flag and text") {
  for (const char* text : {"", ",", "1,", ",1", "1,,2"}) {
    INFO(text);
    CHECK_THROWS_WITH(parse_integers("--batch", text, {1, 100}),
                      Catch::StartsWith("--batch: is '") && Catch::Contains("single commas"));
  }
  for (const char* text : {"1:2:3:4", "4:1", "1:4:0", "1:4:x1", "0:4:x2", "1:4:x0", "0.5:0.1:0.1", "0.1:0.5:-0.1",
                           "0.1:0.5:0", "0.5:2:x1", "-1:2:x1.5", "1:200000", "0.5:1e9:0.5", "0.5:1e300:x1.0001"}) {
    INFO(text);
    CHECK_THROWS_WITH(expand_list("--batch", text), Catch::StartsWith("--batch: is '"));
  }
  for (const char* text : {"1k", ":", "1:", ":1", "1:2:", "a:b", "1:2:x", "0", "101", "1.5", "1:101", "0x5", "1e2"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_integers("--batch", text, {1, 100}), ConfigError);
  }
  CHECK_THROWS_WITH(parse_integers("--batch", "1,101", {1, 100}), "--batch: is 101, permitted are 1 to 100");
}

TEST_CASE("a list of words knows which are permitted") {
  CHECK(parse_words("--kv-type", "auto,bf16", {"auto", "bf16"}) == Texts{"auto", "bf16"});
  CHECK_THROWS_WITH(parse_words("--objective", "latency,througput", {"latency", "throughput"}),
                    "--objective: is 'througput', permitted are latency, throughput (did you mean throughput?)");
}

TEST_CASE("as many values as one list may have, and not one more") {
  CHECK(expand_list("--batch", "1:100000").size() == most_listed_values);
  CHECK(expand_list("--batch", "1:99999,7").size() == most_listed_values);
  for (const char* text : {"1:100001", "1:100000,7", "7,1:100000", "1:60000,1:60000", "0:1:0.00001,2"}) {
    INFO(text);
    CHECK_THROWS_WITH(expand_list("--batch", text),
                      Catch::StartsWith("--batch: is '") && Catch::Contains("more than the 100000 values permitted"));
  }
}

TEST_CASE("any text is a list of numbers within their range, or refused with its flag") {
  std::mt19937 random(20261203);
  const std::string alphabet = "0123456789.,:x*eE+-Ki \t#'\"\x01\xff";
  int lists = 0;
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    const int length = std::uniform_int_distribution<int>(0, 12)(random);
    // Half of them of what lists are made of, so that many are nearly right.
    const std::size_t letters = i % 2 == 0 ? 14 : alphabet.size();
    for (int at = 0; at < length; ++at)
      text += alphabet[std::uniform_int_distribution<std::size_t>(0, letters - 1)(random)];
    INFO(text);
    try {
      const Integers values = parse_integers("--batch", text, {1, 100'000});
      CHECK_FALSE(values.empty());
      for (const std::int64_t value : values) CHECK((value >= 1 && value <= 100'000));
      ++lists;
    } catch (const ConfigError& problem) {
      if (std::string_view(problem.what()).substr(0, 9) != "--batch: ") FAIL(problem.what());
      ++refused;
    }
  }
  CHECK(lists >= 500);
  CHECK(refused >= 5000);
}
