#pragma once
// Shared pieces of schema 1. For the .cpp files of this folder only: whoever reads JSON gets text.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace waferline::models {
struct Inspection;
}

namespace waferline::estimate {
struct Assumption;
struct DecodeEstimate;
}  // namespace waferline::estimate

namespace waferline::report {

struct WholeAnswer;

/// {"schema": 1, "tool": {...}}: how every document begins.
nlohmann::ordered_json document();

/// Indented text ending in a newline. Bytes that are not UTF-8, e.g. of a path, become U+FFFD.
std::string dumped(const nlohmann::ordered_json& json);

/// The value, or null.
nlohmann::ordered_json or_null(const std::optional<double>& value);

/// The object `model` of `inspect` and `estimate`.
nlohmann::ordered_json model_json(const models::Inspection& model);

/// {name: seconds}, the parts of `tpot_s.expected`; {name: share of it}.
nlohmann::ordered_json breakdown_json(const estimate::DecodeEstimate& decode);
nlohmann::ordered_json breakdown_share_json(const estimate::DecodeEstimate& decode);

/// The list `assumptions`.
nlohmann::ordered_json assumptions_json(const std::vector<estimate::Assumption>& assumptions);

/// Adds the objects `answer`, `speculation` and `cost` of `estimate`, each if it was asked for.
void add_whole_answer(const WholeAnswer& answer, nlohmann::ordered_json& json);

}  // namespace waferline::report
