#include <fmt/format.h>

#include <algorithm>

#include "report/html/plot.hpp"

namespace waferline::report {
namespace {

constexpr double most_times_for_linear = 8;

/// Logarithmic where the values lie far apart; with a margin at both ends, so that no mark lies on the frame.
Scale scale_of(const std::vector<double>& values, double from, double to) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least > 0 && *most > most_times_for_linear * *least) return {*least / 1.25, *most * 1.25, from, to, true};
  const double margin = *most > *least ? 0.1 * (*most - *least) : 0.1 * *most;
  // From 0 where that costs little room, since lengths are compared before numbers are read.
  const double low = *least < 0.5 * *most ? 0 : *least - margin;
  return {low, *most + margin, from, to, false};
}

PlotAxes axes_of(const std::vector<ScatterGroup>& groups, const AxisUnit& x_unit, const AxisUnit& y_unit) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const ScatterGroup& group : groups) {
    for (const ScatterPoint& point : group.points) {
      xs.push_back(point.x.value / x_unit.size);
      ys.push_back(point.y.value / y_unit.size);
    }
  }
  return {scale_of(xs, plot_left, plot_right), scale_of(ys, plot_bottom, plot_top)};
}

/// Numbers beside marks, each where it covers no other number and no mark; those without such a place are left out.
class Labels {
 public:
  explicit Labels(std::vector<std::pair<double, double>> marks) : marks_(std::move(marks)) {}

  std::string place(double x, double y, const Shown& number) {
    const double width = text_width(number.text);
    for (const auto& [left, baseline] : {std::pair{x + 6, y - 4}, std::pair{x - 6 - width, y - 4},
                                         std::pair{x + 6, y + 13}, std::pair{x - 6 - width, y + 13}}) {
      const Box box{left, left + width, baseline - 11, baseline + 2};
      if (!free(box)) continue;
      taken_.push_back(box);
      return svg_text(left, baseline, fmt::format("<tspan{}>{}</tspan>", data_attributes(number), escaped(number.text)),
                      "start", " class=\"soft\"");
    }
    return {};
  }

 private:
  struct Box {
    double left = 0;
    double right = 0;
    double top = 0;
    double bottom = 0;
  };
  bool free(const Box& box) const {
    if (box.left < plot_left || box.right > plot_right || box.top < plot_top - 6 || box.bottom > plot_bottom) {
      return false;
    }
    const auto covers = [&](const auto& mark) {
      return mark.first > box.left - 4 && mark.first < box.right + 4 && mark.second > box.top - 4 &&
             mark.second < box.bottom + 4;
    };
    const auto overlaps = [&](const Box& other) {
      return box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom;
    };
    return std::none_of(marks_.begin(), marks_.end(), covers) && std::none_of(taken_.begin(), taken_.end(), overlaps);
  }

  std::vector<std::pair<double, double>> marks_;
  std::vector<Box> taken_;
};

}  // namespace

std::string scatter_chart(const ChartText& text, const std::vector<ScatterGroup>& groups, const AxisUnit& x_unit,
                          const AxisUnit& y_unit) {
  if (groups.empty()) return {};
  const PlotAxes axes = axes_of(groups, x_unit, y_unit);
  const auto place = [&](const ScatterPoint& point) {
    return std::pair{axes.x.at(point.x.value / x_unit.size), axes.y.at(point.y.value / y_unit.size)};
  };
  std::vector<std::pair<double, double>> marks;
  std::vector<PlotEntry> entries;
  for (const ScatterGroup& group : groups) {
    entries.push_back({{}, group.name});
    for (const ScatterPoint& point : group.points) marks.push_back(place(point));
  }
  Labels labels(std::move(marks));
  const PlotLegend names = plot_legend(entries, false);
  std::string svg =
      svg_open(text, chart_width, plot_legend_top + names.height - 8,
               fmt::format(
                   R"( data-lines data-x-logarithmic="{}" data-y-logarithmic="{}" data-x-unit="{}" data-y-unit="{}")",
                   axes.x.logarithmic, axes.y.logarithmic, x_unit.size, y_unit.size)) +
      plot_frame(axes, x_unit.name, y_unit.name);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const ScatterPoint& point : groups[i].points) {
      const auto [x, y] = place(point);
      svg += plot_mark(i, x, y,
                       fmt::format(R"( data-x-key="{}" data-y-key="{}")", escaped(point.x.key), escaped(point.y.key)));
      svg += labels.place(x, y, point.label) + "\n";
    }
  }
  return svg + names.svg + "</svg>\n";
}

}  // namespace waferline::report
