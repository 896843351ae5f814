#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html/plot.hpp"

namespace waferline::report {
namespace {

constexpr double decades_for_logarithmic = 1.5;

bool drawable(const LinePoint& point) {
  const auto good = [](double value) { return std::isfinite(value) && value > 0; };
  return good(point.x) && good(point.y) && good(point.low) && good(point.high);
}

std::vector<Line> drawable_lines(const std::vector<Line>& lines) {
  std::vector<Line> kept = lines;
  for (Line& line : kept) std::erase_if(line.points, [](const LinePoint& point) { return !drawable(point); });
  std::erase_if(kept, [](const Line& line) { return line.points.empty(); });
  return kept;
}

PlotAxes axes_of(const std::vector<Line>& lines) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const Line& line : lines) {
    for (const LinePoint& point : line.points) {
      xs.push_back(point.x);
      ys.insert(ys.end(), {point.y, point.low, point.high});
    }
  }
  const auto [x_low, x_high] = std::minmax_element(xs.begin(), xs.end());
  const auto [y_low, y_high] = std::minmax_element(ys.begin(), ys.end());
  PlotAxes axes{{*x_low, *x_high, plot_left, plot_right, true}, {0, *y_high * 1.05, plot_bottom, plot_top, false}};
  if (spans_decades(ys, decades_for_logarithmic)) {
    axes.y.logarithmic = true;
    axes.y.low = *y_low * 0.9;
  }
  return axes;
}

std::string path_of(const Line& line, const PlotAxes& axes) {
  std::string path;
  for (const LinePoint& point : line.points) {
    path += fmt::format("{}{:.2f} {:.2f}", path.empty() ? "M" : "L", axes.x.at(point.x), axes.y.at(point.y));
  }
  return path;
}

/// The area between the ends of the band; nothing for a line without one.
std::string band_of(const Line& line, const PlotAxes& axes, std::size_t color) {
  const auto has_band = [](const LinePoint& point) { return point.low < point.high; };
  if (line.points.size() < 2 || std::none_of(line.points.begin(), line.points.end(), has_band)) return {};
  std::string path;
  for (const LinePoint& point : line.points) {
    path += fmt::format("{}{:.2f} {:.2f}", path.empty() ? "M" : "L", axes.x.at(point.x), axes.y.at(point.high));
  }
  for (auto point = line.points.rbegin(); point != line.points.rend(); ++point) {
    path += fmt::format("L{:.2f} {:.2f}", axes.x.at(point->x), axes.y.at(point->low));
  }
  return fmt::format(R"(<path class="band fill{}" d="{}Z"/>)", color, path);
}

std::string line_svg(const Line& line, const PlotAxes& axes, std::size_t index) {
  const std::size_t color = index % plot_shapes;
  std::string svg = band_of(line, axes, color);
  svg += fmt::format(R"(<path class="curve line{}" stroke-dasharray="{}" d="{}"/>)", color, plot_dashes(index),
                     path_of(line, axes));
  for (const LinePoint& point : line.points) {
    svg += plot_mark(color, axes.x.at(point.x), axes.y.at(point.y),
                     fmt::format(R"( data-x-key="{}" data-y-key="{}")", escaped(point.x_key), escaped(point.y_key)));
  }
  return svg + "\n";
}

}  // namespace

std::string line_chart(const ChartText& text, const std::vector<Line>& lines, const std::string& x_name,
                       const std::string& y_name) {
  const std::vector<Line> drawn = drawable_lines(lines);
  if (drawn.empty()) return {};
  const PlotAxes axes = axes_of(drawn);
  std::vector<PlotEntry> entries;
  for (const Line& line : drawn) entries.push_back({line.name, line.label});
  const PlotLegend names = plot_legend(entries, true);
  std::string svg = svg_open(text, chart_width, plot_legend_top + names.height - 8,
                             fmt::format(R"( data-lines data-y-logarithmic="{}")", axes.y.logarithmic));
  svg += plot_frame(axes, x_name, y_name);
  for (std::size_t i = drawn.size(); i-- > 0;) svg += line_svg(drawn[i], axes, i);
  return svg + names.svg + "</svg>\n";
}

}  // namespace waferline::report
