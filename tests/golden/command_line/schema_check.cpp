#include "tests/golden/command_line/schema_check.hpp"

#include <nlohmann/json.hpp>

namespace waferline::tests {
namespace {

using Json = nlohmann::ordered_json;

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  if (type == "boolean") return value.is_boolean();
  return type == "null" && value.is_null();
}

class Check {
 public:
  explicit Check(const Json& root) : root_(root) {}

  void visit(const Json& value, const Json& schema, const std::string& path) {
    if (schema.contains("$ref")) {
      visit(value, root_.at(Json::json_pointer(schema.at("$ref").get<std::string>().substr(1))), path);
      return;
    }
    if (schema.contains("const") && value != schema.at("const")) problems.push_back(path + ": is " + value.dump());
    if (schema.contains("type") && !type_fits(value, schema.at("type"))) {
      problems.push_back(path + ": is " + value.dump().substr(0, 40) + ", expected " + schema.at("type").dump());
      return;
    }
    if (value.is_object()) visit_members(value, schema, path);
    if (value.is_array() && schema.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i)
        visit(value[i], schema.at("items"), path + "/" + std::to_string(i));
    }
  }

  std::vector<std::string> problems;

 private:
  static bool type_fits(const Json& value, const Json& type) {
    if (type.is_string()) return has_type(value, type.get<std::string>());
    for (const Json& one : type) {
      if (has_type(value, one.get<std::string>())) return true;
    }
    return false;
  }

  void visit_members(const Json& value, const Json& schema, const std::string& path) {
    if (schema.contains("required")) {
      for (const Json& key : schema.at("required")) {
        if (!value.contains(key.get<std::string>())) problems.push_back(path + ": lacks " + key.dump());
      }
    }
    for (const auto& [key, member] : value.items()) {
      if (schema.contains("properties") && schema.at("properties").contains(key)) {
        visit(member, schema.at("properties").at(key), path + "/" + key);
      } else if (schema.contains("additionalProperties") && schema.at("additionalProperties").is_object()) {
        visit(member, schema.at("additionalProperties"), path + "/" + key);
      }
    }
  }

  const Json& root_;
};

}  // namespace

std::vector<std::string> schema_problems(const Json& document, const Json& schema) {
  Check check(schema);
  check.visit(document, schema, "");
  return check.problems;
}

}  // namespace waferline::tests
