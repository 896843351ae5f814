#include "report/kernel_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/emulation.hpp"
#include "report/json_parts.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using Json = nlohmann::ordered_json;
using kernels::emulate::counted_as_closed_form;
using kernels::emulate::KernelRun;

double gb_per_s(std::int64_t bytes, double seconds) {
  return static_cast<double>(bytes) / std::max(seconds, 1e-9) * 1e-9;
}

std::string error_text(const KernelRun& run) {
  if (!run.error) return "-";
  return significant(run.error->largest / std::max(run.error->largest_output, 1e-300), 2);
}

std::string bound_text(const KernelRun& run) {
  return run.error && run.error->of_bound ? significant(*run.error->of_bound, 2) : "-";
}

Lines counters_text(const KernelRun& run, const Page& page) {
  Table table({{"counter"}, {"emulated", Align::right}, {"closed form", Align::right}});
  const auto counted = totals_rows(counted_totals({run.counted}));
  const auto closed = totals_rows(closed_form_totals({run.counted}));
  for (std::size_t i = 0; i < counted.size(); ++i)
    table.add({counted[i].first, count_text(counted[i].second), count_text(closed[i].second)});
  return table.lines(page);
}

Json totals_json(const CounterTotals& totals) {
  Json json;
  for (const auto& [key, value] : totals_rows(totals)) json[key] = value;
  return json;
}

Json kernel_json(const TimedKernel& kernel) {
  const KernelRun& run = kernel.run;
  Json json{{"name", run.what}, {"error", nullptr}};
  if (run.error) {
    json["error"] = {{"largest", run.error->largest},
                     {"largest_output", run.error->largest_output},
                     {"of_bound", or_null(run.error->of_bound)}};
  } else {
    json["no_error_because"] = run.no_error_because;
  }
  json["counters"] = totals_json(counted_totals({run.counted}));
  json["closed_form"] = totals_json(closed_form_totals({run.counted}));
  json["counters_equal"] = counted_as_closed_form(run.counted);
  json["cycles"] = kernel.cycles.value;
  json["seconds"] = kernel.time.value;
  json["sram_per_pe_bytes"] = run.sram_bytes;
  json["host"] = {{"seconds", run.host_seconds},
                  {"weight_bytes", run.host_bytes},
                  {"gb_per_s", gb_per_s(run.host_bytes, run.host_seconds)}};
  return json;
}

}  // namespace

Lines kernel_runs_text(const KernelRuns& runs, const Page& page) {
  Lines lines =
      wrapped(fmt::format("{} on {} x {} PEs of {}, {}, {}", runs.command, runs.mesh.rows, runs.mesh.cols, runs.system,
                          runs.types, runs.batch == 1 ? "one token" : fmt::format("{} tokens", runs.batch)),
              page.width);
  Table table({{"kernel", Align::wrap},
               {"error", Align::right},
               {"of bound", Align::right},
               {"SRAM", Align::right},
               {"counters", Align::right},
               {"cycles", Align::right},
               {"time", Align::right}});
  double host_seconds = 0;
  std::int64_t host_bytes = 0;
  for (const TimedKernel& kernel : runs.kernels) {
    table.add({kernel.run.what, error_text(kernel.run), bound_text(kernel.run), count_text(kernel.run.sram_bytes),
               counted_as_closed_form(kernel.run.counted) ? "equal" : "differ", whole(kernel.cycles.value),
               seconds_text(kernel.time)});
    host_seconds += kernel.run.host_seconds;
    host_bytes += kernel.run.host_bytes;
  }
  for (const std::string& line : table.lines(page)) lines.push_back(line);
  const auto add = [&](const std::string& text) {
    for (const std::string& line : wrapped(text, page.width)) lines.push_back(line);
  };
  add(
      fmt::format("error: the largest of all outputs, over the largest output in double precision. SRAM: bytes of the "
                  "busiest PE, of {}; {} of them are code and system. counters: of each step, emulated and in closed "
                  "form.",
                  count_text(runs.sram_bytes_per_pe), count_text(runs.reserved_bytes)));
  for (const std::string& note : runs.notes) add(note);
  if (runs.kernels.size() == 1) {
    lines.push_back("Busiest PE or link of each step, summed over the steps:");
    for (const std::string& line : counters_text(runs.kernels.front().run, page)) lines.push_back(line);
  }
  lines.push_back(fmt::format("Host: {} s, {} threads, {} GB/s of weights", significant(host_seconds, 3), runs.threads,
                              significant(gb_per_s(host_bytes, host_seconds), 3)));
  return lines;
}

std::string kernel_runs_json(const KernelRuns& runs) {
  Json json = document();
  json["inputs"] = {{"kernel", runs.command},
                    {"system", runs.system},
                    {"software", runs.software},
                    {"types", runs.types},
                    {"mesh", {{"rows", runs.mesh.rows}, {"cols", runs.mesh.cols}}},
                    {"batch", runs.batch},
                    {"threads", runs.threads}};
  json["sram_per_pe_bytes"] = {{"capacity", runs.sram_bytes_per_pe}, {"code_and_system", runs.reserved_bytes}};
  json["kernels"] = Json::array();
  for (const TimedKernel& kernel : runs.kernels) json["kernels"].push_back(kernel_json(kernel));
  json["notes"] = runs.notes;
  return dumped(json);
}

}  // namespace waferline::report
