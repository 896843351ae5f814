#include <fmt/format.h>

#include "report/html/estimate_page.hpp"
#include "report/number.hpp"

namespace waferline::report {
namespace {

std::string lead(const EstimateAnswer& answer) {
  const estimate::DecodeEstimate& decode = answer.decode;
  std::string text = fmt::format(
      "<p class=\"answer\"><strong>{} tokens/s</strong>for one user, between {} and {}; {} per token.</p>\n",
      shown(shown_rate("/tokens_per_s/expected", decode.tokens_per_s.expected)),
      shown(shown_rate("/tokens_per_s/low", decode.tokens_per_s.low)),
      shown(shown_rate("/tokens_per_s/high", decode.tokens_per_s.high)),
      shown(shown_time("/tpot_s/expected", decode.tpot.expected)));
  text += fmt::format(
      "<p>On {} {} {} with software {}, at a context of {} tokens, batch {}, {} {} a pass. With every stage of "
      "the "
      "pipeline busy: {} tokens/s over all users.</p>\n",
      shown(shown_count("/wafer/wafers", decode.placement.wafers)), decode.placement.wafers == 1 ? "wafer" : "wafers",
      quoted(quoted_system(answer)), quoted({"/wafer/software", decode.software}),
      shown(shown_count("/inputs/context_tokens", decode.request.context_tokens)),
      shown(shown_count("/inputs/batch", decode.request.batch)),
      shown({"/inputs/accepted_tokens", decode.request.accepted_tokens, plain_number(decode.request.accepted_tokens)}),
      decode.request.accepted_tokens == 1 ? "token" : "tokens",
      shown(shown_rate("/wafer/pipelined_tokens_per_s", decode.pipelined_tokens_per_s)));
  text += fmt::format("<p class=\"soft\">The model: {} parameters, {} of them read per token; weights {} ({}).</p>\n",
                      shown({"/model/parameters/total", static_cast<double>(answer.model.parameters.total()),
                             parameters_text(answer.model.parameters.total())}),
                      shown({"/model/parameters/read_per_token", static_cast<double>(answer.model.read_per_token),
                             parameters_text(answer.model.read_per_token)}),
                      shown({"/model/weight_bytes", static_cast<double>(answer.model.weight_bytes.value),
                             bytes_text(answer.model.weight_bytes)}),
                      quoted({"/inputs/weight_types", answer.model.weight_types}));
  return text;
}

}  // namespace

std::string estimate_html(const EstimateAnswer& answer, const std::string& command) {
  HtmlPage page;
  page.title = fmt::format("{} on {}", answer.model.name, answer.decode.system);
  page.heading = quoted({"/model/name", answer.model.name}) + " on " + quoted(quoted_system(answer));
  page.lead = lead(answer);
  page.body = whole_answer_sections(answer.whole) + breakdown_section(answer.decode) + bounds_section(answer) +
              gpu_section(answer) + series_section(answer) + placement_section(answer) + sensitivity_section(answer) +
              published_section(answer) + assumptions_section(answer.decode.assumptions, answer.decode.notes);
  page.command = command;
  return page_html(page);
}

}  // namespace waferline::report
