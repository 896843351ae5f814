#pragma once
// What a plan has to keep to, whoever made it.

#include <cstdint>
#include <string>
#include <vector>

#include "mapping/assemble.hpp"

namespace waferline::mapping {

/// Something wrong with a plan.
struct PlanProblem {
  std::int64_t region = -1;  ///< index, or -1 if it is about the whole plan
  std::string key;           ///< of a plan file: "row", "layers", ...
  std::string what;
  bool shortage = false;  ///< a PE would hold more than its SRAM: the plan is sound but does not fit
};

/// Every problem of a plan: regions outside the usable rectangle, over one another or over defects; empty wafers
/// between others; parts that are not there once, or out of order; forms that a part does not have; PEs that hold more
/// than their SRAM; more colors than the fabric has. Empty if the plan is sound.
std::vector<PlanProblem> check(const Assembly& assembly, const Problem& problem, const Plan& plan);

}  // namespace waferline::mapping
