#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/html/svg.hpp"

namespace waferline::report {
namespace {

constexpr double plot_left = 44;
constexpr double plot_right = 350;
constexpr double plot_top = 22;
constexpr double plot_bottom = 200;
constexpr double decades_for_logarithmic = 1.5;
constexpr std::array<const char*, 4> dashes{"", "6 3", "2 3", "8 3 2 3"};

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

struct Axes {
  Scale x;
  Scale y;
};

Axes axes_of(const std::vector<Line>& lines) {
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
  Axes axes{{*x_low, *x_high, plot_left, plot_right, true}, {0, *y_high * 1.05, plot_bottom, plot_top, false}};
  if (spans_decades(ys, decades_for_logarithmic)) {
    axes.y.logarithmic = true;
    axes.y.low = *y_low * 0.9;
  }
  return axes;
}

std::string grid(const Axes& axes, const std::string& x_name, const std::string& y_name) {
  std::string svg;
  const std::vector<double> y_ticks =
      axes.y.logarithmic ? logarithmic_ticks(axes.y.low, axes.y.high, 7) : linear_ticks(axes.y.low, axes.y.high, 6);
  for (const double tick : y_ticks) {
    const double y = axes.y.at(tick);
    svg += svg_line("grid", plot_left, y, plot_right, y);
    svg +=
        svg_text(plot_left - 5, y + 4, tick_text(tick), "end", fmt::format(R"( class="soft tick" data-y="{:.2f}")", y));
  }
  svg += horizontal_ticks(axes.x, logarithmic_ticks(axes.x.low, axes.x.high, 7), plot_top, plot_bottom);
  svg += svg_line("axis", plot_left, plot_bottom, plot_right, plot_bottom);
  svg += svg_text(4, 12, escaped(y_name + (axes.y.logarithmic ? ", logarithmic" : "")), "start", " class=\"soft\"");
  svg +=
      svg_text(plot_right, plot_bottom + 2 * line_height, escaped(x_name + ", logarithmic"), "end", " class=\"soft\"");
  return svg + "\n";
}

std::string path_of(const Line& line, const Axes& axes) {
  std::string path;
  for (const LinePoint& point : line.points) {
    path += fmt::format("{}{:.2f} {:.2f}", path.empty() ? "M" : "L", axes.x.at(point.x), axes.y.at(point.y));
  }
  return path;
}

/// The area between the ends of the band; nothing for a line without one.
std::string band_of(const Line& line, const Axes& axes, std::size_t color) {
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

/// `attributes` starts with a space or is empty.
std::string mark(std::size_t shape, double x, double y, const std::string& attributes) {
  switch (shape) {
    case 0:
      return fmt::format(R"(<circle class="fill0" cx="{:.2f}" cy="{:.2f}" r="3.5"{}/>)", x, y, attributes);
    case 1:
      return fmt::format(R"(<rect class="fill1" x="{:.2f}" y="{:.2f}" width="6" height="6"{}/>)", x - 3, y - 3,
                         attributes);
    case 2:
      return fmt::format(R"(<path class="fill2" d="M{:.2f} {:.2f}l4 7h-8z"{}/>)", x, y - 3.5, attributes);
    default:
      return fmt::format(R"(<path class="fill3" d="M{:.2f} {:.2f}l4 4-4 4-4-4z"{}/>)", x, y - 4, attributes);
  }
}

std::string line_svg(const Line& line, const Axes& axes, std::size_t index) {
  const std::size_t color = index % dashes.size();
  std::string svg = band_of(line, axes, color);
  svg += fmt::format(R"(<path class="curve line{}" stroke-dasharray="{}" d="{}"/>)", color, dashes.at(color),
                     path_of(line, axes));
  for (const LinePoint& point : line.points) {
    svg += mark(color, axes.x.at(point.x), axes.y.at(point.y),
                fmt::format(R"( data-x-key="{}" data-y-key="{}")", escaped(point.x_key), escaped(point.y_key)));
  }
  return svg + "\n";
}

struct Legend {
  std::string svg;
  double height = 0;
};

/// One entry a line, long names over several.
Legend legend(const std::vector<Line>& lines, double top) {
  Legend legend;
  constexpr double text_left = plot_left + 34;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t color = i % dashes.size();
    const double y = top + legend.height;
    legend.svg += fmt::format(R"(<path class="curve line{0}" stroke-dasharray="{1}" d="M{2:.2f} {3:.2f}h26"/>)", color,
                              dashes.at(color), plot_left, y - 4);
    legend.svg += mark(color, plot_left + 13, y - 4, "");
    const WrappedLabel label(lines[i].name, lines[i].label, plot_right - text_left);
    legend.svg += svg_text(text_left, y, label.markup(text_left), "start", "");
    legend.height += label.height() + 2;
  }
  return legend;
}

}  // namespace

std::string line_chart(const ChartText& text, const std::vector<Line>& lines, const std::string& x_name,
                       const std::string& y_name) {
  const std::vector<Line> drawn = drawable_lines(lines);
  if (drawn.empty()) return {};
  const Axes axes = axes_of(drawn);
  const double legend_top = plot_bottom + 2 * line_height + 22;
  const Legend names = legend(drawn, legend_top);
  std::string svg = svg_open(text, chart_width, legend_top + names.height - 8,
                             fmt::format(R"( data-lines data-y-logarithmic="{}")", axes.y.logarithmic));
  svg += grid(axes, x_name, y_name);
  for (std::size_t i = drawn.size(); i-- > 0;) svg += line_svg(drawn[i], axes, i);
  return svg + names.svg + "</svg>\n";
}

}  // namespace waferline::report
