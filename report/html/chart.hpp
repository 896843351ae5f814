#pragma once
// Charts as SVG text: scales, ticks, bars and lines. Pure functions; colours come from the page's style, and shape or
// dash tells series apart too.

#include <optional>
#include <string>
#include <vector>

#include "report/html/markup.hpp"

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

/// Powers of ten within [low, high], every second or third where they would be more than `most`; with 2 to 9, or
/// 2 and 5, or 3 times them where they fit. Nothing if low is not positive, or as linear_ticks.
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

/// The unit of an axis; `size` is in the document's unit: 1e-6 for microseconds where the document has seconds.
struct AxisUnit {
  std::string name;
  double size = 1;
};

/// One bar from `start` to `end`, in the document's unit, with a band if known. Where it begins at 0 its number is its
/// end, else its length.
struct Bar {
  Quoted name;
  std::string label;  ///< what follows the name
  Shown number;
  double start = 0;
  double end = 0;
  std::optional<double> low;
  std::optional<double> high;
  int color = 0;  ///< 0 to 3
};

/// Horizontal bars, label and value above each; long labels wrap. Logarithmic if asked for; bars then start at the
/// axis. Empty text for no bars.
std::string bar_chart(const ChartText& text, const std::vector<Bar>& bars, const AxisUnit& unit, bool logarithmic);

/// What one input does to a result: from `low` to `high`, which may be in either order.
struct Range {
  Quoted name;
  Shown low;
  Shown high;
};

/// Horizontal bars from low to high around a line at `at`, the result itself. Linear. Empty text for no ranges.
std::string range_chart(const ChartText& text, const std::vector<Range>& ranges, double at, const AxisUnit& unit);

/// A point with the JSON pointers of its two numbers.
struct LinePoint {
  double x = 0;
  double y = 0;
  double low = 0;  ///< band; equal to `y` for none
  double high = 0;
  std::string x_key;
  std::string y_key;
};

struct Line {
  Quoted name;
  std::string label;              ///< what follows the name
  std::vector<LinePoint> points;  ///< by rising x
};

/// Lines over a logarithmic x axis; y is logarithmic where it spans more than 1.5 decades and starts at 0 otherwise. A
/// single point is drawn as a mark. Points that are not positive and finite are left out; empty text if none is left.
std::string line_chart(const ChartText& text, const std::vector<Line>& lines, const std::string& x_name,
                       const std::string& y_name);

/// A mark at two numbers, with a third beside it where there is room.
struct ScatterPoint {
  Shown x;
  Shown y;
  Shown label;
};

struct ScatterGroup {
  std::string name;
  std::vector<ScatterPoint> points;  ///< at least one, with positive numbers
};

/// Marks over two axes, each logarithmic where its numbers lie far apart; up to four groups are told apart by shape and
/// colour. Empty text for no groups.
std::string scatter_chart(const ChartText& text, const std::vector<ScatterGroup>& groups, const AxisUnit& x_unit,
                          const AxisUnit& y_unit);

struct Column {
  Shown number;
  int color = 0;  ///< 0 to 3
};

/// Columns from 0 beside each other, counted from 0 along the horizontal axis. Empty text if none is above 0.
std::string column_chart(const ChartText& text, const std::vector<Column>& columns, const std::string& x_name,
                         const AxisUnit& unit);

}  // namespace waferline::report
