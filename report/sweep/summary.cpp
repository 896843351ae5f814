#include "report/sweep/summary.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/json_parts.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t fitting(const SweepSummary& sweep) {
  std::int64_t fit = 0;
  for (const SweptModel& model : sweep.models) fit += model.fit;
  return fit;
}

Json best_json(const std::optional<BestRow>& best) {
  if (!best) return nullptr;
  return {{"row", best->row}, {"tokens_per_s", best->tokens_per_s}};
}

}  // namespace

Lines sweep_text(const SweepSummary& sweep, const Page& page) {
  Lines lines;
  const std::string before =
      sweep.continued_from == 0 ? "" : fmt::format(", {} of them from before", count_text(sweep.continued_from));
  append(lines, wrapped(fmt::format("{} points{}, {} of which fit: {}", count_text(sweep.points), before,
                                    count_text(fitting(sweep)), sweep.file),
                        page.width));
  lines.emplace_back();
  Table table({{"model"},
               {"points", Align::right},
               {"fit", Align::right},
               {"one user, tokens/s", Align::right},
               {"row", Align::right},
               {"all users", Align::right},
               {"row", Align::right}});
  for (const SweptModel& model : sweep.models) {
    std::vector<std::string> cells{model.model, count_text(model.points), count_text(model.fit)};
    for (const std::optional<BestRow>& best : {model.fastest, model.busiest}) {
      cells.push_back(best ? rate_text(best->tokens_per_s) : "-");
      cells.push_back(best ? count_text(best->row) : "-");
    }
    table.add(std::move(cells));
  }
  append(lines, table.lines(page));
  append(lines, wrapped("Fastest rows: for one user, and over all users with every stage busy.", page.width, 2));
  return lines;
}

std::string sweep_json(const SweepSummary& sweep) {
  Json json = document();
  json["file"] = sweep.file;
  json["points"] = sweep.points;
  json["fit"] = fitting(sweep);
  json["continued_from"] = sweep.continued_from;
  json["models"] = Json::array();
  for (const SweptModel& model : sweep.models) {
    json["models"].push_back({{"model", model.model},
                              {"points", model.points},
                              {"fit", model.fit},
                              {"fastest", best_json(model.fastest)},
                              {"busiest", best_json(model.busiest)}});
  }
  return dumped(json);
}

}  // namespace waferline::report
