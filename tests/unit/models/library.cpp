#include "models/library.hpp"

#include "arch/error.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::models;
using Catch::Contains;

TEST_CASE("every model of the library is read and has a source") {
  const std::vector<LibraryEntry> entries = library_entries();
  REQUIRE(entries.size() >= 40);
  for (const LibraryEntry& entry : entries) {
    INFO(entry.name);
    CHECK_FALSE(entry.source.empty());
    CHECK_FALSE(entry.kind.empty());
    Model model;
    CHECK_NOTHROW(model = load_model(entry.name));
    CHECK(model.name == entry.name);
    CHECK_FALSE(model.layers.empty());
  }
}

TEST_CASE("a model is found by its short name and by its Hugging Face id in any case") {
  CHECK(library_entry("llama-3.1-8b").name == "llama-3.1-8b");
  CHECK(library_entry("Meta-Llama/llama-3.3-70b-INSTRUCT").name == "llama-3.1-70b");
  CHECK(load_model("OpenAI/GPT-OSS-120b").name == "gpt-oss-120b");
}

TEST_CASE("an unknown name is refused with the nearest ones") {
  CHECK_THROWS_WITH(load_model("llama-3.1-9b"), Contains("llama-3.1-8b"));
  CHECK_THROWS_AS(load_model(""), ConfigError);
  CHECK_THROWS_AS(load_model("no/such/folder/config.json"), ConfigError);
}
