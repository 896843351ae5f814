// A sweep's HDF5 file, read back with the library's own reader.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "arch/error.hpp"
#include "cli/sweep/rows.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/sweep_axes.hpp"
#include "traces/run/hdf5_reader.hpp"
#include "traces/sweep/hdf5.hpp"

using namespace waferline;
using namespace waferline::estimate;
using namespace waferline::tests;
using traces::Hdf5Reader;

namespace {

/// Some of its points fit, some do not.
Sweep some_fit() {
  SweepAxes axes = sweep_axes("qwen3-0.6b", "wse3", "service-2024");
  axes.settings.push_back(setting("wafer.clock_hz", {"0.85e9", "1.1e9"}));
  axes.contexts = {1024, 100'000'000, 2048};
  return Sweep(axes, "test");
}

std::vector<SweepRow> rows_of(const Sweep& sweep) {
  std::vector<SweepRow> rows;
  for (std::int64_t point = 0; point < sweep.points(); ++point) rows.push_back(sweep.row(point));
  return rows;
}

void write(const std::filesystem::path& path, const Sweep& sweep, const std::vector<SweepRow>& rows) {
  traces::LongestCells longest(sweep);
  for (const SweepRow& row : rows) longest.add(row);
  traces::SweepHdf5 file(path, sweep, "waferline sweep", longest);
  for (const SweepRow& row : rows)
    file.add(traces::parse_csv(cli::header_line(sweep) + "\n" + cli::row_line(row) + "\n", "row").row(0));
  file.finish();
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void check_column(const Hdf5Reader& file, const SweepColumn& column, std::size_t i, const std::vector<SweepRow>& rows) {
  const std::string path = "/rows/" + column.name;
  INFO(path);
  CHECK(file.text_attribute(path, "unit") == column.unit);
  CHECK(file.text_attribute(path, "meaning") == column.meaning);
  const auto most = static_cast<std::int64_t>(rows.size());
  const auto texts = column.kind == CellKind::text ? file.texts(path, most) : std::vector<std::string>{};
  const auto integers = column.kind == CellKind::integer ? file.integers(path, most) : std::vector<std::int64_t>{};
  const auto reals = column.kind == CellKind::real ? file.reals(path, most) : std::vector<double>{};
  REQUIRE(texts.size() + integers.size() + reals.size() == rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string& cell = rows[row][i];
    if (!texts.empty()) CHECK(texts[row] == cell);
    if (!integers.empty()) CHECK(integers[row] == (cell.empty() ? -1 : std::stoll(cell)));
    if (!reals.empty()) CHECK((cell.empty() ? std::isnan(reals[row]) : reals[row] == std::stod(cell)));
  }
}

}  // namespace

TEST_CASE("every cell of a sweep reads back from HDF5, with its unit, and points without an answer have none") {
  const Scratch scratch;
  const Sweep sweep = some_fit();
  const std::vector<SweepRow> rows = rows_of(sweep);
  const auto fit = [&](const SweepRow& row) { return cell(sweep, row, "fits") == "1"; };
  REQUIRE(std::count_if(rows.begin(), rows.end(), fit) == 4);
  write(scratch.path / "a.h5", sweep, rows);
  const Hdf5Reader file(scratch.path / "a.h5");
  CHECK(file.integer_attribute("/", "schema") == 1);
  CHECK(file.integer_attribute("/", "points") == 6);
  CHECK(file.text_attribute("/", "command") == "waferline sweep");
  CHECK(file.texts("/description", 100) == sweep.description());
  for (std::size_t i = 0; i < sweep.columns().size(); ++i) check_column(file, sweep.columns()[i], i, rows);
  const traces::SweepHdf5Content content = traces::read_sweep_hdf5(scratch.path / "a.h5", 6);
  CHECK(content.description == sweep.description());
  CHECK(content.fits == std::vector<std::int64_t>{1, 0, 1, 1, 0, 1});
  CHECK(content.tokens_per_s[2] == std::stod(cell(sweep, rows[2], "tokens_per_s")));
}

TEST_CASE("the same rows leave the same bytes, and one file is left") {
  const Scratch scratch;
  const Sweep sweep = some_fit();
  const std::vector<SweepRow> rows = rows_of(sweep);
  write(scratch.path / "a.h5", sweep, rows);
  write(scratch.path / "b.h5", sweep, rows);
  CHECK(bytes_of(scratch.path / "a.h5") == bytes_of(scratch.path / "b.h5"));
  CHECK(scratch.entries() == 2);
}

TEST_CASE("more rows than a chunk holds keep their order") {
  const Scratch scratch;
  SweepAxes axes = sweep_axes("qwen3-0.6b", "wse3", "service-2024");
  axes.contexts.clear();
  for (std::int64_t i = 1; i <= 40'000; ++i) axes.contexts.push_back(i);
  const Sweep sweep(axes, "test");
  std::vector<SweepRow> rows;
  const SweepRow one = sweep.row(0);
  for (std::int64_t i = 0; i < sweep.points(); ++i) {
    rows.push_back(sweep.inputs(i));
    rows.back().insert(rows.back().end(), one.begin() + static_cast<std::ptrdiff_t>(rows.back().size()), one.end());
  }
  write(scratch.path / "a.h5", sweep, rows);
  const Hdf5Reader file(scratch.path / "a.h5");
  CHECK(file.integers("/rows/context_tokens", 40'000) == axes.contexts);
  const std::vector<std::string> fingerprints = file.texts("/rows/inputs_fingerprint", 40'000);
  for (const std::size_t row : {0UL, 16'383UL, 16'384UL, 39'999UL})
    CHECK(fingerprints[row] == cell(sweep, rows[row], "inputs_fingerprint"));
}

TEST_CASE("what is no sweep, or one of more rows than permitted, is refused by name") {
  const Scratch scratch;
  const Sweep sweep = some_fit();
  write(scratch.path / "a.h5", sweep, rows_of(sweep));
  CHECK_THROWS_WITH(traces::read_sweep_hdf5(scratch.path / "a.h5", 5), Catch::Contains("6 entries"));
  std::ofstream(scratch.path / "b.h5") << "no HDF5";
  CHECK_THROWS_WITH(traces::read_sweep_hdf5(scratch.path / "b.h5", 5), Catch::Contains("b.h5: is not an HDF5 file"));
  traces::Hdf5Writer other(scratch.path / "c.h5");
  other.attribute("/", "schema", std::int64_t{1});
  other.finish();
  CHECK_THROWS_WITH(traces::read_sweep_hdf5(scratch.path / "c.h5", 5), Catch::EndsWith("c.h5: holds no sweep"));
  std::string damaged = bytes_of(scratch.path / "a.h5");
  for (std::size_t i = 600; i < damaged.size(); i += 7) damaged[i] = static_cast<char>(damaged[i] + 1);
  std::ofstream(scratch.path / "d.h5", std::ios::binary) << damaged;
  CHECK_THROWS_AS(traces::read_sweep_hdf5(scratch.path / "d.h5", 5), ConfigError);
}

TEST_CASE("a text longer than announced is refused, not cut") {
  const Scratch scratch;
  traces::Hdf5Writer file(scratch.path / "a.h5");
  file.group("/rows");
  const std::size_t texts = file.growing_texts("/rows/a", 3);
  file.append_text(texts, "abc");
  CHECK_THROWS_WITH(file.append_text(texts, "abcd"), Catch::EndsWith("is given a text longer than it was made for"));
}
