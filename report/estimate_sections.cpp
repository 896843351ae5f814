#include <fmt/format.h>

#include <algorithm>

#include "report/chart.hpp"
#include "report/estimate_page.hpp"
#include "report/number.hpp"
#include "report/wafer_map.hpp"

namespace waferline::report {
namespace {

using namespace estimate;

constexpr double microsecond = 1e-6;

std::string figure(const std::string& caption, const std::string& svg) {
  if (svg.empty()) return {};
  return fmt::format("<figure><figcaption>{}</figcaption>\n{}</figure>\n", escaped(caption), svg);
}

std::string pair(const std::string& left, const std::string& right) {
  return "<div class=\"pair\">\n" + left + "<div>\n" + right + "</div>\n</div>\n";
}

std::string gpu_name(const GpuAnswer& gpu) {
  return fmt::format("{} x {}", gpu.estimate.devices, gpu.estimate.gpu);
}

}  // namespace

std::string spaced(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

Shown shown_time(std::string key, Seconds time) {
  return {std::move(key), time.value, seconds_text(time)};
}

Shown shown_rate(std::string key, double tokens_per_s) {
  return {std::move(key), tokens_per_s, rate_text(tokens_per_s)};
}

Shown shown_count(std::string key, std::int64_t count) {
  return {std::move(key), static_cast<double>(count), count_text(count)};
}

std::string breakdown_section(const EstimateAnswer& answer) {
  std::vector<BreakdownPart> parts = answer.decode.breakdown;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const BreakdownPart& a, const BreakdownPart& b) { return a.time > b.time; });
  HtmlTable table{"Parts of the expected time per token", {"part", "time", "share"}, {}, {false, true, true}};
  std::vector<Bar> bars;
  double start = 0;
  for (const BreakdownPart& part : parts) {
    const Shown time = shown_time("/breakdown_s" + pointer_step(part.name), part.time);
    const double share = part.time / answer.decode.tpot.expected;
    table.rows.push_back(
        {escaped(spaced(part.name)), shown(time),
         shown({"/page/breakdown_share" + pointer_step(part.name), share, fmt::format("{:.1f} %", 100 * share)})});
    if (part.time <= Seconds{0}) continue;
    const double end = start + part.time.value / microsecond;
    bars.push_back({spaced(part.name), time, start, end, {}, {}, 0});
    start = end;
  }
  const Shown total = shown_time("/tpot_s/expected", answer.decode.tpot.expected);
  table.rows.push_back({"<strong>all</strong>", shown(total), ""});
  bars.push_back({"all: time per token", total, 0, total.value / microsecond, {}, {}, 1});
  const std::string chart =
      bar_chart({"breakdown", "Where the time of a token goes",
                 "Bars that follow each other, the largest part first, up to the time per token."},
                bars, "microseconds", false);
  return section_html("time", "Where the time of a token goes",
                      pair(figure("Each part begins where the one above it ends", chart), table_html(table)));
}

std::string bounds_section(const EstimateAnswer& answer) {
  HtmlTable table{"Bounds and estimates", {"what", "time", "estimate is"}, {}, {false, true, true}};
  std::vector<Bar> bars;
  const auto add = [&](const std::string& label, const Shown& time, const std::string& over, int color) {
    bars.push_back({label, time, 0, time.value / microsecond, {}, {}, color});
    table.rows.push_back({escaped(label), shown(time), over});
  };
  for (const BoundLine& bound : answer.decode.bounds) {
    const Shown over{"/estimate_over_bounds" + pointer_step(bound.name), bound.estimate_over_bound,
                     significant(bound.estimate_over_bound, 3) + " times as long"};
    add("wafer bound: " + spaced(bound.name), shown_time("/bounds_s" + pointer_step(bound.name), bound.time),
        shown(over), 2);
  }
  add("wafer estimate: time per token", shown_time("/tpot_s/expected", answer.decode.tpot.expected), "", 0);
  for (std::size_t i = 0; i < answer.gpus.size(); ++i) {
    const GpuAnswer& gpu = answer.gpus[i];
    const std::string key = fmt::format("/gpus/{}", i);
    if (!gpu.estimate.fits) continue;
    add(gpu_name(gpu) + " bound: memory bandwidth", shown_time(key + "/roofline_tpot_s", gpu.estimate.bound), "", 2);
    add(gpu_name(gpu) + " estimate", shown_time(key + "/tpot_s/expected", gpu.estimate.expected), "", 1);
  }
  const std::string chart =
      bar_chart({"bounds", "Bounds beside estimates",
                 "One bar each for the bounds of the wafer and of the GPUs and for their estimates, on a logarithmic "
                 "axis of time."},
                bars, "microseconds", true);
  return section_html("bounds", "How far from what the hardware allows",
                      paragraph_html("A bound is a time that no software can beat on this hardware: bytes over "
                                     "bandwidth, or hops over the mesh. What lies between bound and estimate is "
                                     "overhead.") +
                          pair(figure("Shorter is faster", chart), table_html(table)));
}

std::string gpu_section(const EstimateAnswer& answer) {
  if (answer.gpus.empty()) return {};
  const RateBand& rate = answer.decode.tokens_per_s;
  std::vector<Bar> bars{{answer.decode.system + " (wafer)", shown_rate("/tokens_per_s/expected", rate.expected), 0,
                         rate.expected, rate.low, rate.high, 0}};
  HtmlTable table{"Tokens per second of one user",
                  {"system", "slow end", "expected", "fast end", "time per token", "times the wafer's", "engine"},
                  {},
                  {false, true, true, true, true, true}};
  table.rows.push_back(
      {escaped(answer.decode.system), shown(shown_rate("/tokens_per_s/low", rate.low)),
       shown(shown_rate("/tokens_per_s/expected", rate.expected)), shown(shown_rate("/tokens_per_s/high", rate.high)),
       shown(shown_time("/tpot_s/expected", answer.decode.tpot.expected)), "", escaped(answer.decode.software)});
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < answer.gpus.size(); ++i) {
    const GpuEstimate& gpu = answer.gpus[i].estimate;
    const std::string name = gpu_name(answer.gpus[i]);
    notes.push_back(name + ": " + (gpu.fits ? answer.gpus[i].engine_reason : gpu.shortfall));
    if (!gpu.fits) {
      table.rows.push_back({escaped(name), "", "no room", "", "", "", escaped(gpu.engine)});
      continue;
    }
    const std::string page = fmt::format("/page/gpus/{}", i);
    const Shown expected = shown_rate(page + "/tokens_per_s/expected", 1 / gpu.expected.value);
    bars.push_back({name, expected, 0, expected.value, 1 / gpu.high.value, 1 / gpu.low.value, 1});
    const double times = gpu.expected / answer.decode.tpot.expected;
    table.rows.push_back({escaped(name), shown(shown_rate(page + "/tokens_per_s/low", 1 / gpu.high.value)),
                          shown(expected), shown(shown_rate(page + "/tokens_per_s/high", 1 / gpu.low.value)),
                          shown(shown_time(fmt::format("/gpus/{}/tpot_s/expected", i), gpu.expected)),
                          shown({page + "/times_as_long", times, times_text(times)}), escaped(gpu.engine)});
  }
  const std::string chart = bar_chart(
      {"gpus", "Wafer and GPUs side by side", "Expected tokens per second of one user on each system, with its band."},
      bars, "tokens/s of one user", false);
  return section_html("gpus", "GPUs side by side",
                      paragraph_html("Same model, context and number of users. Whiskers span the band from slow to "
                                     "fast end.") +
                          figure("Expected tokens per second, with bands", chart) + table_html(table) +
                          list_html(notes));
}

std::string placement_section(const EstimateAnswer& answer) {
  const mapping::Placement& placement = answer.decode.placement;
  const mapping::SramUse& use = placement.fullest;
  HtmlTable sram{"SRAM of the fullest PE", {"use", "bytes"}, {}, {false, true}};
  const auto add = [&](const char* label, const char* key, Bytes bytes) {
    sram.rows.push_back(
        {escaped(label), shown({std::string("/wafer/sram_per_pe_bytes/") + key, static_cast<double>(bytes.value),
                                count_text(static_cast<std::int64_t>(bytes.value))})});
  };
  add("weights", "weights", use.weights);
  add("KV cache and state", "kv", use.kv);
  add("buffers", "buffers", use.buffers);
  add("program", "code_parts/program", use.code);
  add("system", "code_parts/system", use.system);
  add("free", "free", use.free());
  add("capacity", "capacity", use.capacity);
  HtmlTable room{"Room", {"what", "number"}, {}, {false, true}};
  const auto count = [&](const char* label, const char* key, std::int64_t value) {
    room.rows.push_back({escaped(label), shown(shown_count(std::string("/wafer/") + key, value))});
  };
  count("wafers", "wafers", placement.wafers);
  count("PEs in use", "pes_used", placement.pes_used);
  count("usable PEs of one wafer", "usable_pes_per_wafer", answer.usable_pes_per_wafer);
  count("longest context with these users, tokens", "max_context_tokens", placement.max_context_tokens);
  count("most users at this context", "max_users", placement.max_users);
  return section_html(
      "placement", "Where the model lies",
      paragraph_html("Numbers in the map are layers; lighter regions come earlier on the way of a token. Embedding and "
                     "output head have colours of their own.") +
          wafer_map(placement, answer.usable_extent) +
          pair("<div>" + table_html(room) + table_html(sram) + "</div>", region_table(placement)));
}

std::string published_section(const EstimateAnswer& answer) {
  if (answer.published.empty()) return {};
  HtmlTable table{"Measured or stated speeds, oldest first",
                  {"published as", "tokens/s", "prompt tokens", "speculation", "date", "row"},
                  {},
                  {false, true, true}};
  for (std::size_t i = 0; i < answer.published.size(); ++i) {
    const traces::EndpointRow& row = answer.published[i];
    const std::string key = fmt::format("/published/{}", i);
    table.rows.push_back(
        {escaped(row.label), shown(shown_rate(key + "/tokens_per_s", row.tokens_per_s)),
         row.context_stated ? shown(shown_count(key + "/prompt_tokens", row.context_tokens)) : "not stated",
         row.speculates ? "not excluded" : "no", escaped(row.date), escaped(row.id)});
  }
  std::string body = table_html(table);
  if (answer.speculating_service) {
    body += paragraph_html(
        fmt::format("Speeds with speculation come from newer kernels and several tokens a pass: "
                    "beside them belongs --software {} --accepted-tokens {}.",
                    answer.speculating_service->software, plain_number(answer.speculating_service->accepted_tokens)));
  }
  return section_html("published", "Published speeds of this model on this wafer", body);
}

std::string assumptions_section(const EstimateAnswer& answer) {
  HtmlTable sensitivity{"Tokens per second with one input at either end of its band, the strongest first",
                        {"input", "slow", "fast"},
                        {},
                        {false, true, true},
                        answer.decode.sensitivity.size() > 12};
  for (std::size_t i = 0; i < answer.decode.sensitivity.size(); ++i) {
    const SensitivityLine& line = answer.decode.sensitivity[i];
    const std::string key = fmt::format("/sensitivity/{}", i);
    sensitivity.rows.push_back({escaped(line.key), shown(shown_rate(key + "/tokens_per_s_low", line.tokens_per_s_low)),
                                shown(shown_rate(key + "/tokens_per_s_high", line.tokens_per_s_high))});
  }
  HtmlTable table{"Every input of the estimate", {"input", "value", "known from", "source"}, {}, {}};
  for (const Assumption& assumption : answer.decode.assumptions) {
    table.rows.push_back(
        {escaped(assumption.key), escaped(assumption.value), escaped(assumption.kind), escaped(assumption.source)});
  }
  std::string body = table_html(sensitivity) + table_html(table);
  if (!answer.decode.notes.empty()) body += "<h3>Notes</h3>\n" + list_html(answer.decode.notes);
  return section_html("assumptions", "What it rests on", body);
}

namespace {

std::vector<Line> lines_of(const EstimateAnswer& answer, const std::vector<SeriesPoint>& points, bool over_users) {
  std::vector<Line> lines(1 + answer.gpus.size());
  lines[0].name = answer.decode.system + ", with its band";
  for (std::size_t i = 0; i < answer.gpus.size(); ++i) lines[i + 1].name = gpu_name(answer.gpus[i]);
  for (const SeriesPoint& point : points) {
    const double x = static_cast<double>(over_users ? point.users : point.context_tokens);
    lines[0].points.push_back({x, point.tokens_per_s.expected, point.tokens_per_s.low, point.tokens_per_s.high});
    for (std::size_t i = 0; i < point.gpus.size(); ++i) {
      if (point.gpus[i]) lines[i + 1].points.push_back({x, *point.gpus[i], *point.gpus[i], *point.gpus[i]});
    }
  }
  return lines;
}

HtmlTable series_table(const EstimateAnswer& answer, const std::vector<SeriesPoint>& points, bool over_users) {
  HtmlTable table;
  table.caption = over_users ? "Tokens per second against users" : "Tokens per second against context";
  table.headings = {over_users ? "users" : "context", "slow end", "expected", "fast end"};
  if (over_users) table.headings.emplace_back("all users, pipeline full");
  for (const GpuAnswer& gpu : answer.gpus) table.headings.push_back(gpu_name(gpu));
  table.numeric.assign(table.headings.size(), true);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SeriesPoint& point = points[i];
    const std::string key = fmt::format("/page/{}/{}", over_users ? "over_users" : "over_context", i);
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
  return "<div>" + figure(over_users ? "Against users" : "Against context", svg) +
         table_html(series_table(answer, points, over_users)) + "</div>\n";
}

}  // namespace

std::string series_section(const EstimateAnswer& answer) {
  const DecodeRequest& request = answer.decode.request;
  const std::string computed = fmt::format(
      "Each mark is an estimate of its own, with the placement searched anew on {} wafer{}: on the left at {} user{}, "
      "on "
      "the right at {} tokens of context. The lines between the marks are not computed.",
      answer.decode.placement.wafers, answer.decode.placement.wafers == 1 ? "" : "s", count_text(request.batch),
      request.batch == 1 ? "" : "s", count_text(request.context_tokens));
  return section_html("curves", "At other contexts and with more users",
                      paragraph_html(computed) + "<div class=\"pair\">\n" +
                          curve(answer, answer.series->over_context, false) +
                          curve(answer, answer.series->over_users, true) + "</div>\n");
}

}  // namespace waferline::report
