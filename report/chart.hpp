#pragma once
// Charts as SVG text: scales, ticks, bars and lines. Pure functions; colours come from the page's style, and shape or
// dash tells series apart too.

#include <optional>
#include <string>
#include <vector>

#include "report/html.hpp"

namespace waferline::report {

/// From values to places. Precondition of a logarithmic one: low > 0.
struct Scale {
  double low = 0;
  double high = 1;
  double from = 0;  ///< place of `low`
  double to = 1;    ///< place of `high`
  bool logarithmic = false;
  double at(double value) const;
};

/// Round numbers (1, 2 or 5 times a power of ten) within [low, high], at most `most` and as many as fit; one value if
/// low equals high. Nothing if a limit is not finite, low > high or most < 1.
std::vector<double> linear_ticks(double low, double high, int most);

/// Powers of ten within [low, high], every second or third where they would be more than `most`; with 2 and 5 times
/// them where they fit. Nothing if low is not positive, or as linear_ticks.
std::vector<double> logarithmic_ticks(double low, double high, int most);

/// "1", "250", "10k", "2M", "0.05", "1e-9": short enough for an axis.
std::string tick_text(double value);

/// True if positive values span more than `decades` powers of ten, so that a linear axis would hide the small ones.
bool spans_decades(const std::vector<double>& values, double decades);

/// What a screen reader says of a chart; ids must differ within a page.
struct ChartText {
  std::string id;
  std::string title;
  std::string description;
};

/// One bar from `start` to `number.value` (or `end`, where the bar stands for a difference), with a band if known.
struct Bar {
  std::string label;
  Shown number;
  double start = 0;
  double end = 0;
  std::optional<double> low;
  std::optional<double> high;
  int color = 0;  ///< 0 to 3
};

/// Horizontal bars, label and value above each. Logarithmic if asked for; bars then start at the axis.
/// Empty text for no bars.
std::string bar_chart(const ChartText& text, const std::vector<Bar>& bars, const std::string& unit, bool logarithmic);

struct LinePoint {
  double x = 0;
  double y = 0;
  double low = 0;  ///< band; equal to `y` for none
  double high = 0;
};

struct Line {
  std::string name;
  std::vector<LinePoint> points;  ///< by rising x
};

/// Lines over a logarithmic x axis; y is logarithmic where it spans more than 1.5 decades and starts at 0 otherwise. A
/// single point is drawn as a mark. Points that are not positive and finite are left out; empty text if none is left.
std::string line_chart(const ChartText& text, const std::vector<Line>& lines, const std::string& x_name,
                       const std::string& y_name);

}  // namespace waferline::report
