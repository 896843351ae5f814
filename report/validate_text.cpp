#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/number.hpp"
#include "report/validate.hpp"

namespace waferline::report {
namespace {

constexpr std::size_t shown_points = 12;

std::string percent(double value) {
  return fmt::format("{:.2f}", value);
}

std::string percent_or_dash(const std::optional<double>& value) {
  return value ? percent(*value) : "-";
}

/// The points with the largest errors first.
std::vector<traces::ValidationPoint> by_error(const traces::ValidationSet& set, bool every_point) {
  std::vector<traces::ValidationPoint> points = set.points;
  if (every_point || points.size() <= shown_points) return points;
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.error_pct) > std::abs(b.error_pct); });
  points.resize(shown_points);
  return points;
}

void append_points(Lines& lines, const traces::ValidationSet& set, const Page& page, bool every_point) {
  if (set.points.empty()) return;
  Table table({{"point", Align::wrap},
               {"split", Align::left},
               {"measured", Align::right},
               {"predicted", Align::right},
               {"unit", Align::left},
               {"error", Align::right}});
  const std::vector<traces::ValidationPoint> points = by_error(set, every_point);
  for (const traces::ValidationPoint& point : points) {
    table.add({point.id, point.split, significant(point.measured, 5), significant(point.predicted, 5), point.unit,
               signed_percent(point.error_pct)});
  }
  append(lines, table.lines(page));
  if (points.size() < set.points.size()) {
    lines.push_back(
        fmt::format("  ... the {} largest errors of {} points; --points shows all", points.size(), set.points.size()));
  }
}

void append_groups(Lines& lines, const traces::ValidationSet& set, const Page& page) {
  if (set.groups.empty()) return;
  Table table({{"part", Align::wrap},
               {"rows", Align::right},
               {"const.", Align::right},
               {"mean %", Align::right},
               {"worst %", Align::right},
               {"held out %", Align::right},
               {"bound %", Align::right}});
  for (const traces::ValidationGroup& group : set.groups) {
    table.add({group.name, count_text(group.rows), count_text(group.constants), percent(group.mean_abs_error_pct),
               percent(group.worst_abs_error_pct), percent_or_dash(group.held_out_mean_abs_error_pct),
               percent_or_dash(group.bound_mean_abs_error_pct)});
  }
  append(lines, table.lines(page));
  lines.emplace_back();
}

/// Rows that were not predicted, one line a reason.
void append_skipped(Lines& lines, const traces::ValidationSet& set, const Page& page) {
  std::map<std::string, std::int64_t> reasons;
  for (const traces::SkippedRow& row : set.skipped) ++reasons[row.reason];
  if (reasons.empty()) return;
  lines.push_back(fmt::format("  {} rows not predicted:", set.skipped.size()));
  constexpr std::size_t most_reasons = 8;
  std::size_t shown = 0;
  for (const auto& [reason, rows] : reasons) {
    if (++shown > most_reasons) {
      lines.push_back(
          fmt::format("    ... and {} more reasons; --json lists every row", reasons.size() - most_reasons));
      break;
    }
    append(lines, wrapped(fmt::format("{} x {}", rows, reason), page.width, 4, 4));
  }
}

}  // namespace

Lines validation_text(std::span<const traces::ValidationSet> sets, const Page& page, bool every_point) {
  Lines lines;
  for (const traces::ValidationSet& set : sets) {
    if (!lines.empty()) lines.emplace_back();
    lines.push_back(set.rows == 0 ? fmt::format("{}: no rows", set.name)
                                  : fmt::format("{}: {} rows, {} fitted constants, mean error {} %, worst {} %",
                                                set.name, set.rows, set.constants, percent(set.mean_abs_error_pct),
                                                percent(set.worst_abs_error_pct)));
    lines.emplace_back();
    append_groups(lines, set, page);
    append_points(lines, set, page, every_point);
    for (const std::string& note : set.notes) append(lines, wrapped(note, page.width, 2, 2));
    append_skipped(lines, set, page);
  }
  return lines;
}

Lines validation_markdown(std::span<const traces::ValidationSet> sets) {
  Lines lines{
      "| measured set | rows | fitted constants | mean error | worst error | left out of the fit | bandwidth bound |",
      "|---|--:|--:|--:|--:|--:|--:|"};
  const auto row = [&](const auto& part, const std::string& name, const std::string& held_out,
                       const std::string& bound) {
    lines.push_back(fmt::format("| {} | {} | {} | {} % | {} % | {} | {} |", name, count_text(part.rows), part.constants,
                                percent(part.mean_abs_error_pct), percent(part.worst_abs_error_pct), held_out, bound));
  };
  const auto with_unit = [](const std::optional<double>& value) {
    return value ? percent(*value) + " %" : std::string("-");
  };
  for (const traces::ValidationSet& set : sets) {
    if (set.rows == 0) continue;
    row(set, fmt::format("`{}`", set.name), "-", "-");
    for (const traces::ValidationGroup& group : set.groups) {
      row(group, fmt::format("- {}", group.name), with_unit(group.held_out_mean_abs_error_pct),
          with_unit(group.bound_mean_abs_error_pct));
    }
  }
  return lines;
}

}  // namespace waferline::report
