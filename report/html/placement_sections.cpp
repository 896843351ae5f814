#include <fmt/format.h>

#include <algorithm>

#include "report/html/chart.hpp"
#include "report/html/estimate_page.hpp"
#include "report/html/placement_page.hpp"
#include "report/number.hpp"
#include "report/placement/figures.hpp"

namespace waferline::report {
namespace {

using mapping::Objective;
using mapping::PlacedRegion;
using mapping::RegionUse;

constexpr std::size_t most_rows = 12;  // of a table that does not scroll by itself
const AxisUnit microseconds{"microseconds", 1e-6};

Shown shown_share(std::string key, double share) {
  return {std::move(key), share, fmt::format("{:.1f} %", 100 * share)};
}

Shown shown_bytes(std::string key, Bytes bytes) {
  return {std::move(key), static_cast<double>(bytes.value), count_text(bytes.value)};
}

HtmlTable search_table(const PlacementAnswer& answer) {
  const mapping::Placement& placement = answer.decode.placement;
  const mapping::SearchAccount& search = placement.search;
  HtmlTable table{"What was found, and what no plan of the searched ones betters",
                  {"figure", "found", "bound", "from the bound"},
                  {},
                  {false, true, true, true}};
  const auto gap = [&](Objective objective) {
    return search.objective == objective
               ? shown({"/search/gap_pct", search.gap_pct, significant(search.gap_pct, 3)}) + "&nbsp;%"
               : std::string();
  };
  const auto time = [&](const char* key, Cycles cycles) { return shown(shown_time(key, wafer_time(answer, cycles))); };
  table.rows = {{"one pass", time("/search/pass_s", search.pass), time("/search/pass_bound_s", search.latency_bound),
                 gap(Objective::latency)},
                {"slowest region", time("/search/slowest_region_s", search.slowest_stage),
                 time("/search/slowest_region_bound_s", search.stage_bound), gap(Objective::throughput)},
                {"users that fit", shown(shown_count("/max_users", placement.max_users)),
                 shown(shown_count("/search/users_bound", search.users_bound)), gap(Objective::users)},
                {"wafers", shown(shown_count("/wafers", placement.wafers)),
                 shown(shown_count("/search/wafers_bound", search.wafers_bound)), gap(Objective::wafers)}};
  return table;
}

std::string search_chart(const PlacementAnswer& answer) {
  const mapping::SearchAccount& search = answer.decode.placement.search;
  std::vector<Bar> bars;
  const auto add = [&](const char* label, const char* key, Cycles cycles, int color) {
    const Shown time = shown_time(key, wafer_time(answer, cycles));
    if (time.value > 0) bars.push_back({{}, label, time, 0, time.value, {}, {}, color});
  };
  add("one pass: bound", "/search/pass_bound_s", search.latency_bound, 2);
  add("one pass: found", "/search/pass_s", search.pass, 0);
  add("slowest region: bound", "/search/slowest_region_bound_s", search.stage_bound, 2);
  add("slowest region: found", "/search/slowest_region_s", search.slowest_stage, 0);
  return bar_chart({"search", "Times beside their bounds",
                    "One bar each for a pass, the slowest region and their bounds, on a logarithmic axis of time."},
                   bars, microseconds, true);
}

HtmlTable pipeline_table(const PlacementAnswer& answer) {
  const estimate::DecodeEstimate& decode = answer.decode;
  const PipelineFigures figures = pipeline_figures(answer);
  HtmlTable table{"The pipeline in numbers", {"figure", "value"}, {}, {false, true}};
  table.rows = {
      {"stages", shown(shown_count("/pipeline/stages", figures.stages))},
      {"slowest stage", shown(shown_time("/slowest_stage_s", decode.slowest_stage))},
      {"users in flight that keep it busy",
       shown({"/users_to_fill", figures.users_to_fill, significant(figures.users_to_fill, 3)})},
      {"users that fit", shown(shown_count("/max_users", decode.placement.max_users))},
      {"cache of one user on a PE, at most, bytes",
       shown(shown_bytes("/pipeline/cache_bytes_per_user", figures.cache_per_user))},
      {"tokens/s over the users that fit", shown(shown_rate("/pipeline/tokens_per_s", figures.tokens_per_s))},
      {"tokens/s with every stage busy", shown(shown_rate("/pipelined_tokens_per_s", decode.pipelined_tokens_per_s))},
      {"share of it that the users who fit reach", shown(shown_share("/pipeline/busy_share", figures.busy_share))},
      {"idle share of the stages with one user",
       shown(shown_share("/pipeline/idle_share_of_one_user", figures.idle_share_of_one))}};
  return table;
}

int color_of(RegionUse use) {
  return use == RegionUse::head ? 1 : use == RegionUse::embedding ? 2 : 0;
}

std::string stage_chart(const PlacementAnswer& answer) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < answer.decode.stages.size(); ++i) {
    const PlacedRegion& placed = answer.decode.placement.regions[i];
    columns.push_back(
        {shown_time(fmt::format("/regions/{}/stage_s", i), answer.decode.stages[i].time), color_of(placed.use)});
  }
  return column_chart(
      {"stages", "Time of each stage",
       "One column for each region in the order of a token's way; the table beneath holds the numbers."},
      columns, "regions in the order of a token's way", {"microseconds a pass", 1e-6});
}

HtmlTable stage_table(const PlacementAnswer& answer) {
  const WaferMap map = placement_map(answer);
  HtmlTable table{"Time of each stage, and the links to the next region",
                  {"holds", "wafer", "time", "links to the next"},
                  {},
                  {false, true, true, true},
                  answer.decode.stages.size() > most_rows};
  for (std::size_t i = 0; i < answer.decode.stages.size(); ++i) {
    const PlacedRegion& placed = answer.decode.placement.regions[i];
    const std::string key = fmt::format("/regions/{}", i);
    table.rows.push_back({region_holds(map, i), shown(shown_count(key + "/wafer", placed.region.wafer)),
                          shown(shown_time(key + "/stage_s", answer.decode.stages[i].time)),
                          shown(shown_count(key + "/hops_to_next", placed.hops_to_next)) +
                              (placed.next_on_other_wafer ? ", to another wafer" : "")});
  }
  return table;
}

}  // namespace

std::string search_section(const PlacementAnswer& answer) {
  const mapping::SearchAccount& search = answer.decode.placement.search;
  std::string how = fmt::format("<p>Searched: {}; {} partial plans compared", quoted({"/search/space", search.space}),
                                shown(shown_count("/search/partial_plans", search.plans)));
  if (search.optimum) {
    how += fmt::format("; their shortest pass, exactly, is {}",
                       shown(shown_time("/search/shortest_pass_of_space_s", wafer_time(answer, *search.optimum))));
  }
  if (search.tried > 0) {
    how += fmt::format(", then {} moves tried", shown(shown_count("/search/moves_tried", search.tried)));
  }
  how +=
      fmt::format(". The objective was {}.</p>\n", quoted({"/search/objective", std::string(name(search.objective))}));
  return section_html(
      "search", "How good the placement is",
      how + pair_html(figure_html("Shorter is faster", search_chart(answer)), table_html(search_table(answer))));
}

std::string pipeline_section(const PlacementAnswer& answer) {
  return section_html(
      "pipeline", "The pipeline",
      paragraph_html("A token visits one stage after the other; with one user all others wait. The slowest stage sets "
                     "the tokens/s of all users together.") +
          pair_html(figure_html("Layers, head and embedding in their colours of the map", stage_chart(answer)),
                    table_html(pipeline_table(answer))) +
          table_html(stage_table(answer)));
}

std::string memory_section(const PlacementAnswer& answer) {
  const WaferMap map = placement_map(answer);
  const std::vector<PlacedRegion>& regions = answer.decode.placement.regions;
  HtmlTable table{"Bytes on the fullest PE of each region",
                  {"holds", "weights", "caches", "buffers", "program and system", "free", "capacity"},
                  {},
                  {false, true, true, true, true, true, true},
                  regions.size() > most_rows};
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const mapping::SramUse& use = regions[i].sram;
    const auto cell = [&](const char* name, Bytes bytes) {
      return shown(shown_bytes(fmt::format("/regions/{}/sram_per_pe_bytes/{}", i, name), bytes));
    };
    table.rows.push_back({region_holds(map, i), cell("weights", use.weights), cell("kv", use.kv),
                          cell("buffers", use.buffers), cell("code", use.code + use.system), cell("free", use.free()),
                          cell("capacity", use.capacity)});
  }
  return section_html("memory", "What fills the memory of a PE", table_html(table));
}

}  // namespace waferline::report
