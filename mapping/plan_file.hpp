#pragma once
// A plan as a file that can be edited and read back.

#include <string>
#include <string_view>
#include <vector>

#include "mapping/placement.hpp"
#include "mapping/plan_check.hpp"

namespace waferline::mapping {

/// A plan with where it came from.
struct PlanFile {
  Plan plan;
  std::vector<int> lines;  ///< of each region in the file
  std::string file_name;
};

/// What a plan was made for: written into the file for the reader, compared when it is read back.
struct PlanPurpose {
  std::string model;
  std::string system;
};

/// TOML that `parse_plan` reads back to an equal plan: one [[region]] table each, in the order of the pipeline.
std::string plan_toml(const Plan& plan, const PlanPurpose& purpose);

/// Reads a plan from TOML text; `file_name` is for messages.
/// Errors: ConfigError with file, line and key for unknown or missing keys, wrong types and values out of range, and
/// for another model or system than `purpose` names.
PlanFile parse_plan(std::string_view toml_text, const std::string& file_name, const PlanPurpose& purpose);

/// Model and system that a plan's text names, without looking at its regions. Errors: as `parse_plan`.
PlanPurpose read_purpose(std::string_view toml_text, const std::string& file_name);

/// The problems of a plan as one message, each with the file's line and key.
std::string describe(const std::vector<PlanProblem>& problems, const PlanFile& file);

/// The account of a plan from a file.
/// Errors: ConfigError with everything that is wrong with it, DoesNotFit if all that is wrong is room; both with the
/// file's lines. ConfigError for a request out of range.
Placement place_as_planned(const models::Model& model, const Wafer& wafer, const SoftwareProfile& software,
                           const PlaceRequest& request, const PlanFile& file);

}  // namespace waferline::mapping
