#include <fmt/format.h>

#include <algorithm>

#include "report/html/chart.hpp"
#include "report/html/estimate_page.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using namespace estimate;

const AxisUnit microseconds{"microseconds", 1e-6};

}  // namespace

std::string spaced(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

std::string gpu_name(const GpuAnswer& gpu) {
  return fmt::format("{} x {}", gpu.estimate.devices, gpu.estimate.gpu);
}

Quoted quoted_gpu(const EstimateAnswer& answer, std::size_t gpu) {
  return {fmt::format("/page/gpus/{}/name", gpu), gpu_name(answer.gpus[gpu])};
}

Quoted quoted_system(const EstimateAnswer& answer) {
  return {"/wafer/system", answer.decode.system};
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

std::string breakdown_section(const DecodeEstimate& decode) {
  std::vector<BreakdownPart> parts = decode.breakdown;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const BreakdownPart& a, const BreakdownPart& b) { return a.time > b.time; });
  HtmlTable table{"Parts of the expected time per token", {"part", "time", "share"}, {}, {false, true, true}};
  std::vector<Bar> bars;
  double start = 0;
  for (const BreakdownPart& part : parts) {
    const Shown time = shown_time("/breakdown_s" + pointer_step(part.name), part.time);
    const double share = part.time / decode.tpot.expected;
    table.rows.push_back(
        {escaped(spaced(part.name)), shown(time),
         shown({"/page/breakdown_share" + pointer_step(part.name), share, fmt::format("{:.1f} %", 100 * share)})});
    if (part.time <= Seconds{0}) continue;
    const double end = start + part.time.value;
    bars.push_back({{}, spaced(part.name), time, start, end, {}, {}, 0});
    start = end;
  }
  const Shown total = shown_time("/tpot_s/expected", decode.tpot.expected);
  table.rows.push_back({"<strong>all</strong>", shown(total), ""});
  bars.push_back({{}, "all: time per token", total, 0, total.value, {}, {}, 1});
  const std::string chart =
      bar_chart({"breakdown", "Where the time of a token goes",
                 "Bars that follow each other, the largest part first, up to the time per token."},
                bars, microseconds, false);
  return section_html("time", "Where the time of a token goes",
                      pair_html(figure_html("Each part begins where the one above it ends", chart), table_html(table)));
}

std::string bounds_section(const EstimateAnswer& answer) {
  HtmlTable table{"Bounds and estimates", {"what", "time", "estimate over bound"}, {}, {false, true, true}};
  std::vector<Bar> bars;
  const auto add = [&](const Quoted& name, const std::string& label, const Shown& time, const std::string& over,
                       int color) {
    bars.push_back({name, label, time, 0, time.value, {}, {}, color});
    table.rows.push_back({quoted(name) + escaped(label), shown(time), over});
  };
  for (const BoundLine& bound : answer.decode.bounds) {
    const Shown over{"/estimate_over_bounds" + pointer_step(bound.name), bound.estimate_over_bound,
                     significant(bound.estimate_over_bound, 3) + "x"};
    add({}, "wafer bound: " + spaced(bound.name), shown_time("/bounds_s" + pointer_step(bound.name), bound.time),
        shown(over), 2);
  }
  add({}, "wafer estimate: time per token", shown_time("/tpot_s/expected", answer.decode.tpot.expected), "", 0);
  for (std::size_t i = 0; i < answer.gpus.size(); ++i) {
    const GpuAnswer& gpu = answer.gpus[i];
    const std::string key = fmt::format("/gpus/{}", i);
    if (!gpu.estimate.fits) continue;
    const Quoted name = quoted_gpu(answer, i);
    add(name, " bound: memory bandwidth", shown_time(key + "/roofline_tpot_s", gpu.estimate.bound), "", 2);
    add(name, " estimate", shown_time(key + "/tpot_s/expected", gpu.estimate.expected), "", 1);
  }
  const std::string chart =
      bar_chart({"bounds", "Bounds beside estimates",
                 "One bar each for the bounds of the wafer and of the GPUs and for their estimates, on a logarithmic "
                 "axis of time."},
                bars, microseconds, true);
  return section_html("bounds", "Roofline: how far from what the hardware allows",
                      paragraph_html("A bound is a time that no software can beat on this hardware: bytes over "
                                     "bandwidth, or hops over the mesh. What lies between bound and estimate is "
                                     "overhead.") +
                          pair_html(figure_html("Shorter is faster", chart), table_html(table)) +
                          roofline_part(answer));
}

std::string gpu_section(const EstimateAnswer& answer) {
  if (answer.gpus.empty()) return {};
  const RateBand& rate = answer.decode.tokens_per_s;
  std::vector<Bar> bars{{quoted_system(answer), " (wafer)", shown_rate("/tokens_per_s/expected", rate.expected), 0,
                         rate.expected, rate.low, rate.high, 0}};
  HtmlTable table{"Tokens per second of one user",
                  {"system", "slow end", "expected", "fast end", "time per token", "times the wafer's", "engine"},
                  {},
                  {false, true, true, true, true, true}};
  table.rows.push_back({quoted(quoted_system(answer)), shown(shown_rate("/tokens_per_s/low", rate.low)),
                        shown(shown_rate("/tokens_per_s/expected", rate.expected)),
                        shown(shown_rate("/tokens_per_s/high", rate.high)),
                        shown(shown_time("/tpot_s/expected", answer.decode.tpot.expected)), "",
                        quoted({"/wafer/software", answer.decode.software})});
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < answer.gpus.size(); ++i) {
    const GpuEstimate& gpu = answer.gpus[i].estimate;
    const Quoted name = quoted_gpu(answer, i);
    const std::string key = fmt::format("/gpus/{}", i);
    const std::string engine = quoted({key + "/engine", gpu.engine});
    notes.push_back(quoted(name) + ": " +
                    quoted(gpu.fits ? Quoted{key + "/engine_reason", answer.gpus[i].engine_reason}
                                    : Quoted{key + "/shortfall", gpu.shortfall}));
    if (!gpu.fits) {
      table.rows.push_back({quoted(name), "", "no room", "", "", "", engine});
      continue;
    }
    const std::string page = fmt::format("/page/gpus/{}", i);
    const Shown expected = shown_rate(page + "/tokens_per_s/expected", 1 / gpu.expected.value);
    bars.push_back({name, "", expected, 0, expected.value, 1 / gpu.high.value, 1 / gpu.low.value, 1});
    const double times = gpu.expected / answer.decode.tpot.expected;
    table.rows.push_back({quoted(name), shown(shown_rate(page + "/tokens_per_s/low", 1 / gpu.high.value)),
                          shown(expected), shown(shown_rate(page + "/tokens_per_s/high", 1 / gpu.low.value)),
                          shown(shown_time(key + "/tpot_s/expected", gpu.expected)),
                          shown({page + "/times_as_long", times, times_text(times)}), engine});
  }
  const std::string chart = bar_chart(
      {"gpus", "Wafer and GPUs side by side", "Expected tokens per second of one user on each system, with its band."},
      bars, {"tokens/s of one user"}, false);
  return section_html("gpus", "GPUs side by side",
                      paragraph_html("Same model, context and number of users. Whiskers span the band from slow to "
                                     "fast end.") +
                          figure_html("Expected tokens per second, with bands", chart) + table_html(table) +
                          list_html(notes));
}

}  // namespace waferline::report
