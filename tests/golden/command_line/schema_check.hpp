#pragma once
// The part of JSON Schema that docs/schema uses: type, required, properties, items, additionalProperties, const, $ref
// into $defs.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace waferline::tests {

/// Every place where `document` breaks `schema`, as "path: problem".
std::vector<std::string> schema_problems(const nlohmann::ordered_json& document, const nlohmann::ordered_json& schema);

}  // namespace waferline::tests
