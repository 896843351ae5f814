#include "report/emulation.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/json_parts.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using Json = nlohmann::ordered_json;
using kernels::emulate::CountedSchedule;
using kernels::emulate::StepCounters;

void add(CounterTotals& totals, const StepCounters& step, std::int64_t times) {
  const std::int64_t n = times * step.repeats;
  totals.instructions += n * step.instructions;
  totals.macs += n * step.macs;
  totals.exponentials += n * step.exponentials;
  totals.specials += n * step.specials;
  totals.weight_bytes += n * step.weight_bytes;
  totals.dequantised += n * step.dequantised;
  totals.words += n * step.words;
  totals.wavelets += n * step.wavelets;
  totals.link_wavelets += n * step.link_wavelets;
  totals.combines += n * step.combines;
}

Json totals_json(const CounterTotals& totals) {
  Json json;
  for (const auto& [key, value] : totals_rows(totals)) json[key] = value;
  return json;
}

}  // namespace

std::vector<std::pair<std::string, std::int64_t>> totals_rows(const CounterTotals& totals) {
  return {{"instructions", totals.instructions},
          {"macs", totals.macs},
          {"exponentials", totals.exponentials},
          {"specials", totals.specials},
          {"weight_bytes", totals.weight_bytes},
          {"dequantised", totals.dequantised},
          {"words", totals.words},
          {"wavelets", totals.wavelets},
          {"link_wavelets", totals.link_wavelets},
          {"combines", totals.combines}};
}

CounterTotals counted_totals(const std::vector<CountedSchedule>& pass) {
  CounterTotals totals;
  for (const CountedSchedule& part : pass) {
    for (const StepCounters& step : part.counters) add(totals, step, part.times);
  }
  return totals;
}

CounterTotals closed_form_totals(const std::vector<CountedSchedule>& pass) {
  CounterTotals totals;
  for (const CountedSchedule& part : pass) {
    for (const kernels::Step& step : part.schedule.steps) add(totals, kernels::emulate::closed_form(step), part.times);
  }
  return totals;
}

Lines emulation_text(const EmulatedDecode& d, const Page& page) {
  Lines lines;
  lines.push_back(fmt::format("{} tokens, stopped by {}; {} of {} layers, each on {} x {} PEs of {}, {}",
                              d.tokens.size(), d.stopped_by, d.layers, d.layers_of_model, d.mesh.rows, d.mesh.cols,
                              d.system, d.dtype));
  lines.push_back(fmt::format("SRAM of a layer's busiest PE: {} of {} bytes", count_text(d.layer_sram_bytes),
                              count_text(d.sram_bytes_per_pe)));
  lines.push_back("Last token, busiest PE or link of each step, summed over the steps:");
  Table table({{"counter"}, {"emulated", Align::right}, {"closed form", Align::right}});
  const Json counted = totals_json(d.counted);
  const Json closed = totals_json(d.closed_form);
  for (const auto& [key, value] : counted.items()) {
    table.add({key, count_text(value.get<std::int64_t>()), count_text(closed[key].get<std::int64_t>())});
  }
  for (const std::string& line : table.lines(page)) lines.push_back(line);
  lines.push_back(fmt::format("Host: {} s, {} threads, {} GB/s of weights", significant(d.host_seconds, 3), d.threads,
                              significant(d.host_gb_per_s, 3)));
  return lines;
}

std::string emulation_json(const EmulatedDecode& d) {
  Json json = document();
  json["inputs"] = {{"system", d.system},    {"software", d.software},
                    {"dtype", d.dtype},      {"mesh", {{"rows", d.mesh.rows}, {"cols", d.mesh.cols}}},
                    {"layers", d.layers},    {"layers_of_model", d.layers_of_model},
                    {"prompt_ids", d.prompt}};
  json["tokens"] = d.tokens;
  json["cycles_per_token"] = d.cycles_per_token;
  json["stopped_by"] = d.stopped_by;
  json["counters"] = totals_json(d.counted);
  json["closed_form"] = totals_json(d.closed_form);
  json["sram_per_pe_bytes"] = {{"layer", d.layer_sram_bytes}, {"capacity", d.sram_bytes_per_pe}};
  json["host"] = {{"seconds", d.host_seconds},
                  {"threads", d.threads},
                  {"gb_per_s", d.host_gb_per_s},
                  {"weight_bytes_per_token", d.weight_bytes}};
  return dumped(json);
}

}  // namespace waferline::report
