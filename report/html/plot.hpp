#pragma once
// What plots over two axes share: the frame, marks, the explanation of the marks. For the .cpp files of report/.

#include <string>
#include <vector>

#include "report/html/chart.hpp"
#include "report/html/svg.hpp"

namespace waferline::report {

constexpr double plot_left = 44;
constexpr double plot_right = 350;
constexpr double plot_top = 22;
constexpr double plot_bottom = 200;
/// First baseline beneath the names of the axes.
constexpr double plot_legend_top = plot_bottom + 2 * line_height + 22;

struct PlotAxes {
  Scale x;
  Scale y;
};

/// Grid, ticks, axis, and the names of both axes, to which a logarithmic one adds that it is.
std::string plot_frame(const PlotAxes& axes, const std::string& x_name, const std::string& y_name);

/// The grid and the numbers of the vertical axis, and its name; part of the frame.
std::string vertical_axis(const Scale& y, const std::string& y_name);

/// Series are told apart by the shape of their marks and the dashes of their lines too.
constexpr std::size_t plot_shapes = 4;
/// Circle, square, triangle or diamond around a place, in the colour of its series. `attributes` starts with a space or
/// is empty.
std::string plot_mark(std::size_t shape, double x, double y, const std::string& attributes);
/// `stroke-dasharray` of a series.
const char* plot_dashes(std::size_t series);

/// Name of a series, and what follows the name.
struct PlotEntry {
  Quoted name;
  std::string label;
};

struct PlotLegend {
  std::string svg;
  double height = 0;
};

/// One entry a line beneath the plot, long names over several; with a piece of line behind the mark where there are
/// lines.
PlotLegend plot_legend(const std::vector<PlotEntry>& entries, bool lines);

}  // namespace waferline::report
