#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/html/chart.hpp"
#include "report/html/estimate_page.hpp"
#include "report/html/placement_page.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using estimate::ParetoPoint;
using mapping::Objective;

constexpr std::size_t most_rows = 12;

std::string defects_table(const Defects& defects) {
  if (defects.empty()) return {};
  HtmlTable table{"Defects of every wafer", {"what", "row", "column"}, {}, {false, true, true}};
  const auto number = [](const std::string& key, std::int64_t value) { return shown(shown_count(key, value)); };
  for (std::size_t i = 0; i < defects.rows.size(); ++i) {
    table.rows.push_back({"a row", number(fmt::format("/page/defects/rows/{}", i), defects.rows[i]), "all"});
  }
  for (std::size_t i = 0; i < defects.cols.size(); ++i) {
    table.rows.push_back({"a column", "all", number(fmt::format("/page/defects/cols/{}", i), defects.cols[i])});
  }
  for (std::size_t i = 0; i < defects.pes.size(); ++i) {
    const std::string key = fmt::format("/page/defects/pes/{}", i);
    table.rows.push_back({"a PE", number(key + "/row", defects.pes[i].row), number(key + "/col", defects.pes[i].col)});
  }
  table.tall = table.rows.size() > most_rows;
  return table_html(table);
}

/// One chart of the front; `key` is the number's name in the document, `value` the number.
template <typename Value>
std::string front_chart(const PlacementAnswer& answer, const ChartText& text, const char* key, const AxisUnit& unit,
                        const Value& value) {
  std::vector<ScatterGroup> groups;
  for (const Objective objective : {Objective::latency, Objective::throughput, Objective::users}) {
    ScatterGroup group{"found under " + std::string(name(objective)), {}};
    for (std::size_t i = 0; i < answer.front.size(); ++i) {
      const ParetoPoint& point = answer.front[i];
      if (point.objective != objective) continue;
      const std::string entry = fmt::format("/pareto/{}", i);
      group.points.push_back({shown_time(entry + "/tpot_s", point.tpot), value(fmt::format("{}/{}", entry, key), point),
                              shown_count(entry + "/wafers", point.wafers)});
    }
    if (!group.points.empty()) groups.push_back(std::move(group));
  }
  return scatter_chart(text, groups, {"time per token, microseconds", 1e-6}, unit);
}

HtmlTable front_table(const PlacementAnswer& answer) {
  HtmlTable table{"Placements that no other betters in all of time, tokens/s of all users, users and wafers",
                  {"found under", "wafers", "time per token", "tokens/s, all users", "users that fit", "regions"},
                  {},
                  {false, true, true, true, true, true},
                  answer.front.size() > most_rows};
  for (std::size_t i = 0; i < answer.front.size(); ++i) {
    const ParetoPoint& point = answer.front[i];
    const std::string key = fmt::format("/pareto/{}", i);
    table.rows.push_back(
        {quoted({key + "/objective", std::string(name(point.objective))}),
         shown(shown_count(key + "/wafers", point.wafers)), shown(shown_time(key + "/tpot_s", point.tpot)),
         shown(shown_rate(key + "/pipelined_tokens_per_s", point.pipelined_tokens_per_s)),
         shown(shown_count(key + "/max_users", point.max_users)), shown(shown_count(key + "/regions", point.regions))});
  }
  return table;
}

}  // namespace

WaferMap placement_map(const PlacementAnswer& answer) {
  return {answer.decode.placement, answer.wafer.usable(), "/regions", &answer.wafer.defects, true};
}

std::string regions_section(const PlacementAnswer& answer) {
  const WaferMap map = placement_map(answer);
  const Defects& defects = answer.wafer.defects;
  const std::string text = paragraph_html(
      std::string("Numbers in the map are layers; fainter regions come earlier on the way of a token. Embedding and "
                  "output head have colours of their own. The bar along the lower edge of a region is the share of its "
                  "room for caches that is in use.") +
      (defects.empty() ? "" : " Lines and dots in the colour of the text are defects, which no region may cover."));
  const std::string tables = region_table(map) + defects_table(defects);
  return section_html(
      "regions", "Where the model lies",
      text + (answer.decode.placement.wafers == 1 ? pair_html(wafer_map(map), tables) : wafer_map(map) + tables));
}

std::string front_section(const PlacementAnswer& answer) {
  if (answer.front.empty()) return {};
  const std::string users = front_chart(
      answer,
      {"front-users", "Users that fit against the time of a token", "One mark for each placement of the front."},
      "max_users", {"users that fit"},
      [](std::string key, const ParetoPoint& point) { return shown_count(std::move(key), point.max_users); });
  const std::string rates =
      front_chart(answer,
                  {"front-rates", "Tokens per second over all users against the time of a token",
                   "One mark for each placement of the front."},
                  "pipelined_tokens_per_s", {"tokens/s over all users"}, [](std::string key, const ParetoPoint& point) {
                    return shown_rate(std::move(key), point.pipelined_tokens_per_s);
                  });
  return section_html("front", "What can be traded",
                      paragraph_html("Each mark is a placement that no other betters in all of time, tokens/s, users "
                                     "and wafers; the number beside it is its wafers.") +
                          pair_html(figure_html("Users", users), figure_html("Tokens per second", rates)) +
                          table_html(front_table(answer)));
}

}  // namespace waferline::report
