#pragma once
// What fits before a deadline, as text and as JSON.

#include <string>

#include "estimate/deadline.hpp"
#include "report/page.hpp"

namespace waferline::report {

/// The answer for people: budgets first, then the loop, thresholds and sensitivity.
Lines deadline_text(const estimate::DeadlineStudy& study, const Page& page);

/// Schema 1, `deadline`.
std::string deadline_json(const estimate::DeadlineStudy& study);

/// One self-contained page with charts. Its numbers carry their pointers into deadline_json of the same study.
std::string deadline_html(const estimate::DeadlineStudy& study, const std::string& command);

}  // namespace waferline::report
