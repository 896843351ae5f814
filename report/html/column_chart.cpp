#include <fmt/format.h>

#include <algorithm>

#include "report/html/plot.hpp"

namespace waferline::report {
namespace {

/// Gap between columns that are wide enough to spare one.
double gap_of(double pitch) {
  return pitch > 4 ? 1 : pitch > 2 ? 0.4 : 0;
}

}  // namespace

std::string column_chart(const ChartText& text, const std::vector<Column>& columns, const std::string& x_name,
                         const AxisUnit& unit) {
  if (columns.empty()) return {};
  double highest = 0;
  for (const Column& column : columns) highest = std::max(highest, column.number.value / unit.size);
  if (highest <= 0) return {};
  const double pitch = (plot_right - plot_left) / static_cast<double>(columns.size());
  const PlotAxes axes{
      {0, static_cast<double>(columns.size() - 1), plot_left + pitch / 2, plot_right - pitch / 2, false},
      {0, highest * 1.05, plot_bottom, plot_top, false}};
  std::string svg = svg_open(text, chart_width, plot_bottom + 2 * line_height + 6,
                             fmt::format(R"( data-columns data-y-unit="{}")", unit.size)) +
                    vertical_axis(axes.y, unit.name);
  const double gap = gap_of(pitch);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const double top = axes.y.at(columns[i].number.value / unit.size);
    svg +=
        fmt::format(R"(<rect class="fill{}" data-column="{}" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"/>)",
                    columns[i].color, escaped(columns[i].number.key),
                    plot_left + static_cast<double>(i) * pitch + gap / 2, top, pitch - gap, plot_bottom - top);
  }
  std::vector<double> ticks;
  for (const double tick : linear_ticks(0, axes.x.high, 7)) {
    if (tick == static_cast<double>(static_cast<std::int64_t>(tick))) ticks.push_back(tick);
  }
  svg += svg_line("axis", plot_left, plot_bottom, plot_right, plot_bottom) +
         horizontal_ticks(axes.x, ticks, plot_bottom, plot_bottom + 3) +
         svg_text(plot_right, plot_bottom + 2 * line_height + 2, escaped(x_name), "end", " class=\"soft\"");
  return svg + "</svg>\n";
}

}  // namespace waferline::report
