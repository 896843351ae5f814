#include <fmt/format.h>

#include "report/answer/whole_answer.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using namespace estimate;

void add_band(Table& table, const char* name, const SecondsBand& band) {
  table.add({name, seconds_text(band.high), seconds_text(band.expected), seconds_text(band.low)});
}

std::string prefill_text(const WholeAnswer& answer) {
  const PrefillEstimate& prefill = answer.time->prefill;
  std::string text = fmt::format("Prefill {}: {} tokens in {} of at most {} tokens, {} tokens/s", answer.prefill_where,
                                 count_text(prefill.new_tokens),
                                 prefill.chunks == 1 ? "1 chunk" : count_text(prefill.chunks) + " chunks",
                                 count_text(prefill.chunk_tokens), rate_text(prefill.tokens_per_s()));
  const std::int64_t cached = answer.time->request.prefill.cached_tokens;
  if (cached > 0) text += fmt::format("; {} of the prompt were in the cache", count_text(cached));
  return text + ".";
}

std::string gaps_text(const AnswerTime& time) {
  std::string text = fmt::format("Tokens come {} apart", seconds_text(time.tpot.expected));
  if (time.tokens_per_stream_chunk > 1) {
    text += fmt::format(", to a client in chunks of {} on average, {} apart",
                        plain_number(time.tokens_per_stream_chunk), seconds_text(time.stream_chunk_gap));
  }
  if (time.transfer) return text + "; prefill elsewhere delays no one who decodes.";
  return text +
         fmt::format("; while this prompt runs, another user's next token may take {} (a chunk is {} on its way).",
                     seconds_text(time.longest_token_gap), seconds_text(time.prefill.chunk_way));
}

Lines time_section(const WholeAnswer& answer, const Page& page) {
  const AnswerTime& time = *answer.time;
  Lines lines{"", fmt::format("An answer of {} tokens to a prompt of {}", count_text(time.request.output_tokens),
                              count_text(time.request.prefill.prompt_tokens))};
  Table table({{""}, {"slow end", Align::right}, {"expected", Align::right}, {"fast end", Align::right}});
  const auto one = [&](const char* name, Seconds seconds) { table.add({name, "", seconds_text(seconds)}); };
  one("queue, as given", time.request.queue);
  add_band(table, "prefill", time.prefill.time);
  if (time.transfer) one("cache over the link", time.transfer->time);
  one("head, sampling, fixed", time.first_token);
  add_band(table, "TTFT", time.ttft);
  add_band(table, fmt::format("TPOT at context {}", count_text(time.mean_context_tokens)).c_str(), time.tpot);
  add_band(table, "end to end", time.end_to_end);
  append(lines, table.lines(page));
  append(lines, wrapped(prefill_text(answer), page.width, 2));
  if (time.transfer) {
    append(lines, wrapped(fmt::format("The cache of the prompt, {}, moves after prefill, not during it.",
                                      bytes_text(time.transfer->bytes)),
                          page.width, 2));
  }
  append(lines, wrapped(gaps_text(time), page.width, 2));
  for (const std::string& note : time.prefill.notes) append(lines, wrapped("- " + note, page.width, 2, 2));
  return lines;
}

Lines gpu_section(const WholeAnswer& answer, const Page& page) {
  if (answer.gpus.empty()) return {};
  Lines lines{"", "The same answer on GPUs"};
  Table table({{"system"},
               {"prefill", Align::right},
               {"TTFT", Align::right},
               {"TPOT", Align::right},
               {"end to end", Align::right},
               {"band", Align::right},
               {"wafer", Align::right}});
  Lines problems;
  for (const GpuAnswerTime& gpu : answer.gpus) {
    if (!gpu.time) {
      append(problems, wrapped(fmt::format("- {}: {}", gpu.system, gpu.problem), page.width, 2, 2));
      continue;
    }
    const AnswerTime& time = *gpu.time;
    table.add({gpu.system, seconds_text(time.prefill.time.expected), seconds_text(time.ttft.expected),
               seconds_text(time.tpot.expected), seconds_text(time.end_to_end.expected),
               fmt::format("{}-{}", seconds_text(time.end_to_end.low), seconds_text(time.end_to_end.high)),
               times_text(time.end_to_end.expected / answer.time->end_to_end.expected)});
  }
  if (!table.empty()) append(lines, table.lines(page));
  append(lines, problems);
  append(lines, wrapped("Prefill there: the longer of arithmetic and bandwidth for each chunk, not fitted on prefill.",
                        page.width, 2));
  return lines;
}

Lines speculation_section(const SpeculationAnswer& answer, const Page& page) {
  const SpeculationStudy& study = answer.study;
  Lines lines{"", "Speculation, apart from the rate above"};
  Table table({{"drafted", Align::right},
               {"tokens a pass", Align::right},
               {"verification", Align::right},
               {"round", Align::right},
               {"tokens/s", Align::right},
               {"gain", Align::right}});
  for (std::size_t k = 0; k < study.choices.size(); ++k) {
    const SpeculationChoice& choice = study.choices[k];
    table.add({fmt::format("{}{}", k == study.best ? "best " : "", choice.drafted),
               significant(choice.tokens_per_pass, 3), seconds_text(answer.verification[k]), seconds_text(choice.round),
               rate_text(choice.rate.value), times_text(choice.rate / study.choices.front().rate)});
  }
  append(lines, table.lines(page));
  append(lines, wrapped(fmt::format("Draft by {}: {} a token. Acceptances are as given, not predicted. Verification: "
                                    "one row more than tokens drafted, "
                                    "as a batch or one behind the other, whichever is faster.",
                                    answer.request.draft.what, seconds_text(answer.request.draft.token)),
                        page.width, 2));
  return lines;
}

std::string dollars(const std::optional<double>& usd) {
  return usd ? "$" + significant(*usd, 3) : "-";
}

std::string joules(const std::optional<double>& energy) {
  return energy ? significant(*energy, 3) + " J" : "-";
}

Lines cost_section(const AnswerCost& cost, const Page& page) {
  Lines lines{"", "What the answer costs"};
  Table table({{""}, {"wafer time", Align::right}, {"dollars", Align::right}, {"energy", Align::right}});
  if (cost.usd_by_price) table.add({"output tokens at the price given", "", dollars(cost.usd_by_price)});
  if (cost.rates.usd_per_hour || cost.rates.watts) {
    table.add({"alone on the system", seconds_text(cost.alone.system_time), dollars(cost.alone.usd),
               joules(cost.alone.joules)});
    table.add({fmt::format("as one of {} users", significant(cost.users_when_busy, 3)),
               seconds_text(cost.busy.system_time), dollars(cost.busy.usd), joules(cost.busy.joules)});
  }
  append(lines, table.lines(page));
  if (cost.rates.usd_per_hour) {
    append(lines, wrapped(fmt::format("${} an hour for each of {} wafers, as given.",
                                      plain_number(*cost.rates.usd_per_hour), cost.wafers),
                          page.width, 2));
  }
  if (cost.rates.watts) {
    append(lines,
           wrapped(fmt::format("Nameplate arithmetic: {} W for each of {} wafers, as given, times the time. Nobody "
                               "measured what an answer draws.",
                               plain_number(cost.rates.watts->value), cost.wafers),
                   page.width, 2));
  }
  return lines;
}

}  // namespace

Lines whole_answer_text(const WholeAnswer& answer, const Page& page) {
  Lines lines;
  if (answer.time) {
    append(lines, time_section(answer, page));
    append(lines, gpu_section(answer, page));
  }
  if (answer.speculation) append(lines, speculation_section(*answer.speculation, page));
  if (answer.cost) append(lines, cost_section(*answer.cost, page));
  return lines;
}

}  // namespace waferline::report
