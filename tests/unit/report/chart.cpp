// Scales, ticks and charts, with nothing, one point and huge ranges too.
#include "report/html/chart.hpp"

#include <cmath>
#include <limits>

#include "report/html/svg.hpp"
#include "tests/support/catch.hpp"

using namespace waferline::report;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

const ChartText text{"id", "title", "description"};

}  // namespace

TEST_CASE("ticks of a linear axis are round numbers, no more than asked for") {
  CHECK(linear_ticks(0, 670.4, 6) == std::vector<double>{0, 200, 400, 600});
  CHECK(linear_ticks(0, 1, 6) == std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1});
  CHECK(linear_ticks(-3, 3, 3) == std::vector<double>{-2, 0, 2});
  CHECK(linear_ticks(5, 5, 4) == std::vector<double>{5});
  CHECK_FALSE(std::signbit(linear_ticks(0, 10, 5).front()));
}

TEST_CASE("ticks of a logarithmic axis thin out with the range") {
  CHECK(logarithmic_ticks(1, 100, 7) == std::vector<double>{1, 2, 5, 10, 20, 50, 100});
  CHECK(logarithmic_ticks(1, 10000, 6) == std::vector<double>{1, 10, 100, 1000, 10000});
  CHECK(logarithmic_ticks(1e-300, 1e300, 6).size() >= 2);
  CHECK(logarithmic_ticks(1e-300, 1e300, 6).size() <= 6);
  CHECK(logarithmic_ticks(21, 24, 5) == linear_ticks(21, 24, 5));
  CHECK(logarithmic_ticks(7, 7, 5) == std::vector<double>{7});
}

TEST_CASE("an axis without a range has no ticks") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(linear_ticks(1, 0, 5).empty());
  CHECK(linear_ticks(0, infinity, 5).empty());
  CHECK(linear_ticks(nan, 1, 5).empty());
  CHECK(linear_ticks(0, 1, 0).empty());
  CHECK(logarithmic_ticks(0, 1, 5).empty());
  CHECK(logarithmic_ticks(-1, 1, 5).empty());
}

TEST_CASE("a tick's text is short") {
  CHECK(tick_text(0) == "0");
  CHECK(tick_text(0.05) == "0.05");
  CHECK(tick_text(2500) == "2500");
  CHECK(tick_text(20000) == "20k");
  CHECK(tick_text(2e6) == "2M");
  CHECK(tick_text(1e-9) == "1e-09");
}

TEST_CASE("a scale puts its ends at its ends and a degenerate one in the middle") {
  const Scale linear{10, 20, 0, 100, false};
  CHECK(linear.at(10) == 0);
  CHECK(linear.at(15) == Approx(50));
  const Scale logarithmic{1, 100, 190, 10, true};
  CHECK(logarithmic.at(1) == 190);
  CHECK(logarithmic.at(10) == Approx(100));
  CHECK(logarithmic.at(100) == Approx(10));
  CHECK(Scale{3, 3, 0, 100, true}.at(3) == 50);
}

TEST_CASE("charts of nothing are empty, and of values that cannot be drawn too") {
  CHECK(bar_chart(text, {}, {"s"}, false).empty());
  CHECK(line_chart(text, {}, "x", "y").empty());
  CHECK(line_chart(text, {{{"", "a"}, "", {}}}, "x", "y").empty());
  CHECK(range_chart(text, {}, 1, {"s"}).empty());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(line_chart(text, {{{"", "a"}, "", {{1, nan, nan, nan, "", ""}, {0, 1, 1, 1, "", ""}}}}, "x", "y").empty());
}

TEST_CASE("one point is a mark without a band, and nothing in the drawing is undefined") {
  const std::string one = line_chart(text, {{{"", "a"}, "", {{8192, 1500, 1200, 2000, "/x", "/y"}}}}, "x", "y");
  CHECK(count(one, "<circle") == 2);  // the point and its legend
  CHECK(count(one, "class=\"band") == 0);
  const std::string zero = bar_chart(text, {{{}, "none", {"/a", 0, "0"}, 0, 0, {}, {}, 0}}, {"s"}, false);
  const std::string huge = bar_chart(
      text,
      {{{}, "small", {"/a", 1e-300, "s"}, 0, 1e-300, {}, {}, 0}, {{}, "big", {"/b", 1e300, "b"}, 0, 1e300, {}, {}, 0}},
      {"s"}, true);
  for (const std::string& chart : {one, zero, huge}) {
    REQUIRE_FALSE(chart.empty());
    CHECK(count(chart, "nan") == 0);
    CHECK(count(chart, "inf") == 0);
  }
}

TEST_CASE("the length of a bar is to scale") {
  const auto bar = [](double end) { return Bar{{}, "b", {"/a", end, "t"}, 0, end, {}, {}, 0}; };
  const std::string chart = bar_chart(text, {bar(50e-6), bar(100e-6)}, {"us", 1e-6}, false);
  CHECK(count(chart, "width=\"172.00\"") == 1);
  CHECK(count(chart, "width=\"344.00\"") == 1);
}

TEST_CASE("a chart has a name and a description, and its labels are escaped") {
  const std::string chart =
      bar_chart({"id", "<b>", "\"d\""}, {{{"/n", "<script>&"}, "<", {"/a\"", 1, "1"}, 0, 1, {}, {}, 0}}, {"s"}, false);
  CHECK(chart.find("role=\"img\" aria-labelledby=\"id-title id-desc\"") != std::string::npos);
  CHECK(chart.find("<title id=\"id-title\">&lt;b&gt;</title>") != std::string::npos);
  CHECK(chart.find("<tspan data-text=\"/n\">&lt;script&gt;&amp;</tspan>&lt;<") != std::string::npos);
  CHECK(chart.find("<script") == std::string::npos);
}

TEST_CASE("a range is drawn from its lower to its higher end, whichever input gives it, around the result") {
  const auto range = [](double low, double high) {
    return Range{{"/k", "input"}, {"/l", low, "l"}, {"/h", high, "h"}};
  };
  const std::string chart = range_chart(text, {range(10, 100), range(100, 10)}, 50, {"s"});
  CHECK(count(chart, "<rect class=\"fill0\" x=\"36.09\"") == 2);
  CHECK(count(chart, "width=\"288.81\"") == 2);
  CHECK(count(chart, "<line class=\"result\"") == 2);
  CHECK(count(chart, "data-key=\"/l\"") == 2);
}

TEST_CASE("an axis of ranges begins at 0 unless the ranges are narrow") {
  const auto first_tick = [](double low, double high) {
    const std::string chart = range_chart(text, {{{}, {"/l", low, "l"}, {"/h", high, "h"}}}, high, {"s"});
    const std::size_t at = chart.find("data-x=");
    return chart.substr(chart.find('>', at) + 1, chart.find('<', at) - chart.find('>', at) - 1);
  };
  CHECK(first_tick(10, 100) == "0");
  CHECK(first_tick(95, 100) == "95");
  CHECK(first_tick(-10, 100) == "0");  // the axis begins below it
}

TEST_CASE("a long label goes over several lines and stays the text it was") {
  const std::string name = "a name that someone gave to a system, and that is long";
  const std::vector<std::string> lines = wrapped(name, 150);
  REQUIRE(lines.size() > 2);
  std::string joined;
  for (const std::string& line : lines) {
    CHECK(text_width(line) <= 150);
    joined += line;
  }
  CHECK(joined == name);
  CHECK(lines.front().ends_with(' '));
  CHECK(wrapped(name, 1e6) == std::vector<std::string>{name});
  CHECK(wrapped("", 10).empty());
}

TEST_CASE("a word wider than a line is cut between characters, never within one") {
  const std::vector<std::string> lines = wrapped("WWWWWWWWWW", 40);
  CHECK(lines.front() == "WWW");
  CHECK(wrapped("日本語", 1) == std::vector<std::string>{"日", "本", "語"});
}

TEST_CASE("a number that has no room beside its label stands below it") {
  const auto height = [](const std::string& name) {
    const std::string chart =
        bar_chart(text, {{{"/n", name}, "", {"/a", 1, "1,234.5 tokens"}, 0, 1, {}, {}, 0}}, {"s"}, false);
    return std::stod(chart.substr(chart.find("0 0 360 ") + 8));
  };
  CHECK(height("short") + 15 == height("a name of a length that fills one line"));
  // Two lines, the second with room.
  CHECK(height("short") + 15 == height("a name of a length that fills a line and then goes on for some more"));
}

TEST_CASE("columns stand beside each other and reach to their numbers") {
  const std::string chart =
      column_chart(text, {{{"/c/0", 2e-6, "2 us"}, 0}, {{"/c/1", 1e-6, "1 us"}, 1}}, "stages", {"microseconds", 1e-6});
  const auto height = [&](const std::string& key) {
    const std::size_t at = chart.find("height=\"", chart.find("data-column=\"" + key)) + 8;
    return std::stod(chart.substr(at));
  };
  CHECK(height("/c/0") == Approx(2 * height("/c/1")).margin(0.02));
  CHECK(column_chart(text, {}, "x", {"s"}).empty());
  CHECK(column_chart(text, {{{"/c", 0, "0"}, 0}}, "x", {"s"}).empty());
}

TEST_CASE("marks of a scatter keep their numbers apart") {
  std::vector<ScatterGroup> groups{{"one", {}}};
  for (int i = 0; i < 40; ++i) {
    groups[0].points.push_back({{"/x", 100.0 + 0.01 * i, "x"}, {"/y", 5, "y"}, {"/n", 1234, "1,234"}});
  }
  const std::string crowded = scatter_chart(text, groups, {"x"}, {"y"});
  CHECK(count(crowded, "data-x-key") == 40);
  CHECK(count(crowded, "data-key=\"/n\"") < 10);
  groups[0].points.resize(1);
  CHECK(count(scatter_chart(text, groups, {"x"}, {"y"}), "data-key=\"/n\"") == 1);
  CHECK(scatter_chart(text, {}, {"x"}, {"y"}).empty());
}

TEST_CASE("an axis of a scatter is logarithmic where its numbers lie far apart") {
  const auto chart = [](double far) {
    return scatter_chart(
        text,
        {{"one", {{{"/x", 1, ""}, {"/y", 1, ""}, {"/n", 1, "1"}}, {{"/x", far, ""}, {"/y", 2, ""}, {"/n", 1, "1"}}}}},
        {"x"}, {"y"});
  };
  CHECK(chart(7).find("data-x-logarithmic=\"false\"") != std::string::npos);
  CHECK(chart(9).find("data-x-logarithmic=\"true\"") != std::string::npos);
}
