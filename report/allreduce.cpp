#include "report/allreduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/json_parts.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using Json = nlohmann::ordered_json;
using kernels::Algorithm;
using kernels::CollectiveCounts;
using kernels::CollectivePlan;
using kernels::Root;

const char* name(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::chain:
      return "chain";
    case Algorithm::k_tree:
      return "k-tree";
    case Algorithm::star:
      return "star";
    case Algorithm::ring:
      return "ring";
  }
  return "";
}

std::vector<std::int64_t> groups_of(const CollectivePlan& plan) {
  if (plan.algorithm != Algorithm::k_tree) return {};
  return {plan.groups.begin(), plan.groups.begin() + plan.levels};
}

std::string plan_text(const CollectivePlan& plan, std::int64_t root) {
  if (plan.algorithm == Algorithm::ring) return "ring";
  std::string text = name(plan.algorithm);
  const auto groups = groups_of(plan);
  if (!groups.empty()) text += fmt::format(" of groups of {}", fmt::join(groups, " x "));
  return text + fmt::format(", root {} (PE {})", plan.root == Root::end ? "at the end" : "in the middle", root);
}

/// What the cycles of the closed form consist of: name, count, cycles for each.
struct Cause {
  const char* what;
  std::int64_t count;
  int each;
};

std::vector<Cause> causes(const AllreduceReport& report) {
  const CollectiveCounts& counts = report.answer.counts;
  const auto& timing = report.question.timing;
  const bool moves = counts.payload_slots != 0;
  return {{"payload slots", counts.payload_slots, 1},
          {"hops", counts.hops, timing.hop},
          {"ramps", counts.ramps, timing.ramp},
          {"stages", counts.stages, timing.stage},
          {"switches", counts.switches, timing.task_switch},
          {"start-up", moves ? 1 : 0, timing.startup}};
}

void append_host(Lines& lines, const AllreduceReport& report) {
  const kernels::fabric::SteppedAllreduce& stepped = *report.answer.stepped;
  const double seconds = std::max(stepped.host_seconds, 1e-9);
  lines.push_back(fmt::format("Sums differ from double precision by {} of their magnitude at most.",
                              significant(stepped.largest_error, 2)));
  lines.push_back(fmt::format("Host: {} s, {} B of state for each PE,", significant(stepped.host_seconds, 3),
                              significant(stepped.run.state_bytes_per_pe, 3)));
  lines.push_back(fmt::format("{} million PE-cycles/s, {} million wavelet-hops/s.",
                              significant(static_cast<double>(stepped.run.stepped_pe_cycles) / seconds * 1e-6, 3),
                              significant(static_cast<double>(stepped.run.traffic.wavelet_hops) / seconds * 1e-6, 3)));
}

}  // namespace

Lines allreduce_text(const AllreduceReport& report, const Page& page) {
  const auto& question = report.question;
  const auto& answer = report.answer;
  Lines lines;
  lines.push_back(fmt::format("{} of {} wavelets on {} {} of {} PEs of {}",
                              question.to_root ? "Reduction" : "All-reduce", count_text(question.lineup.words),
                              count_text(question.lineup.lines), question.lineup.lines == 1 ? "line" : "lines",
                              count_text(question.lineup.positions), report.system));
  lines.push_back(plan_text(question.plan, answer.root));
  Table cycles({{"timed by"}, {"cycles", Align::right}});
  cycles.add({"closed form", whole(answer.closed_form.value)});
  cycles.add({"max-plus sweep", count_text(answer.swept_cycles)});
  if (answer.stepped) cycles.add({"stepped fabric", count_text(answer.stepped->run.cycles)});
  append(lines, cycles.lines(page));
  lines.push_back(answer.agrees() ? "They agree to the cycle. Critical path:"
                                  : "They differ. Critical path of the closed form:");
  Table parts({{"counted"}, {"times", Align::right}, {"cycles each", Align::right}, {"cycles", Align::right}});
  for (const Cause& cause : causes(report)) {
    parts.add({cause.what, count_text(cause.count), count_text(cause.each), count_text(cause.count * cause.each)});
  }
  append(lines, parts.lines(page));
  lines.push_back(fmt::format("Busiest link: {} wavelets; busiest PE: {} words combined.",
                              count_text(answer.counts.link_wavelets), count_text(answer.counts.combines)));
  if (answer.stepped) append_host(lines, report);
  return lines;
}

std::string allreduce_json(const AllreduceReport& report) {
  const auto& question = report.question;
  const auto& answer = report.answer;
  Json json = document();
  json["inputs"] = {{"system", report.system},
                    {"lines", question.lineup.lines},
                    {"pes", question.lineup.positions},
                    {"wavelets", question.lineup.words},
                    {"algorithm", name(question.plan.algorithm)},
                    {"groups", groups_of(question.plan)},
                    {"root", answer.root},
                    {"to_root", question.to_root},
                    {"hop_cycles", question.timing.hop},
                    {"ramp_cycles", question.timing.ramp},
                    {"stage_cycles", question.timing.stage},
                    {"switch_cycles", question.timing.task_switch},
                    {"startup_cycles", question.timing.startup}};
  json["cycles"] = {{"closed_form", answer.closed_form.value}, {"sweep", answer.swept_cycles}};
  json["agree"] = answer.agrees();
  json["counters"] = {{"payload_slots", answer.counts.payload_slots},
                      {"hops", answer.counts.hops},
                      {"ramps", answer.counts.ramps},
                      {"stages", answer.counts.stages},
                      {"switches", answer.counts.switches},
                      {"link_wavelets", answer.counts.link_wavelets},
                      {"combines", answer.counts.combines}};
  if (answer.stepped) {
    const auto& run = answer.stepped->run;
    json["cycles"]["fabric"] = run.cycles;
    json["fabric"] = {{"link_wavelets", run.link_wavelets},
                      {"combines", run.combines},
                      {"wavelet_hops", run.traffic.wavelet_hops},
                      {"largest_error", answer.stepped->largest_error}};
    json["host"] = {{"seconds", answer.stepped->host_seconds},
                    {"threads", question.threads},
                    {"state_bytes_per_pe", run.state_bytes_per_pe}};
  }
  return dumped(json);
}

}  // namespace waferline::report
