#include "report/trace/heat_map.hpp"

#include <algorithm>
#include <numeric>

#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::report;

namespace {

std::vector<double> counting(std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace

TEST_CASE("a map that fits shows every PE as it is") {
  const HeatMap map = heat_map({2, 3}, counting(6), {10, 10});
  CHECK(map.cells == Extent{2, 3});
  CHECK(map.values == counting(6));
  CHECK(map.least == 0);
  CHECK(map.most == 5);
}

TEST_CASE("blocks of PEs are means, every PE in exactly one") {
  const HeatMap map = heat_map({3, 5}, counting(15), {2, 2});
  CHECK(map.cells == Extent{2, 2});
  // Rows 0 | 1, 2 and columns 0, 1 | 2, 3, 4.
  CHECK(map.values == std::vector<double>{0.5, 3, 8, 10.5});
}

TEST_CASE("blocks on a page are single PEs where all fit, else square with characters twice as high as wide") {
  const Page page{80, true};
  CHECK(cells_for({36, 76}, page) == Extent{36, 76});
  CHECK(cells_for({37, 76}, page) == Extent{19, 76});
  CHECK(cells_for({40, 96}, page) == Extent{16, 76});
  CHECK(cells_for({660, 660}, page) == Extent{36, 72});
  CHECK(cells_for({660, 660}, Page{120, true}) == Extent{36, 72});
  CHECK(cells_for({1, 2000}, page) == Extent{1, 76});
  CHECK(cells_for({2000, 1}, page) == Extent{36, 1});
}

TEST_CASE("a PE takes two characters where the page has room, and darker characters are larger numbers") {
  const Lines lines = heat_map_lines(heat_map({1, 10}, counting(10), {1, 10}), "units", Page{80, false});
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "  +--------------------+");
  CHECK(lines[1] == "  |  ..::--==++**##%%@@|");
  CHECK(lines[3] == "  \" .:-=+*#%@\" from 0 to 9.000 units; a place is one PE, row 0 at the top");
}

TEST_CASE("no line of a map is wider than its page") {
  for (const int width : {60, 80, 120}) {
    for (const Extent pes : {Extent{660, 660}, Extent{1, 1}, Extent{1, 2000}, Extent{2000, 1}, Extent{40, 38}}) {
      const HeatMap map = heat_map(pes, counting(pes.pes()), cells_for(pes, {width, true}));
      const Lines lines = heat_map_lines(map, "wavelets on outgoing links", Page{width, true});
      INFO(pes.rows << " x " << pes.cols << " at " << width);
      CHECK(std::all_of(lines.begin(), lines.end(), [&](const std::string& line) {
        return display_width(line) <= static_cast<std::size_t>(width);
      }));
    }
  }
}

TEST_CASE("a map of equal numbers says so instead of a scale") {
  const Lines busy = heat_map_lines(heat_map({1, 2}, {7, 7}, {36, 76}), "MACs", Page{80, false});
  CHECK(busy[1] == "  |@@@@|");
  CHECK(busy[3] == "  7.000 MACs everywhere; a place is one PE, row 0 at the top");
  const Lines idle = heat_map_lines(heat_map({1, 2}, {0, 0}, {36, 76}), "MACs", Page{80, false});
  CHECK(idle[1] == "  |    |");
}

TEST_CASE("a drawing has a place for each PE, and a bar for each link between two") {
  HeatMapDrawing drawing;
  drawing.title = "a < b & \"c\"";
  drawing.unit = "wavelets";
  for (auto& direction : drawing.links) direction.assign(6, 1.0);
  const std::string svg = heat_map_svg(heat_map({2, 3}, counting(6), {220, 220}), drawing);
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("a &lt; b &amp; \"c\"") != std::string::npos);
  CHECK(occurrences(svg, "<title>row ") == 6);
  CHECK(occurrences(svg, " wavelets</title>") == 6 + 2 * (2 * 2 + 3));
  CHECK(occurrences(svg, "<g ") == occurrences(svg, "</g>"));
}

TEST_CASE("a drawing of a large mesh shows blocks and no links") {
  HeatMapDrawing drawing;
  for (auto& direction : drawing.links) direction.assign(660 * 660, 1.0);
  const std::string svg = heat_map_svg(heat_map({660, 660}, counting(660 * 660), {220, 220}), drawing);
  CHECK(occurrences(svg, "<rect ") < 220 * 220 + 100);
  CHECK(svg.find("Bars are links") == std::string::npos);
  CHECK(svg.size() < 6'000'000);
}
