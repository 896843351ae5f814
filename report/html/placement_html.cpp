#include <fmt/format.h>

#include <cassert>

#include "report/html/estimate_page.hpp"
#include "report/html/placement_page.hpp"
#include "report/number.hpp"
#include "report/placement/figures.hpp"

namespace waferline::report {
namespace {

Quoted system_of(const PlacementAnswer& answer) {
  return {"/inputs/system", answer.decode.system};
}

const char* plural(std::int64_t count) {
  return count == 1 ? "" : "s";
}

std::string lead(const PlacementAnswer& answer) {
  const estimate::DecodeEstimate& decode = answer.decode;
  const mapping::Placement& placement = decode.placement;
  const mapping::SearchAccount& search = placement.search;
  std::string text = fmt::format(
      "<p class=\"answer\"><strong>{} wafer{}, {} tokens/s</strong>for one user, between {} and {}; {} per "
      "token.</p>\n",
      shown(shown_count("/wafers", placement.wafers)), plural(placement.wafers),
      shown(shown_rate("/tokens_per_s/expected", decode.tokens_per_s.expected)),
      shown(shown_rate("/tokens_per_s/low", decode.tokens_per_s.low)),
      shown(shown_rate("/tokens_per_s/high", decode.tokens_per_s.high)),
      shown(shown_time("/tpot_s/expected", decode.tpot.expected)));
  text += fmt::format(
      "<p>Objective: {}, {}&nbsp;% from the bound. {} user{} fit{} at a context of {} tokens, with which the pipeline "
      "gives {} tokens/s over all of them.</p>\n",
      quoted({"/search/objective", std::string(name(search.objective))}),
      shown({"/search/gap_pct", search.gap_pct, significant(search.gap_pct, 3)}),
      shown(shown_count("/max_users", placement.max_users)), plural(placement.max_users),
      placement.max_users == 1 ? "s" : "", shown(shown_count("/inputs/context_tokens", decode.request.context_tokens)),
      shown(shown_rate("/pipeline/tokens_per_s", pipeline_figures(answer).tokens_per_s)));
  text += fmt::format(
      "<p class=\"soft\">Software {}, batch {}, caches of {} user{} asked for; longest context that fits {} tokens; {} "
      "PEs and {} of {} routing colors in use.</p>\n",
      quoted({"/inputs/software", decode.software}), shown(shown_count("/inputs/batch", decode.request.batch)),
      shown(shown_count("/inputs/users", decode.request.users)), plural(decode.request.users),
      shown(shown_count("/max_context_tokens", placement.max_context_tokens)),
      shown(shown_count("/pes_used", placement.pes_used)), shown(shown_count("/colors_used", placement.colors_used)),
      shown(shown_count("/colors_available", placement.colors_available)));
  return text;
}

}  // namespace

std::string placement_html(const PlacementAnswer& answer, const std::string& command) {
  assert(answer.with_page && "the document must hold the page's numbers");
  HtmlPage page;
  page.title = fmt::format("{} placed on {}", answer.model, answer.decode.system);
  page.heading = quoted({"/inputs/model", answer.model}) + " placed on " + quoted(system_of(answer));
  page.lead = lead(answer);
  page.body = regions_section(answer) + search_section(answer) + pipeline_section(answer) +
              breakdown_section(answer.decode) + memory_section(answer) + front_section(answer) +
              assumptions_section(answer.decode.assumptions, answer.decode.placement.notes);
  page.command = command;
  return page_html(page);
}

}  // namespace waferline::report
