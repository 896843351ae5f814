#pragma once
// Predictions beside published measurements, as text, as JSON and as the table of the README.

#include <span>
#include <string>

#include "report/page.hpp"
#include "traces/validate.hpp"

namespace waferline::report {

/// Each set's errors, its parts, its worst points and what was left out. `every_point` lists all points.
Lines validation_text(std::span<const traces::ValidationSet> sets, const Page& page, bool every_point);

/// One Markdown table with a row for each set and each part of a set.
Lines validation_markdown(std::span<const traces::ValidationSet> sets);

/// Schema 1, `validate`.
std::string validation_json(std::span<const traces::ValidationSet> sets);

}  // namespace waferline::report
