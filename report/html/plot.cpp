#include "report/html/plot.hpp"

#include <fmt/format.h>

#include <array>

namespace waferline::report {
namespace {

constexpr int most_ticks = 7;
constexpr std::array<const char*, plot_shapes> dashes{"", "6 3", "2 3", "8 3 2 3"};

std::string axis_name(const std::string& name, const Scale& scale) {
  return escaped(name + (scale.logarithmic ? ", logarithmic" : ""));
}

std::vector<double> ticks_of(const Scale& scale, int most) {
  return scale.logarithmic ? logarithmic_ticks(scale.low, scale.high, most) : linear_ticks(scale.low, scale.high, most);
}

}  // namespace

std::string vertical_axis(const Scale& y, const std::string& y_name) {
  std::string svg;
  for (const double tick : ticks_of(y, y.logarithmic ? most_ticks : most_ticks - 1)) {
    const double at = y.at(tick);
    svg += svg_line("grid", plot_left, at, plot_right, at);
    svg += svg_text(plot_left - 5, at + 4, tick_text(tick), "end",
                    fmt::format(R"( class="soft tick" data-y="{:.2f}")", at));
  }
  return svg + svg_text(4, 12, axis_name(y_name, y), "start", " class=\"soft\"");
}

std::string plot_frame(const PlotAxes& axes, const std::string& x_name, const std::string& y_name) {
  std::string svg = vertical_axis(axes.y, y_name);
  svg += horizontal_ticks(axes.x, ticks_of(axes.x, most_ticks), plot_top, plot_bottom);
  svg += svg_line("axis", plot_left, plot_bottom, plot_right, plot_bottom);
  svg += svg_text(plot_right, plot_bottom + 2 * line_height, axis_name(x_name, axes.x), "end", " class=\"soft\"");
  return svg + "\n";
}

std::string plot_mark(std::size_t shape, double x, double y, const std::string& attributes) {
  switch (shape % plot_shapes) {
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

const char* plot_dashes(std::size_t series) {
  return dashes.at(series % plot_shapes);
}

PlotLegend plot_legend(const std::vector<PlotEntry>& entries, bool lines) {
  PlotLegend legend;
  constexpr double text_left = plot_left + 34;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double y = plot_legend_top + legend.height;
    if (lines) {
      legend.svg += fmt::format(R"(<path class="curve line{0}" stroke-dasharray="{1}" d="M{2:.2f} {3:.2f}h26"/>)",
                                i % plot_shapes, plot_dashes(i), plot_left, y - 4);
    }
    legend.svg += plot_mark(i, plot_left + 13, y - 4, "");
    const WrappedLabel label(entries[i].name, entries[i].label, plot_right - text_left);
    legend.svg += svg_text(text_left, y, label.markup(text_left), "start", "");
    legend.height += label.height() + 2;
  }
  return legend;
}

}  // namespace waferline::report
