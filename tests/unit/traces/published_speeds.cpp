#include "traces/published_speeds.hpp"

#include <algorithm>

#include "arch/error.hpp"
#include "tests/support/catch.hpp"
#include "traces/endpoint_rows.hpp"

using namespace waferline;
using namespace waferline::traces;

TEST_CASE("a published speed is found by provider, model and date, whatever the case") {
  const std::vector<PublishedSpeed> speeds = read_published_speeds();
  REQUIRE(speeds.size() == 119);
  const PublishedSpeed& cerebras = find_published_speed(speeds, "cerebras/GPT-OSS-120b@2026-08-13");
  CHECK(cerebras.row == "31");
  CHECK(cerebras.tokens_per_s == 1790.3);
  CHECK(cerebras.usd_per_million_output_tokens == 0.75);
  CHECK(find_published_speed(speeds, "#102").tokens_per_s == 170.7);
  CHECK_FALSE(find_published_speed(speeds, "#102").usd_per_million_output_tokens);
  CHECK(find_published_speed(speeds, "Cerebras/Llama 3.1/3.2 70B").row == "7");
}

TEST_CASE("a name that fits several published speeds lists them, one that fits none gets the nearest") {
  const std::vector<PublishedSpeed> speeds = read_published_speeds();
  CHECK_THROWS_WITH(
      find_published_speed(speeds, "SambaNova/gpt-oss-120b"),
      Catch::Contains("fits 4 published speeds") && Catch::Contains("#94: SambaNova/gpt-oss-120b@2026-08-13"));
  CHECK_THROWS_WITH(find_published_speed(speeds, "Cerebrs/gpt-oss-120b"), Catch::Contains("did you mean Cerebras?"));
  CHECK_THROWS_WITH(find_published_speed(speeds, "OctoAI/gpt-oss-120b"), Catch::Contains("known: Llama 3.1 405B"));
  for (const char* name : {"", "Cerebras", "#9999", "#", "@", "/", "#31@2026-08-13"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(find_published_speed(speeds, name), ConfigError);
  }
}

TEST_CASE("the speeds beside an estimate are those of its model on its wafer, oldest first") {
  const std::vector<EndpointRow> rows = published_speeds_of("llama-3.1-405b", "wse3");
  REQUIRE(rows.size() >= 2);
  CHECK(std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.date < b.date; }));
  const auto long_prompt =
      std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row.tokens_per_s == 539; });
  REQUIRE(long_prompt != rows.end());
  CHECK(long_prompt->context_stated);
  CHECK(long_prompt->context_tokens == 100'000);
  CHECK(published_speeds_of("llama-3.1-405b", "tiny").empty());
  CHECK(published_speeds_of("mpt-7b", "wse3").empty());
  for (const EndpointRow& row : published_speeds_of("llama-3.1-70b", "wse3")) {
    CAPTURE(row.id);
    // The launch speeds say that they do not speculate; later ones do not exclude it.
    CHECK(row.speculates == (row.tokens_per_s > 1000));
  }
}
