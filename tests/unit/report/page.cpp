#include "report/page.hpp"

#include "tests/support/catch.hpp"

using namespace waferline::report;

TEST_CASE("text breaks at spaces within the width, and a long word stands alone") {
  CHECK(wrapped("aa bb cc", 5) == Lines{"aa bb", "cc"});
  CHECK(wrapped("aa bb cc", 6, 1, 2) == Lines{" aa bb", "   cc"});
  CHECK(wrapped("a incomprehensible b", 6) == Lines{"a", "incomprehensible", "b"});
  CHECK(wrapped("", 6) == Lines{""});
}

TEST_CASE("bars grow with the fraction, by eighths in unicode, and stay inside") {
  CHECK(bar(0.5, 10, false) == "#####");
  CHECK(bar(0, 10, true).empty());
  CHECK(display_width(bar(1, 10, true)) == 10);
  CHECK(bar(7.0, 10, false).size() == 10);
  CHECK(bar(1e-9, 10, true) == "▏");
  CHECK(bar(1.0 / 8, 1, true) == "▏");
}

TEST_CASE("a table gives its wrapping column what the page leaves") {
  Table table({{"name"}, {"what", Align::wrap}, {"n", Align::right}}, 0);
  table.add({"first", "words that do not fit on the line", "1"});
  table.add({"second", "few", "1,000"});
  const Lines lines = table.lines({30, false});
  CHECK(lines == Lines{"name    what                 n", "------  ---------------  -----",
                       "first   words that do        1", "        not fit on the", "        line",
                       "second  few              1,000"});
}

TEST_CASE("a table without headings is its rows alone, without spaces at line ends") {
  Table table({{""}, {"", Align::right}}, 2);
  table.add({"wide", ""});
  table.add({"x", "1"});
  CHECK(table.lines({80, false}) == Lines{"  wide", "  x     1"});
}

TEST_CASE("columns are as wide as their characters, not their bytes") {
  Table table({{""}, {""}}, 0);
  table.add({"é", "1"});
  table.add({"ab", "2"});
  CHECK(table.lines({80, true}) == Lines{"é   1", "ab  2"});
}
