#include <fmt/format.h>

#include "report/html/chart.hpp"
#include "report/html/estimate_page.hpp"
#include "report/html/wafer_map.hpp"
#include "report/number.hpp"

namespace waferline::report {

using namespace estimate;

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
  const WaferMap map_of{placement, answer.usable_extent, "/wafer/regions"};
  const std::string map = wafer_map(map_of);
  const std::string numbers = table_html(room) + table_html(sram);
  const std::string regions = region_table(map_of);
  return section_html(
      "placement", "Where the model lies",
      paragraph_html("Numbers in the map are layers; fainter regions come earlier on the way of a token. Embedding and "
                     "output head have colours of their own.") +
          (placement.wafers == 1 ? pair_html(map, numbers) + regions : map + pair_html(numbers, regions)));
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
        {quoted({key + "/label", row.label}), shown(shown_rate(key + "/tokens_per_s", row.tokens_per_s)),
         row.context_stated ? shown(shown_count(key + "/prompt_tokens", row.context_tokens)) : "not stated",
         row.speculates ? "not excluded" : "no", quoted({key + "/date", row.date}), quoted({key + "/row", row.id})});
  }
  std::string body = table_html(table);
  if (answer.speculating_service) {
    const SpeculatingService& service = *answer.speculating_service;
    body += fmt::format(
        "<p>Speeds with speculation come from newer kernels and several tokens a pass: beside them belongs "
        "<code>--software {}</code> <code>--accepted-tokens {}</code>.</p>\n",
        quoted({"/page/speculating_service/software", service.software}),
        shown({"/page/speculating_service/accepted_tokens", service.accepted_tokens,
               plain_number(service.accepted_tokens)}));
  }
  return section_html("published", "Published speeds of this model on this wafer", body);
}

namespace {

constexpr std::size_t most_drawn = 8;

std::string sensitivity_part(const EstimateAnswer& answer) {
  HtmlTable table{"Tokens per second with one input at either end of its band, the strongest first",
                  {"input", "slow", "fast"},
                  {},
                  {false, true, true},
                  answer.decode.sensitivity.size() > 12};
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < answer.decode.sensitivity.size(); ++i) {
    const SensitivityLine& line = answer.decode.sensitivity[i];
    const std::string key = fmt::format("/sensitivity/{}", i);
    const Quoted name{key + "/key", line.key};
    const Shown low = shown_rate(key + "/tokens_per_s_low", line.tokens_per_s_low);
    const Shown high = shown_rate(key + "/tokens_per_s_high", line.tokens_per_s_high);
    table.rows.push_back({quoted(name), shown(low), shown(high)});
    if (ranges.size() < most_drawn && low.value != high.value) ranges.push_back({name, low, high});
  }
  const std::string chart =
      range_chart({"inputs", "What moves the answer",
                   "For the strongest inputs, tokens per second from one end of the input's band to the other, around "
                   "the expected value."},
                  ranges, answer.decode.tokens_per_s.expected, {"tokens/s of one user"});
  return pair_html(
      figure_html("One input at a time from one end of its band to the other; the line is the estimate", chart),
      table_html(table));
}

HtmlTable assumption_table(const std::vector<Assumption>& assumptions) {
  HtmlTable table{"Every input of the estimate", {"input", "value", "known from", "source"}, {}, {}, false, true};
  for (std::size_t i = 0; i < assumptions.size(); ++i) {
    const Assumption& assumption = assumptions[i];
    const std::string key = fmt::format("/assumptions/{}", i);
    table.rows.push_back({quoted({key + "/key", assumption.key}), quoted({key + "/value", assumption.value}),
                          quoted({key + "/kind", assumption.kind}), quoted({key + "/source", assumption.source})});
  }
  return table;
}

}  // namespace

std::string sensitivity_section(const EstimateAnswer& answer) {
  if (answer.decode.sensitivity.empty()) return {};
  return section_html("inputs", "What moves the answer", sensitivity_part(answer));
}

std::string assumptions_section(const std::vector<Assumption>& assumptions, const std::vector<std::string>& notes) {
  std::string body = table_html(assumption_table(assumptions));
  std::vector<std::string> items;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    items.push_back(quoted({fmt::format("/notes/{}", i), notes[i]}));
  }
  if (!items.empty()) body += "<h3>Notes</h3>\n" + list_html(items);
  return section_html("assumptions", "What it rests on", body);
}

}  // namespace waferline::report
