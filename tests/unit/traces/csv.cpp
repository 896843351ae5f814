#include "traces/csv.hpp"

#include <fstream>

#include "arch/error.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::traces;

namespace {

std::string message_of(std::string_view text, const CsvLimits& limits = {}) {
  try {
    parse_csv(text, "rows.csv", limits);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

template <class Read>
std::string reading(Read read) {
  try {
    read();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a table keeps fields as they stand and knows the line of each record") {
  const CsvTable table = parse_csv("a,b\n1, two \n", "rows.csv");
  REQUIRE(table.size() == 1);
  CHECK(table.row(0).text("b") == " two ");
  CHECK(table.row(0).line() == 2);
}

TEST_CASE("quoted fields keep commas, doubled quotes and line breaks, and the lines after them are counted") {
  const CsvTable table = parse_csv("a,b\r\n\"x,\"\"y\"\"\",\"two\nlines\"\r\n3,\r\n", "rows.csv");
  REQUIRE(table.size() == 2);
  CHECK(table.row(0).text("a") == "x,\"y\"");
  CHECK(table.row(0).text("b") == "two\nlines");
  CHECK(table.row(0).line() == 2);
  CHECK(table.row(1).line() == 4);
  CHECK(table.row(1).empty("b"));
}

TEST_CASE("a byte order mark and a last line without an end are no obstacle") {
  const CsvTable table = parse_csv("\xef\xbb\xbfname,value\nx,1.5", "rows.csv");
  REQUIRE(table.size() == 1);
  CHECK(table.columns() == std::vector<std::string>{"name", "value"});
  CHECK(table.row(0).real("value", {0, 2}) == 1.5);
}

TEST_CASE("columns are found by name and a missing one is reported with the nearest") {
  const CsvTable table = parse_csv("ms_per_tokn,gpu\n1,x\n", "rows.csv");
  CHECK(table.column("gpu") == 1U);
  const std::string problem = reading([&] { table.require_columns({"gpu", "ms_per_token", "batch"}); });
  CHECK(problem.find("ms_per_token: column is missing (did you mean \"ms_per_tokn\"?)") != std::string::npos);
  CHECK(problem.find("batch: column is missing") != std::string::npos);
  CHECK(reading([&] { table.row(0).text("none"); }) == "rows.csv:2: none: no such column");
}

TEST_CASE("numbers are plain, finite and in range, or the error names line, column and value") {
  const CsvTable table = parse_csv("v\n1e308\n1e309\nnan\ninf\n0x10\n1 \n-5\n1.9\n+3\n", "rows.csv");
  const auto real = [&](std::size_t row) { return reading([&] { table.row(row).real("v", {0, 100}); }); };
  CHECK(real(0) == "rows.csv:2: v: 1e308 is out of range (0 to 100)");
  CHECK(real(1) == "rows.csv:3: v: \"1e309\" is no number");
  CHECK(real(2) == "rows.csv:4: v: \"nan\" is no number");
  CHECK(real(3) == "rows.csv:5: v: \"inf\" is no number");
  CHECK(real(4) == "rows.csv:6: v: \"0x10\" is no number");
  CHECK(real(5) == "rows.csv:7: v: \"1 \" is no number");
  CHECK(real(6) == "rows.csv:8: v: -5 is out of range (0 to 100)");
  CHECK(real(7) == "no error");
  CHECK(real(8) == "rows.csv:10: v: \"+3\" is no number");
  CHECK(reading([&] { table.row(7).integer("v", {0, 9}); }) == "rows.csv:9: v: \"1.9\" is no integer");
}

TEST_CASE("an empty field is nothing where that is allowed and an error where it is not") {
  const CsvTable table = parse_csv("v,w\n,1\n", "rows.csv");
  CHECK_FALSE(table.row(0).optional_real("v", {0, 1}));
  CHECK_FALSE(table.row(0).optional_integer("v", {0, 1}));
  CHECK(reading([&] { table.row(0).real("v", {0, 1}); }) == "rows.csv:2: v: \"\" is no number");
}

TEST_CASE("broken text is refused with its line") {
  CHECK(message_of("") == "rows.csv:1: the file is empty (a header with column names was expected)");
  CHECK(message_of("\xef\xbb\xbf") == "rows.csv:1: the file is empty (a header with column names was expected)");
  CHECK(message_of("\xef\xbb\xbf\xef\xbb\xbf"
                   "a,b\n") == "rows.csv:1: a column name begins with a byte order mark");
  CHECK(message_of("\"\xef\xbb\xbf"
                   "n\"\n") == "rows.csv:1: a column name begins with a byte order mark");
  CHECK(message_of("a,,c\n") == "rows.csv:1: column 2 has no name");
  CHECK(message_of("a,b,a\n") == "rows.csv:1: column \"a\" stands twice in the header");
  CHECK(message_of("a,b\n1\n") == "rows.csv:2: 1 fields, but the header has 2");
  CHECK(message_of("a,b\n1,2\n\n") == "rows.csv:3: 1 fields, but the header has 2");
  CHECK(message_of("a\n1,2\n") == "rows.csv:2: 2 fields, but the header has 1");
  CHECK(message_of("a\nx\"y\n") == "rows.csv:2: a quote inside a field that is not quoted");
  CHECK(message_of("a\n1\n\"never\nclosed") == "rows.csv:3: the quote that opens a field here is never closed");
  CHECK(message_of("a\n\"x\"y\n") == "rows.csv:2: text after the closing quote of a field");
  CHECK(message_of("a\nx\ry\n") == "rows.csv:2: carriage return without a line feed");
  CHECK(message_of(std::string_view("a\nb\0c\n", 6)) == "rows.csv:2: a zero byte");
  CHECK(message_of("a\nok\n\xff\xfe\n") == "rows.csv:3: text is not UTF-8");
}

TEST_CASE("the limits are exact: the largest allowed passes and one more does not") {
  const CsvLimits limits{.max_bytes = 20, .max_rows = 2, .max_columns = 3, .max_field_bytes = 5};
  CHECK(message_of("a,b,c\n1,2,3\n1,2,3\n", limits) == "no error");
  CHECK(message_of("a\n1\n2\n3\n", limits) == "rows.csv:5: more than 2 records");
  CHECK(message_of("a,b,c,d\n", limits) == "rows.csv:1: more than 3 fields in one record");
  CHECK(message_of("a\n12345\n", limits) == "no error");
  CHECK(message_of("a\n123456\n", limits) == "rows.csv:2: a field of 6 bytes (at most 5)");
  CHECK(message_of("a\n1234\n1234\n123456789", limits) == "rows.csv:1: more than 20 bytes");
}

TEST_CASE("a folder, a missing file and a large file are errors and not tables") {
  const auto folder = std::filesystem::temp_directory_path() / "waferline_csv_test";
  std::filesystem::create_directories(folder);
  CHECK_THROWS_AS(read_csv_file(folder), ConfigError);
  CHECK_THROWS_AS(read_csv_file(folder / "none.csv"), ConfigError);
  std::ofstream(folder / "large.csv") << "a\n" << std::string(100, '1') << "\n";
  CHECK_THROWS_AS(read_csv_file(folder / "large.csv", {.max_bytes = 50}), ConfigError);
  CHECK(read_csv_file(folder / "large.csv").size() == 1);
  std::filesystem::remove_all(folder);
}

TEST_CASE("what is written as a field reads back") {
  for (const std::string text : {"plain", "with,comma", "with \"quotes\"", "two\nlines", ""}) {
    const CsvTable table = parse_csv("a,b\n" + csv_field(text) + ",x\n", "rows.csv");
    CHECK(table.row(0).text("a") == text);
  }
}
