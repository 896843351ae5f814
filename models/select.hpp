#pragma once
// Which rule reads a configuration: decided by its keys, with model_type as a hint.

#include "models/family.hpp"

namespace waferline::models {

/// The family of a configuration; a note says which rule fired and why.
/// Errors: ConfigError at once for a refused or unknown model_type, since nothing can be read without a family.
const Family& select_family(Keys& keys);

/// The family of that name, or nullptr.
const Family* family_named(std::string_view name);

}  // namespace waferline::models
