#pragma once
// Elements that all charts use. For the .cpp files of this folder.

#include <string>

#include "report/chart.hpp"

namespace waferline::report {

/// Opens an `<svg role="img">` with its title and description.
std::string svg_open(const ChartText& text, double width, double height);

/// `attributes` starts with a space or is empty; `anchor` is start, middle or end.
std::string svg_text(double x, double y, const std::string& text, const char* anchor, const std::string& attributes);

std::string svg_line(const char* style, double x1, double y1, double x2, double y2);

}  // namespace waferline::report
