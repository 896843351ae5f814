#include "arch/data_dir.hpp"

#include <cstdlib>

#include "arch/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reference_data.hpp"

using namespace waferline;

namespace {

/// Sets $WAFERLINE_DATA for one test and puts the old value back.
class DataVariable {
 public:
  explicit DataVariable(const char* value) {
    const char* before = std::getenv("WAFERLINE_DATA");
    if (before != nullptr) before_ = before;
    value == nullptr ? unsetenv("WAFERLINE_DATA") : setenv("WAFERLINE_DATA", value, 1);
  }
  ~DataVariable() { before_.empty() ? unsetenv("WAFERLINE_DATA") : setenv("WAFERLINE_DATA", before_.c_str(), 1); }

 private:
  std::string before_;
};

}  // namespace

TEST_CASE("data folders are found in the source tree of a build") {
  const DataVariable none(nullptr);
  REQUIRE(std::filesystem::equivalent(data_dir("models"), tests::source_dir() / "models"));
}

TEST_CASE("a named data folder wins and must hold what is asked for") {
  const DataVariable named((tests::source_dir() / "tests").c_str());
  REQUIRE(std::filesystem::equivalent(data_dir("unit"), tests::source_dir() / "tests" / "unit"));
  REQUIRE_THROWS_AS(data_dir("models"), ConfigError);
}

TEST_CASE("a data folder that is nowhere is an error naming it") {
  const DataVariable none(nullptr);
  REQUIRE_THROWS_WITH(data_dir("no/such"), Catch::Contains("no/such"));
}
