#pragma once
// What a model is made of, as text and as JSON.

#include <string>
#include <vector>

#include "models/inspect.hpp"
#include "report/page.hpp"

namespace waferline::report {

/// Consecutive layers that are equal share one line: "0-2".
Lines inspect_text(const models::Inspection& model, const Page& page);

/// Schema 1, `inspect`.
std::string inspect_json(const models::Inspection& model);

/// One line a model: parameters, weights as stored, layers, longest context.
Lines models_text(const std::vector<models::Inspection>& models, const Page& page);
std::string models_json(const std::vector<models::Inspection>& models);

}  // namespace waferline::report
