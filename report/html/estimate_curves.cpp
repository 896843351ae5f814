#include <fmt/format.h>

#include "report/html/chart.hpp"
#include "report/html/estimate_page.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using namespace estimate;

std::string point_key(bool over_users, std::size_t point) {
  return fmt::format("/page/{}/{}", over_users ? "over_users" : "over_context", point);
}

std::vector<Line> lines_of(const EstimateAnswer& answer, const std::vector<SeriesPoint>& points, bool over_users) {
  std::vector<Line> lines(1 + answer.gpus.size());
  lines[0].name = quoted_system(answer);
  lines[0].label = ", with its band";
  for (std::size_t i = 0; i < answer.gpus.size(); ++i) lines[i + 1].name = quoted_gpu(answer, i);
  for (std::size_t p = 0; p < points.size(); ++p) {
    const SeriesPoint& point = points[p];
    const std::string key = point_key(over_users, p);
    const double x = static_cast<double>(over_users ? point.users : point.context_tokens);
    const std::string x_key = key + (over_users ? "/users" : "/context_tokens");
    lines[0].points.push_back({x, point.tokens_per_s.expected, point.tokens_per_s.low, point.tokens_per_s.high, x_key,
                               key + "/tokens_per_s/expected"});
    for (std::size_t i = 0; i < point.gpus.size(); ++i) {
      if (!point.gpus[i]) continue;
      const double y = *point.gpus[i];
      lines[i + 1].points.push_back({x, y, y, y, x_key, fmt::format("{}/gpu_tokens_per_s/{}", key, i)});
    }
  }
  return lines;
}

HtmlTable series_table(const EstimateAnswer& answer, const std::vector<SeriesPoint>& points, bool over_users) {
  HtmlTable table;
  table.caption = over_users ? "Tokens per second against users" : "Tokens per second against context";
  table.headings = {over_users ? "users" : "context", "slow end", "expected", "fast end"};
  if (over_users) table.headings.emplace_back("all users, pipeline full");
  for (std::size_t g = 0; g < answer.gpus.size(); ++g) table.headings.push_back(quoted(quoted_gpu(answer, g)));
  table.numeric.assign(table.headings.size(), true);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SeriesPoint& point = points[i];
    const std::string key = point_key(over_users, i);
    std::vector<std::string> row{shown(over_users ? shown_count(key + "/users", point.users)
                                                  : shown_count(key + "/context_tokens", point.context_tokens)),
                                 shown(shown_rate(key + "/tokens_per_s/low", point.tokens_per_s.low)),
                                 shown(shown_rate(key + "/tokens_per_s/expected", point.tokens_per_s.expected)),
                                 shown(shown_rate(key + "/tokens_per_s/high", point.tokens_per_s.high))};
    if (over_users) row.push_back(shown(shown_rate(key + "/pipelined_tokens_per_s", point.pipelined_tokens_per_s)));
    for (std::size_t g = 0; g < point.gpus.size(); ++g) {
      row.push_back(point.gpus[g] ? shown(shown_rate(fmt::format("{}/gpu_tokens_per_s/{}", key, g), *point.gpus[g]))
                                  : "no room");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string curve(const EstimateAnswer& answer, const std::vector<SeriesPoint>& points, bool over_users) {
  const std::string name = over_users ? "users whose tokens pass together" : "context in tokens";
  const ChartText text{over_users ? "users-curve" : "context-curve",
                       over_users ? "Tokens per second against users" : "Tokens per second against context",
                       "One line for the wafer with its band and one for each GPU system; the table beneath holds the "
                       "numbers."};
  const std::string svg = line_chart(text, lines_of(answer, points, over_users), name, "tokens/s of one user");
  return figure_html(over_users ? "Against users" : "Against context", svg) +
         table_html(series_table(answer, points, over_users));
}

}  // namespace

std::string series_section(const EstimateAnswer& answer) {
  const DecodeRequest& request = answer.decode.request;
  const mapping::Placement& placement = answer.decode.placement;
  const std::string computed = fmt::format(
      "<p>Each mark is an estimate of its own, with the placement searched anew on {} wafer{}: against context at {} "
      "user{}, against users at {} tokens of context. The lines between the marks are not computed.</p>\n",
      shown(shown_count("/wafer/wafers", placement.wafers)), placement.wafers == 1 ? "" : "s",
      shown(shown_count("/inputs/batch", request.batch)), request.batch == 1 ? "" : "s",
      shown(shown_count("/inputs/context_tokens", request.context_tokens)));
  return section_html("curves", "At other contexts and with more users",
                      computed + pair_html(curve(answer, answer.series->over_context, false),
                                           curve(answer, answer.series->over_users, true)));
}

}  // namespace waferline::report
