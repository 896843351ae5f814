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

}  // namespace waferline::report
