#include <fmt/format.h>

#include "report/answer/serving.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using namespace estimate;

Lines latencies(const ServingSummary& summary, const Page& page) {
  Table table(
      {{"", Align::left}, {"p50", Align::right}, {"p90", Align::right}, {"p99", Align::right}, {"mean", Align::right}});
  const auto times = [&](const char* name, const Percentiles& of) {
    table.add({name, seconds_text(Seconds{of.p50}), seconds_text(Seconds{of.p90}), seconds_text(Seconds{of.p99}),
               seconds_text(Seconds{of.mean})});
  };
  times("TTFT", summary.ttft_s);
  times("TPOT", summary.tpot_s);
  times("end to end", summary.end_to_end_s);
  const Percentiles& rates = summary.tokens_per_s_per_user;
  table.add(
      {"tokens/s of a user", rate_text(rates.p50), rate_text(rates.p90), rate_text(rates.p99), rate_text(rates.mean)});
  return table.lines(page);
}

std::string system_text(const ServingAnswer& answer) {
  if (answer.wafers == 0) return "A system as stated";
  return fmt::format("{} on {} {}, software {}", answer.model, answer.wafers, answer.system, answer.software);
}

Lines load_curve(const ServingAnswer& answer, const Page& page) {
  Table table({{"requests/s", Align::right},
               {"tokens/s", Align::right},
               {"decoding", Align::right},
               {"TTFT p50", Align::right},
               {"TTFT p99", Align::right},
               {"TPOT p50", Align::right}});
  for (const LoadPoint& point : answer.curve) {
    const ServingSummary& at = point.summary;
    table.add({plain_number(point.requests_per_s), rate_text(at.output_tokens_per_s),
               significant(100 * at.decode_utilisation, 3) + " %", seconds_text(Seconds{at.ttft_s.p50}),
               seconds_text(Seconds{at.ttft_s.p99}), seconds_text(Seconds{at.tpot_s.p50})});
  }
  return table.lines(page);
}

}  // namespace

Lines serving_text(const ServingAnswer& answer, const Page& page) {
  const ServingSummary& summary = answer.summary;
  Lines lines{system_text(answer)};
  append(lines, wrapped(answer.workload, page.width, 2));
  append(lines, wrapped(fmt::format("a token of one user {}, slowest stage {}, {}; at most {} users and {} KV tokens",
                                    seconds_text(answer.pass), seconds_text(answer.slowest_stage),
                                    answer.wafers > 0 ? "at context " + count_text(answer.context_tokens) : "as stated",
                                    count_text(static_cast<std::int64_t>(answer.serving.token_time.size())),
                                    count_text(answer.serving.kv_capacity_tokens)),
                        page.width, 2));
  append(lines, wrapped(answer.prefill_source, page.width, 2));
  lines.emplace_back();
  append(lines, latencies(summary, page));
  lines.emplace_back();
  append(lines,
         wrapped(fmt::format(
                     "{} requests served, {} refused (larger than all KV); {} tokens/s and {} requests/s of all "
                     "users; decoding at {} % of its most, prefill busy {} % of the time, {} users decode on "
                     "average",
                     count_text(summary.served), count_text(summary.refused), rate_text(summary.output_tokens_per_s),
                     significant(summary.requests_per_s, 3), significant(100 * summary.decode_utilisation, 3),
                     significant(100 * summary.prefill_utilisation, 3), significant(summary.mean_decoding_users, 3)),
                 page.width, 2));
  if (answer.curve.empty()) return lines;
  lines.emplace_back();
  lines.emplace_back("Latency against load");
  append(lines, load_curve(answer, page));
  return lines;
}

}  // namespace waferline::report
