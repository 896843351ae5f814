#pragma once
// Elements that all charts use. For the .cpp files of report/.

#include <string>
#include <string_view>
#include <vector>

#include "report/html/chart.hpp"

namespace waferline::report {

constexpr double chart_width = 360;
constexpr double line_height = 15;

/// Opens an `<svg role="img">` with its title and description. `attributes` starts with a space or is empty.
std::string svg_open(const ChartText& text, double width, double height, const std::string& attributes);

/// `attributes` starts with a space or is empty; `anchor` is start, middle or end; `content` is markup.
std::string svg_text(double x, double y, const std::string& content, const char* anchor, const std::string& attributes);

std::string svg_line(const char* style, double x1, double y1, double x2, double y2);

/// Numbers along a horizontal axis at height `y`, with lines of the grid from `top` to `bottom`.
std::string horizontal_ticks(const Scale& scale, const std::vector<double>& ticks, double top, double bottom);

/// Upper limit of the width that a text takes in a chart, in a wide font. UTF-8.
double text_width(std::string_view text);

/// The text cut into lines of at most `width`, after spaces where there are any. Joined they are the text. UTF-8.
std::vector<std::string> wrapped(std::string_view text, double width);

/// A label over as many lines as it needs: a name, and what follows it.
class WrappedLabel {
 public:
  WrappedLabel(const Quoted& name, const std::string& label, double width);
  double height() const { return line_height * static_cast<double>(lines_.size()); }
  double last_line_width() const { return text_width(lines_.back()) + text_width(label_); }
  /// Content of a `<text>` that begins at `left`.
  std::string markup(double left) const;

 private:
  Quoted name_;
  std::string label_;
  std::vector<std::string> lines_;
};

}  // namespace waferline::report
