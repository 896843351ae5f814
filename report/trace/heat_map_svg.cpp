// Colours follow: Crameri, "batlow" and its relatives, 2018: lightness rises evenly, readable without colour vision.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/number.hpp"
#include "report/trace/heat_map.hpp"

namespace waferline::report {
namespace {

constexpr double kMapSide = 640;  ///< of the longer side of the map, in pixels
constexpr double kMargin = 24;
constexpr double kTop = 76;
constexpr double kScaleWidth = 190;
constexpr int kScaleSteps = 64;
constexpr double kMostLinkShare = 0.30;        ///< of a PE's place that links take on each side
constexpr std::int64_t kMostLinkedPes = 1024;  ///< beyond it a link is thinner than a pixel

struct Colour {
  double red, green, blue;
};

std::string colour_of(double share) {
  // Light to dark: nothing is paper, the most is ink.
  static constexpr std::array<Colour, 5> stops{
      Colour{247, 247, 240}, {250, 204, 120}, {232, 120, 70}, {150, 40, 90}, {40, 10, 60}};
  const double at = std::clamp(share, 0.0, 1.0) * (stops.size() - 1);
  const auto lower = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const double part = at - static_cast<double>(lower);
  const auto mixed = [&](double Colour::*channel) {
    return static_cast<int>(std::lround(stops[lower].*channel * (1 - part) + stops[lower + 1].*channel * part));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(&Colour::red), mixed(&Colour::green), mixed(&Colour::blue));
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    }
  }
  return out;
}

std::string rectangle(double x, double y, double width, double height, const std::string& fill,
                      const std::string& tip = "") {
  const std::string shape =
      fmt::format(R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}")", x, y, width, height, fill);
  return tip.empty() ? shape + "/>\n" : fmt::format("{}><title>{}</title></rect>\n", shape, escaped(tip));
}

std::string label(double x, double y, int size, const std::string& text, const char* anchor = "start") {
  return fmt::format(
      R"(<text x="{:.1f}" y="{:.1f}" font-size="{}" text-anchor="{}" font-family="sans-serif" fill="#222">{}</text>)"
      "\n",
      x, y, size, anchor, escaped(text));
}

/// Where the map lies and how large its places are.
struct Layout {
  double place = 1;  ///< pixels of a block's side
  bool with_links = false;
  double x(double col) const { return kMargin + col * place; }
  double y(double row) const { return kTop + row * place; }
};

double share_of(const HeatMap& map, double value) {
  return map.most > map.least ? (value - map.least) / (map.most - map.least) : (map.most > 0 ? 1.0 : 0.0);
}

std::string places(const HeatMap& map, const Layout& layout, const std::string& unit) {
  std::string svg;
  const double gap = layout.with_links ? kMostLinkShare * layout.place / 2 : 0;
  for (std::int64_t row = 0; row < map.cells.rows; ++row) {
    for (std::int64_t col = 0; col < map.cells.cols; ++col) {
      const double value = map.values[static_cast<std::size_t>(row * map.cells.cols + col)];
      const std::string tip = map.cells.pes() > kMostLinkedPes
                                  ? std::string()
                                  : fmt::format("row {}, column {}: {} {}", row, col, significant(value, 4), unit);
      svg += rectangle(layout.x(static_cast<double>(col)) + gap, layout.y(static_cast<double>(row)) + gap,
                       layout.place - 2 * gap, layout.place - 2 * gap, colour_of(share_of(map, value)), tip);
    }
  }
  return svg;
}

double busiest_link(const HeatMapDrawing& drawing) {
  double most = 0;
  for (const auto& direction : drawing.links) {
    for (const double wavelets : direction) most = std::max(most, wavelets);
  }
  return most;
}

/// A bar for each link between two PEs, one for each direction, as dark as its wavelets are many.
std::string links(const HeatMap& map, const Layout& layout, const HeatMapDrawing& drawing, double most) {
  const double gap = kMostLinkShare * layout.place;
  const double thick = layout.place * 0.12;
  std::string svg;
  const auto bar = [&](std::size_t direction, std::size_t pe, double x, double y, double width, double height) {
    const double wavelets = drawing.links[direction][pe];
    svg += rectangle(x, y, width, height, colour_of(wavelets / most), fmt::format("{} wavelets", whole(wavelets)));
  };
  for (std::int64_t row = 0; row < map.pes.rows; ++row) {
    for (std::int64_t col = 0; col < map.pes.cols; ++col) {
      const auto pe = static_cast<std::size_t>(row * map.pes.cols + col);
      const double left = layout.x(static_cast<double>(col));
      const double top = layout.y(static_cast<double>(row));
      const double right = left + layout.place;
      const double bottom = top + layout.place;
      if (col + 1 < map.pes.cols) bar(0, pe, right - gap / 2, top + layout.place * 0.32, gap, thick);
      if (col > 0) bar(1, pe, left - gap / 2, top + layout.place * 0.56, gap, thick);
      if (row + 1 < map.pes.rows) bar(2, pe, left + layout.place * 0.56, bottom - gap / 2, thick, gap);
      if (row > 0) bar(3, pe, left + layout.place * 0.32, top - gap / 2, thick, gap);
    }
  }
  return svg;
}

std::string scale(const HeatMap& map, const Layout& layout, const std::string& unit) {
  const double x = layout.x(static_cast<double>(map.cells.cols)) + kMargin;
  const double height = std::max(120.0, std::min(320.0, layout.place * static_cast<double>(map.cells.rows)));
  const double step = height / kScaleSteps;
  std::string svg = "<g shape-rendering=\"crispEdges\">\n";
  for (int i = 0; i < kScaleSteps; ++i) {
    const double share = 1 - (i + 0.5) / kScaleSteps;
    svg += rectangle(x, kTop + i * step, 18, step + 0.3, colour_of(share));
  }
  svg += "</g>\n";
  svg += label(x + 26, kTop + 11, 12, significant(map.most, 4));
  svg += label(x + 26, kTop + height, 12, significant(map.least, 4));
  svg += label(x, kTop + height + 20, 12, unit);
  return svg;
}

}  // namespace

std::string heat_map_svg(const HeatMap& map, const HeatMapDrawing& drawing) {
  Layout layout;
  layout.place = kMapSide / static_cast<double>(std::max(map.cells.rows, map.cells.cols));
  const double most_wavelets = busiest_link(drawing);
  layout.with_links = map.cells == map.pes && map.pes.pes() <= kMostLinkedPes && most_wavelets > 0;
  const double map_bottom = layout.y(static_cast<double>(map.cells.rows));
  const double width = std::max(layout.x(static_cast<double>(map.cells.cols)) + kMargin + kScaleWidth, 560.0);
  const double height = std::max(map_bottom, kTop + 160) + 2 * kMargin;
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}">)"
      "\n",
      width, height);
  svg += rectangle(0, 0, width, height, "#ffffff");
  svg += label(kMargin, 30, 18, drawing.title);
  svg += label(kMargin, 52, 12, drawing.subtitle);
  svg += fmt::format(R"(<g shape-rendering="crispEdges">)"
                     "\n");
  if (layout.with_links)
    svg +=
        rectangle(kMargin, kTop, layout.x(static_cast<double>(map.cells.cols)) - kMargin, map_bottom - kTop, "#c4cdd8");
  svg += places(map, layout, drawing.unit);
  if (layout.with_links) svg += links(map, layout, drawing, most_wavelets);
  svg += "</g>\n";
  svg += fmt::format(
      R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="none" stroke="#888" stroke-width="1"/>)"
      "\n",
      layout.x(0), layout.y(0), layout.place * static_cast<double>(map.cells.cols),
      layout.place * static_cast<double>(map.cells.rows));
  svg += scale(map, layout, drawing.unit);
  svg += label(
      kMargin, map_bottom + 20, 12,
      fmt::format("{} rows x {} columns of PEs, row 0 at the top", count_text(map.pes.rows), count_text(map.pes.cols)));
  if (layout.with_links) {
    svg +=
        label(kMargin, map_bottom + 38, 12,
              fmt::format("Bars are links, lightest none, darkest {} wavelets: upper to the east, lower to the west, "
                          "right to the south, left to the north",
                          whole(most_wavelets)));
  }
  return svg + "</svg>\n";
}

}  // namespace waferline::report
