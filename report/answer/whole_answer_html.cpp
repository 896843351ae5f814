#include <fmt/format.h>

#include "report/html/estimate_page.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

using namespace estimate;

std::string time_cell(const std::string& key, Seconds time) {
  return shown(shown_time(key, time));
}

void add_band(HtmlTable& table, const std::string& name, const std::string& key, const SecondsBand& band) {
  table.rows.push_back({escaped(name), time_cell(key + "/high", band.high), time_cell(key + "/expected", band.expected),
                        time_cell(key + "/low", band.low)});
}

HtmlTable time_table(const AnswerTime& time) {
  HtmlTable table{"From the request to the last token",
                  {"part", "slow end", "expected", "fast end"},
                  {},
                  {false, true, true, true}};
  const auto one = [&](const char* name, const char* key, Seconds seconds) {
    table.rows.push_back({name, "", time_cell(key, seconds), ""});
  };
  one("queue, as given", "/answer/queue_s", time.request.queue);
  add_band(table, "prefill", "/answer/prefill/seconds", time.prefill.time);
  if (time.transfer) one("cache over the link", "/answer/kv_transfer/seconds", time.transfer->time);
  one("head, sampling, fixed", "/answer/first_token_s", time.first_token);
  add_band(table, "TTFT", "/answer/ttft_s", time.ttft);
  add_band(table, "TPOT", "/answer/tpot_s", time.tpot);
  add_band(table, "end to end", "/answer/end_to_end_s", time.end_to_end);
  return table;
}

HtmlTable gpu_table(const WholeAnswer& answer) {
  HtmlTable table{"The same answer on GPUs",
                  {"system", "prefill", "TTFT", "TPOT", "end to end"},
                  {},
                  {false, true, true, true, true}};
  for (std::size_t i = 0; i < answer.gpus.size(); ++i) {
    const GpuAnswerTime& gpu = answer.gpus[i];
    if (!gpu.time) continue;
    const std::string key = fmt::format("/answer/gpus/{}/", i);
    table.rows.push_back({quoted({key + "system", gpu.system}),
                          time_cell(key + "time/prefill/seconds/expected", gpu.time->prefill.time.expected),
                          time_cell(key + "time/ttft_s/expected", gpu.time->ttft.expected),
                          time_cell(key + "time/tpot_s/expected", gpu.time->tpot.expected),
                          time_cell(key + "time/end_to_end_s/expected", gpu.time->end_to_end.expected)});
  }
  return table;
}

std::string time_section(const WholeAnswer& answer) {
  const AnswerTime& time = *answer.time;
  const PrefillEstimate& prefill = time.prefill;
  std::string body = fmt::format(
      "<p>{} tokens to a prompt of {}, TPOT at a context of {}. Prefill {}: {} tokens in chunks of at most {}, {} "
      "tokens/s.</p>\n",
      shown(shown_count("/answer/output_tokens", time.request.output_tokens)),
      shown(shown_count("/answer/prompt_tokens", time.request.prefill.prompt_tokens)),
      shown(shown_count("/answer/mean_context_tokens", time.mean_context_tokens)),
      quoted({"/answer/prefill_where", answer.prefill_where}),
      shown(shown_count("/answer/prefill/new_tokens", prefill.new_tokens)),
      shown(shown_count("/answer/prefill/chunk_tokens", prefill.chunk_tokens)),
      shown(shown_rate("/answer/prefill/tokens_per_s", prefill.tokens_per_s())));
  body += table_html(time_table(time));
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < prefill.notes.size(); ++i) {
    notes.push_back(quoted({fmt::format("/answer/prefill/notes/{}", i), prefill.notes[i]}));
  }
  body += list_html(notes);
  const HtmlTable gpus = gpu_table(answer);
  if (!gpus.rows.empty()) body += table_html(gpus);
  return section_html("whole-answer", "A whole answer", body);
}

std::string speculation_section(const SpeculationAnswer& answer) {
  HtmlTable table{"Draft lengths",
                  {"drafted", "tokens a pass", "verification", "round", "tokens/s"},
                  {},
                  {true, true, true, true, true}};
  for (std::size_t k = 0; k < answer.study.choices.size(); ++k) {
    const SpeculationChoice& choice = answer.study.choices[k];
    const std::string key = fmt::format("/speculation/choices/{}/", k);
    table.rows.push_back(
        {shown(shown_count(key + "drafted", choice.drafted)),
         shown({key + "tokens_per_pass", choice.tokens_per_pass, significant(choice.tokens_per_pass, 3)}),
         time_cell(key + "verification_s", answer.verification[k]), time_cell(key + "round_s", choice.round),
         shown(shown_rate(key + "tokens_per_s", choice.rate.value))});
  }
  std::string body = fmt::format(
      "<p>Apart from the rate above. Draft by {}, {} a token; best with {} drafted. Acceptances are as given.</p>\n",
      quoted({"/speculation/draft", answer.request.draft.what}),
      time_cell("/speculation/drafted_token_s", answer.request.draft.token),
      shown(shown_count("/speculation/best_drafted", answer.study.choices[answer.study.best].drafted)));
  return section_html("speculation", "Speculation", body + table_html(table));
}

std::string cost_section(const AnswerCost& cost) {
  HtmlTable table{"Dollars and joules of one answer",
                  {"charged", "wafer time", "dollars", "joules"},
                  {},
                  {false, true, true, true}};
  const auto real = [](const std::string& key, const std::optional<double>& value) {
    return value ? shown({key, *value, significant(*value, 3)}) : std::string();
  };
  if (cost.usd_by_price) {
    table.rows.push_back({"output tokens at the price given", "", real("/cost/usd_by_price", cost.usd_by_price), ""});
  }
  const auto add = [&](const char* name, const std::string& key, const CostShare& share) {
    table.rows.push_back({name, time_cell(key + "/wafer_seconds", share.system_time), real(key + "/usd", share.usd),
                          real(key + "/joules", share.joules)});
  };
  if (cost.rates.usd_per_hour || cost.rates.watts) {
    add("alone on the system", "/cost/alone", cost.alone);
    add("as one of as many as keep it busy", "/cost/busy", cost.busy);
  }
  std::string body = table_html(table);
  if (cost.rates.watts) body += paragraph_html("Energy is nameplate arithmetic: rated watts times time, not measured.");
  return section_html("cost", "What the answer costs", body);
}

}  // namespace

std::string whole_answer_sections(const WholeAnswer& answer) {
  std::string sections;
  if (answer.time) sections += time_section(answer);
  if (answer.speculation) sections += speculation_section(*answer.speculation);
  if (answer.cost) sections += cost_section(*answer.cost);
  return sections;
}

}  // namespace waferline::report
