// How far from the published parameter counts: not at all, on every row that is fit to test against.
#include <filesystem>
#include <string>

#include "models/config.hpp"
#include "models/weights.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reference_data.hpp"
#include "traces/csv.hpp"

using namespace waferline;
using namespace waferline::models;

namespace {

std::filesystem::path config_named(std::string_view file) {
  const std::filesystem::path library = tests::source_dir() / "models" / "library" / file;
  return std::filesystem::exists(library) ? library : tests::source_dir() / "tests" / "data" / "configs" / file;
}

}  // namespace

TEST_CASE("text parameters match every published total that is fit to test against") {
  const traces::CsvTable table = traces::read_csv_file(tests::source_dir() / "tests" / "data" / "param_counts.csv");
  int rows = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const traces::CsvRow row = table.row(i);
    INFO(row.text("model") << " from " << row.text("config"));
    const Model model = read_config_file(config_named(row.text("config")));
    const ParameterCounts& counts = model.parameters;
    CHECK(counts.decoder + counts.embedding + counts.head == row.integer("text_parameters", {1, kMostParameters}));
    ++rows;
  }
  REQUIRE(rows >= 90);
}
