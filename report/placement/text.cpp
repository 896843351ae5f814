#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/number.hpp"
#include "report/placement/figures.hpp"
#include "report/placement/placement.hpp"

namespace waferline::report {
namespace {

using mapping::PlacedRegion;

constexpr std::size_t kMostRegions = 64;

std::string holds(const PlacedRegion& region) {
  if (region.layer_count == 0) return std::string(name(region.use));
  const std::int64_t last = region.first_layer + region.layer_count - 1;
  return last == region.first_layer ? fmt::format("layer {}", last)
                                    : fmt::format("layers {}-{}", region.first_layer, last);
}

std::string form(const PlacedRegion& region) {
  std::string text = region.turned ? "turned" : "";
  const auto add = [&](std::int64_t count, const char* what) {
    if (count > 1) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(region.expert_bands, "bands");
  add(region.latent_copies, "copies");
  return text;
}

Lines figures(const PlacementAnswer& answer, const Page& page) {
  const mapping::Placement& placement = answer.decode.placement;
  const mapping::SearchAccount& search = placement.search;
  Table table({{""}, {"found", Align::right}, {"bound", Align::right}, {"objective"}});
  const auto mark = [&](mapping::Objective objective) {
    return search.objective == objective ? fmt::format("{:.1f} % from the bound", search.gap_pct) : std::string();
  };
  table.add({"one pass", seconds_text(wafer_time(answer, search.pass)),
             seconds_text(wafer_time(answer, search.latency_bound)), mark(mapping::Objective::latency)});
  table.add({"slowest region", seconds_text(wafer_time(answer, search.slowest_stage)),
             seconds_text(wafer_time(answer, search.stage_bound)), mark(mapping::Objective::throughput)});
  table.add({"users that fit", count_text(placement.max_users), count_text(search.users_bound),
             mark(mapping::Objective::users)});
  table.add(
      {"wafers", count_text(placement.wafers), count_text(search.wafers_bound), mark(mapping::Objective::wafers)});
  Lines lines = table.lines(page);
  std::string how = fmt::format("Searched: {}; {} partial plans compared", search.space, count_text(search.plans));
  if (search.optimum)
    how += fmt::format("; their shortest pass, exactly, is {}", seconds_text(wafer_time(answer, *search.optimum)));
  if (search.tried > 0) how += fmt::format(", then {} moves tried", count_text(search.tried));
  append(lines, wrapped(how + ".", page.width, 2));
  return lines;
}

Lines pipeline(const PlacementAnswer& answer, const Page& page) {
  const estimate::DecodeEstimate& decode = answer.decode;
  const PipelineFigures figures = pipeline_figures(answer);
  const std::string text = fmt::format(
      "{} stages; the slowest takes {}, so that {} users in flight keep it busy. {} fit at {} cached tokens, at most "
      "{} B of cache on a PE each: {} tokens/s over all of them, {:.0f} % of what the stages could do; with one user "
      "{:.1f} % of the stages' time is idle.",
      count_text(figures.stages), seconds_text(decode.slowest_stage), significant(figures.users_to_fill, 3),
      count_text(decode.placement.max_users), count_text(decode.request.context_tokens),
      count_text(figures.cache_per_user.value), rate_text(figures.tokens_per_s), 100 * figures.busy_share,
      100 * figures.idle_share_of_one);
  Lines lines{"", "Pipeline"};
  append(lines, wrapped(text, page.width, 2));
  return lines;
}

Lines regions(const PlacementAnswer& answer, const Page& page) {
  Lines lines{"", "Regions in the order in which a token visits them"};
  Table table({{"holds"},
               {"wafer", Align::right},
               {"row", Align::right},
               {"col", Align::right},
               {"rows", Align::right},
               {"cols", Align::right},
               {"time", Align::right},
               {"free B", Align::right},
               {"form"}});
  const std::vector<PlacedRegion>& all = answer.decode.placement.regions;
  for (std::size_t i = 0; i < std::min(all.size(), kMostRegions); ++i) {
    const PlacedRegion& r = all[i];
    const auto number = [](std::int64_t value) { return fmt::format("{}", value); };
    table.add({holds(r), number(r.region.wafer), number(r.region.row), number(r.region.col),
               number(r.region.extent.rows), number(r.region.extent.cols), seconds_text(answer.decode.stages[i].time),
               count_text(r.sram.free().value), form(r)});
  }
  append(lines, table.lines(page));
  if (all.size() > kMostRegions) {
    lines.push_back(fmt::format("  and {} more; --out writes all of them", all.size() - kMostRegions));
  }
  return lines;
}

Lines front(const PlacementAnswer& answer, const Page& page) {
  if (answer.front.empty()) return {};
  Lines lines{"", "Placements that no other betters in all of time, tokens/s of all users, users and wafers"};
  Table table({{"wafers", Align::right},
               {"time per token", Align::right},
               {"tokens/s, all users", Align::right},
               {"users", Align::right},
               {"regions", Align::right},
               {"found under"}});
  for (const estimate::ParetoPoint& point : answer.front) {
    table.add({count_text(point.wafers), seconds_text(point.tpot), rate_text(point.pipelined_tokens_per_s),
               count_text(point.max_users), count_text(point.regions), std::string(name(point.objective))});
  }
  append(lines, table.lines(page));
  return lines;
}

}  // namespace

Lines placement_text(const PlacementAnswer& answer, const Page& page) {
  const mapping::Placement& placement = answer.decode.placement;
  Lines lines{fmt::format("{} on {} of {}, software {}: {} tokens/s per user", answer.model,
                          placement.wafers == 1 ? "1 wafer" : count_text(placement.wafers) + " wafers",
                          answer.decode.system, answer.decode.software, rate_text(answer.decode.tokens_per_s.expected)),
              ""};
  append(lines, figures(answer, page));
  append(lines, pipeline(answer, page));
  lines.emplace_back();
  lines.emplace_back("Wafers, a letter for each region");
  append(lines, wafer_letters(placement, answer.wafer, page));
  append(lines, regions(answer, page));
  append(lines, front(answer, page));
  Lines notes;
  notes.push_back(fmt::format("{} of {} routing colors; {} PEs in use", placement.colors_used,
                              placement.colors_available, count_text(placement.pes_used)));
  notes.insert(notes.end(), placement.notes.begin(), placement.notes.end());
  lines.emplace_back();
  for (const std::string& note : notes) append(lines, wrapped("- " + note, page.width, 0, 2));
  return lines;
}

Lines placement_comparison(const PlacementAnswer& a, const std::string& name_a, const PlacementAnswer& b,
                           const std::string& name_b, const Page& page) {
  Lines lines{fmt::format("{} on {}, software {}", a.model, a.decode.system, a.decode.software), "  A  " + name_a,
              "  B  " + name_b, ""};
  Table table({{""}, {"A", Align::right}, {"B", Align::right}, {"change", Align::right}});
  const auto change = [](double from, double to) {
    if (from == to) return std::string("same");
    return from == 0 ? std::string("new") : signed_percent(100 * (to / from - 1));
  };
  const auto time = [&](const std::string& what, Seconds from, Seconds to) {
    table.add({what, seconds_text(from), seconds_text(to), change(from.value, to.value)});
  };
  const auto count = [&](const char* what, std::int64_t from, std::int64_t to) {
    table.add({what, count_text(from), count_text(to), change(static_cast<double>(from), static_cast<double>(to))});
  };
  time("time per token", a.decode.tpot.expected, b.decode.tpot.expected);
  for (std::size_t i = 0; i < a.decode.breakdown.size(); ++i) {
    const Seconds from = a.decode.breakdown[i].time;
    const Seconds to = b.decode.breakdown[i].time;
    // What makes no difference to the sum is no reason.
    if (std::abs((to - from).value) < 1e-3 * a.decode.tpot.expected.value) continue;
    std::string what = "  " + a.decode.breakdown[i].name;
    std::replace(what.begin(), what.end(), '_', ' ');
    time(what, from, to);
  }
  time("slowest stage", a.decode.slowest_stage, b.decode.slowest_stage);
  table.add({"tokens/s, all users", rate_text(a.decode.pipelined_tokens_per_s),
             rate_text(b.decode.pipelined_tokens_per_s),
             change(a.decode.pipelined_tokens_per_s, b.decode.pipelined_tokens_per_s)});
  const mapping::Placement& before = a.decode.placement;
  const mapping::Placement& after = b.decode.placement;
  count("users that fit", before.max_users, after.max_users);
  count("longest context", before.max_context_tokens, after.max_context_tokens);
  count("wafers", before.wafers, after.wafers);
  count("regions", std::ssize(before.regions), std::ssize(after.regions));
  count("PEs in use", before.pes_used, after.pes_used);
  count("free B on the fullest PE", before.fullest.free().value, after.fullest.free().value);
  append(lines, table.lines(page));

  Table moved({{"region", Align::right}, {""}, {"holds"}});
  const auto place = [](const PlacedRegion& r) {
    return fmt::format("{}: {} x {} at {}, {} of wafer {}{}{}", holds(r), r.region.extent.rows, r.region.extent.cols,
                       r.region.row, r.region.col, r.region.wafer, form(r).empty() ? "" : ", ", form(r));
  };
  std::int64_t differ = 0;
  const std::size_t all = std::max(before.regions.size(), after.regions.size());
  for (std::size_t i = 0; i < all; ++i) {
    const bool in_a = i < before.regions.size();
    const bool in_b = i < after.regions.size();
    if (in_a && in_b &&
        static_cast<const mapping::PlannedRegion&>(before.regions[i]) ==
            static_cast<const mapping::PlannedRegion&>(after.regions[i])) {
      continue;
    }
    if (++differ > 12) continue;
    moved.add({fmt::format("{}", i), "A", in_a ? place(before.regions[i]) : "-"});
    moved.add({"", "B", in_b ? place(after.regions[i]) : "-"});
  }
  lines.emplace_back();
  if (differ == 0) {
    lines.emplace_back("All regions are the same.");
    return lines;
  }
  lines.emplace_back("Regions that differ");
  append(lines, moved.lines(page));
  if (differ > 12) lines.push_back(fmt::format("  and {} more", differ - 12));
  return lines;
}

}  // namespace waferline::report
