#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html/svg.hpp"

namespace waferline::report {
namespace {

constexpr double plot_left = 4;
constexpr double plot_right = chart_width - 12;
constexpr double bar_height = 10;
constexpr double gap = 7;
constexpr int most_ticks = 6;

/// The axis of bars: from 0, or from a little below the smallest one where it is logarithmic.
Scale bar_scale(const std::vector<Bar>& bars, double unit, bool logarithmic) {
  Scale scale{0, 0, plot_left, plot_right, logarithmic};
  for (const Bar& bar : bars) {
    for (const double number : {bar.end, bar.high.value_or(bar.end), bar.low.value_or(bar.end)}) {
      const double value = number / unit;
      scale.high = std::max(scale.high, value);
      if (logarithmic && value > 0) scale.low = scale.low == 0 ? value : std::min(scale.low, value);
    }
  }
  if (logarithmic && scale.low > 0) scale.low = std::pow(10.0, std::floor(std::log10(scale.low) - 0.05));
  if (scale.high <= scale.low) scale.high = scale.low + 1;
  scale.logarithmic = logarithmic && scale.low > 0;
  return scale;
}

std::string number_markup(const Shown& number, const std::string& id) {
  return fmt::format(R"(<tspan id="{}"{}>{}</tspan>)", escaped(id), data_attributes(number), escaped(number.text));
}

/// A label with its number at the right end, below it where there is no room beside it. Moves `y` under both.
std::string labelled(const WrappedLabel& label, const std::string& number, const std::string& number_text, double& y) {
  constexpr double apart = 10;
  const bool below = label.last_line_width() + apart + text_width(number_text) > plot_right - plot_left;
  const double first = y + 12;
  y += label.height() + (below ? line_height : 0);
  return svg_text(plot_left, first, label.markup(plot_left), "start", "") +
         svg_text(plot_right, y - line_height + 12, number, "end", "");
}

WrappedLabel bar_label(const Quoted& name, const std::string& label) {
  return WrappedLabel(name, label, plot_right - plot_left);
}

std::string whisker(double from, double to, double y) {
  return fmt::format(R"(<path class="whisker" d="M{0:.2f} {2:.2f}v6M{0:.2f} {3:.2f}H{1:.2f}M{1:.2f} {2:.2f}v6"/>)",
                     from, to, y + 2, y + 5);
}

std::string bar_svg(const Bar& bar, const Scale& scale, double unit, double y, const std::string& id) {
  const double from = scale.logarithmic ? scale.from : scale.at(bar.start / unit);
  const double to = scale.logarithmic && bar.end <= 0 ? scale.from : scale.at(bar.end / unit);
  std::string svg = fmt::format(
      R"(<rect class="fill{}" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:g}" rx="1" data-start="{}" data-ends="{}"/>)",
      bar.color, std::min(from, to), y, std::max(1.0, std::abs(to - from)), bar_height, bar.start, escaped(id));
  if (bar.low && bar.high && *bar.low > 0) svg += whisker(scale.at(*bar.low / unit), scale.at(*bar.high / unit), y);
  return svg + "\n";
}

/// Grid, axis and its name behind what is drawn from 0 to `bottom`, and the frame around both.
std::string framed(const ChartText& text, const Scale& scale, const AxisUnit& unit, double bottom,
                   const std::string& drawn) {
  const std::vector<double> ticks = scale.logarithmic ? logarithmic_ticks(scale.low, scale.high, most_ticks)
                                                      : linear_ticks(scale.low, scale.high, most_ticks);
  return svg_open(text, chart_width, bottom + 2 * line_height + 4,
                  fmt::format(R"( data-unit="{}" data-logarithmic="{}")", unit.size, scale.logarithmic)) +
         horizontal_ticks(scale, ticks, 0, bottom) + svg_line("axis", scale.from, bottom, scale.to, bottom) + drawn +
         svg_text(scale.to, bottom + 2 * line_height - 1,
                  escaped(unit.name + (scale.logarithmic ? ", logarithmic" : "")), "end", " class=\"soft\"") +
         "</svg>\n";
}

/// From 0 where that is near enough, else from a little below the smallest one.
Scale range_scale(const std::vector<Range>& ranges, double at, double unit) {
  double low = at;
  double high = at;
  for (const Range& range : ranges) {
    low = std::min({low, range.low.value, range.high.value});
    high = std::max({high, range.low.value, range.high.value});
  }
  const double margin = 0.08 * (high - low);
  Scale scale{low - margin < 0.3 * high ? std::min(0.0, low) : low - margin, high + margin, plot_left, plot_right,
              false};
  scale.low /= unit;
  scale.high /= unit;
  if (scale.high <= scale.low) scale.high = scale.low + 1;
  return scale;
}

}  // namespace

std::string bar_chart(const ChartText& text, const std::vector<Bar>& bars, const AxisUnit& unit, bool logarithmic) {
  if (bars.empty()) return {};
  const Scale scale = bar_scale(bars, unit.size, logarithmic);
  std::string drawn;
  double y = 0;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const std::string id = fmt::format("{}-{}", text.id, i);
    drawn += labelled(bar_label(bar.name, bar.label), number_markup(bar.number, id), bar.number.text, y);
    y += 2;
    drawn += bar_svg(bar, scale, unit.size, y, id);
    y += bar_height + gap;
  }
  return framed(text, scale, unit, y, drawn);
}

std::string range_chart(const ChartText& text, const std::vector<Range>& ranges, double at, const AxisUnit& unit) {
  if (ranges.empty()) return {};
  const Scale scale = range_scale(ranges, at, unit.size);
  std::string drawn;
  double y = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Range& range = ranges[i];
    const std::string id = fmt::format("{}-{}", text.id, i);
    drawn += labelled(bar_label(range.name, ""),
                      number_markup(range.low, id + "-low") + " to " + number_markup(range.high, id + "-high"),
                      range.low.text + " to " + range.high.text, y);
    y += 2;
    const double from = scale.at(range.low.value / unit.size);
    const double to = scale.at(range.high.value / unit.size);
    drawn += fmt::format(
        R"(<rect class="fill0" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:g}" rx="1" data-from="{}" data-to="{}"/>)",
        std::min(from, to), y, std::max(1.0, std::abs(to - from)), bar_height, escaped(id + "-low"),
        escaped(id + "-high"));
    drawn += svg_line("result", scale.at(at / unit.size), y - 2, scale.at(at / unit.size), y + bar_height + 2) + "\n";
    y += bar_height + gap;
  }
  return framed(text, scale, unit, y, drawn);
}

}  // namespace waferline::report
