// Escaping, tables and the frame of the pages.
#include "report/html/markup.hpp"

#include "tests/support/catch.hpp"

using namespace waferline::report;

TEST_CASE("escaped text can stand in an element and in quotes") {
  CHECK(escaped("<script>alert(\"1\" & '2')</script>") ==
        "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;");
  CHECK(escaped("Größe 日本 🙂\n\t") == "Größe 日本 🙂\n\t");
}

TEST_CASE("bytes that are not UTF-8 and control characters become replacement characters") {
  const std::string mark = "\xef\xbf\xbd";
  CHECK(escaped("a\xff\x01z") == "a" + mark + mark + "z");
  CHECK(escaped("\xc0\xaf") == mark + mark);             // overlong
  CHECK(escaped("\xed\xa0\x80") == mark + mark + mark);  // surrogate
  CHECK(escaped("\xe2\x82") == mark + mark);             // cut off
  CHECK(escaped(std::string_view("\0", 1)) == mark);
}

TEST_CASE("a shown number brings its exact value and its pointer") {
  CHECK(shown({"/tpot_s/expected", 0.1, "100.0 ms"}) ==
        "<data value=\"0.1\" data-key=\"/tpot_s/expected\" data-value=\"0.1\">100.0 ms</data>");
  CHECK(data_attributes({"/a", 1.0 / 3, ""}) == " data-key=\"/a\" data-value=\"0.3333333333333333\"");
  CHECK(pointer_step("a/b~c") == "/a~1b~0c");
}

TEST_CASE("a text of the document brings its pointer, a text of the page's own none") {
  CHECK(quoted({"/gpus/0/engine", "a<b"}) == "<span data-text=\"/gpus/0/engine\">a&lt;b</span>");
  CHECK(quoted({"", "a<b"}) == "a&lt;b");
  CHECK(quoted({"/k", "hop_cycles"}) == "<span data-text=\"/k\">hop_<wbr>cycles</span>");
}

TEST_CASE("a table of prose says its roles, since a phone shows it as a list") {
  HtmlTable table{"c", {"what", "why"}, {{"row", "1"}}, {}};
  CHECK(table_html(table).find("role=\"cell\"") == std::string::npos);
  table.prose = true;
  for (const char* role : {"table", "rowgroup", "row", "columnheader", "rowheader", "cell"}) {
    INFO(role);
    CHECK(table_html(table).find(std::string("role=\"") + role + "\"") != std::string::npos);
  }
}

TEST_CASE("a table names its columns and rows for a screen reader") {
  const std::string table = table_html({"c<", {"what", "n"}, {{"row", "1"}}, {false, true}});
  CHECK(table.find("<caption>c&lt;</caption>") != std::string::npos);
  CHECK(table.find("<th scope=\"col\" class=\"number\">n</th>") != std::string::npos);
  CHECK(table.find("<th scope=\"row\">row</th><td class=\"number\">1</td>") != std::string::npos);
  CHECK(table.find("tabindex=\"0\"") != std::string::npos);
}

TEST_CASE("a page holds no script and forbids every request") {
  const std::string page = page_html({"<title>", "", "", "", "waferline '<script>'"});
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("<h1>&lt;title&gt;</h1>") != std::string::npos);
  CHECK(page.find("waferline &#39;&lt;script&gt;&#39;") != std::string::npos);
}
