#include "traces/serving_trace.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "arch/error.hpp"
#include "tests/support/catch.hpp"

namespace waferline::traces {
namespace {

std::vector<estimate::ServingRequest> read(const std::string& text) {
  // Tests may run side by side: each text has a file of its own.
  const std::string name = "waferline_serving_trace_" + std::to_string(std::hash<std::string>{}(text)) + ".csv";
  const std::filesystem::path path = std::filesystem::temp_directory_path() / name;
  std::ofstream(path) << text;
  const auto remove = [&] { std::filesystem::remove(path); };
  try {
    auto requests = read_serving_trace(path);
    remove();
    return requests;
  } catch (...) {
    remove();
    throw;
  }
}

}  // namespace

TEST_CASE("A trace in Azure's columns counts time from its first request, over midnight too") {
  const auto requests = read(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
      "2023-11-16 23:59:59.5000000,4808,10\n"
      "2023-11-17 00:00:01.2500000,3180,8\n");
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].arrival.value == 0);
  CHECK(requests[0].prompt_tokens == 4808);
  CHECK(requests[1].arrival.value == Approx(1.75));
  CHECK(requests[1].output_tokens == 8);
}

TEST_CASE("A trace in plain columns reads the same") {
  const auto requests = read("output_tokens,arrival_s,prompt_tokens\n5,10,7\n6,12.5,8\n");
  CHECK(requests[1].arrival.value == Approx(2.5));
  CHECK(requests[1].prompt_tokens == 8);
  CHECK(requests[0].output_tokens == 5);
}

TEST_CASE("A trace that goes back in time, has no tokens or no such time is refused with its line") {
  CHECK_THROWS_WITH(read("arrival_s,prompt_tokens,output_tokens\n2,1,1\n1,1,1\n"), Catch::Contains(":3: arrival_s"));
  CHECK_THROWS_WITH(read("arrival_s,prompt_tokens,output_tokens\n2,1,0\n"), Catch::Contains(":2: output_tokens"));
  CHECK_THROWS_WITH(read("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-02-30 00:00:00,1,1\n"),
                    Catch::Contains(":2: TIMESTAMP"));
  CHECK_THROWS_AS(read("TIMESTAMP,ContextTokens\n"), ConfigError);
  CHECK_THROWS_AS(read("arrival_s,prompt_tokens,output_tokens\n"), ConfigError);
}

}  // namespace waferline::traces
