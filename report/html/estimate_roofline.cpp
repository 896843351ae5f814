#include <fmt/format.h>

#include <algorithm>

#include "report/html/chart.hpp"
#include "report/html/estimate_page.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

/// Points of one curve: which list of the document, what its axis counts.
struct Curve {
  const std::vector<SeriesPoint>& points;
  const char* list;
  const char* axis;  ///< key of the count along the axis
  const char* name;  ///< of the axis

  std::string key(std::size_t point) const { return fmt::format("/page/{}/{}", list, point); }
  std::string count_key(std::size_t point) const { return fmt::format("{}/{}", key(point), axis); }
  std::string rate_key(std::size_t point, const RoofRate& rate) const {
    return key(point) + "/roof_tokens_per_s" + pointer_step(rate.name);
  }
};

std::string label_of(const RoofRate& rate) {
  return rate.name == "estimate" ? "estimate" : "bound: " + spaced(rate.name);
}

/// A bound that is 0 s at one point has no rate there.
const RoofRate* rate_of(const SeriesPoint& point, const std::string& name) {
  const auto same = [&](const RoofRate& rate) { return rate.name == name; };
  const auto found = std::find_if(point.roof.begin(), point.roof.end(), same);
  return found == point.roof.end() ? nullptr : &*found;
}

std::string roof_chart(const Curve& curve, const ChartText& text, std::int64_t SeriesPoint::*count) {
  std::vector<Line> lines;
  for (const RoofRate& series : curve.points.front().roof) {
    Line line{{}, label_of(series), {}};
    for (std::size_t p = 0; p < curve.points.size(); ++p) {
      const RoofRate* rate = rate_of(curve.points[p], series.name);
      if (rate == nullptr) continue;
      const double y = rate->tokens_per_s;
      line.points.push_back(
          {static_cast<double>(curve.points[p].*count), y, y, y, curve.count_key(p), curve.rate_key(p, *rate)});
    }
    lines.push_back(std::move(line));
  }
  return line_chart(text, lines, curve.name, "tokens/s of the users in a pass");
}

HtmlTable roof_table(const Curve& curve, const std::string& caption, std::int64_t SeriesPoint::*count) {
  HtmlTable table{caption, {curve.name}, {}, {true}};
  for (const RoofRate& rate : curve.points.front().roof) {
    table.headings.push_back(label_of(rate));
    table.numeric.push_back(true);
  }
  for (std::size_t p = 0; p < curve.points.size(); ++p) {
    std::vector<std::string> row{shown(shown_count(curve.count_key(p), curve.points[p].*count))};
    for (const RoofRate& series : curve.points.front().roof) {
      const RoofRate* rate = rate_of(curve.points[p], series.name);
      row.push_back(rate == nullptr ? "" : shown(shown_rate(curve.rate_key(p, *rate), rate->tokens_per_s)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string roof(const Curve& curve, const ChartText& text, std::int64_t SeriesPoint::*count) {
  if (curve.points.empty()) return {};
  return figure_html(text.title, roof_chart(curve, text, count)) + table_html(roof_table(curve, text.title, count));
}

}  // namespace

std::string roofline_part(const EstimateAnswer& answer) {
  const Curve users{answer.series->over_users, "over_users", "users", "users in a pass"};
  const Curve context{answer.series->over_context, "over_context", "context_tokens", "context in tokens"};
  const char* description =
      "One line for the estimate and one for each bound of the wafer; the table beneath holds the "
      "numbers.";
  return paragraph_html(
             "More users in a pass share each read of the weights, so that more arithmetic stands against each byte: "
             "the roofs of bandwidth rise with them until the caches, which nobody shares, outweigh the weights. A "
             "longer context adds bytes and no tokens. Layer serial and distance are bounds of the placement, which is "
             "searched anew at each mark.") +
         pair_html(roof(users, {"roof-users", "Tokens per second under the bounds, against users", description},
                        &SeriesPoint::users),
                   roof(context, {"roof-context", "Tokens per second under the bounds, against context", description},
                        &SeriesPoint::context_tokens));
}

}  // namespace waferline::report
