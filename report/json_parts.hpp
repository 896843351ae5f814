#pragma once
// Shared pieces of schema 1. For the .cpp files of this folder only: whoever reads JSON gets text.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace waferline::models {
struct Inspection;
}

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

/// Adds the objects `answer`, `speculation` and `cost` of `estimate`, each if it was asked for.
void add_whole_answer(const WholeAnswer& answer, nlohmann::ordered_json& json);

}  // namespace waferline::report
