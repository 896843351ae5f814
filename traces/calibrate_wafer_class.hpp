#pragma once
// The shipped software profiles, made from published rows.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "arch/software.hpp"

namespace waferline::traces {

/// Names of the profiles that are fitted: "waferllm", "wafer-engine", "service-2024", "service-2026".
std::span<const std::string_view> wafer_classes();

/// File in the data folder that a class is fitted on. Errors: ConfigError for an unknown class.
std::string_view data_file_of(const std::string& class_name);

/// The shipped profile with the fitted constants reset, so that a fit does not depend on the file that it replaces.
SoftwareProfile starting_point(const std::string& class_name);

/// Fits the profile of that name on the rows of `data_file`: its shipped file gives everything that is not fitted.
/// Errors: ConfigError for an unknown class, a file that cannot be read, or too few rows.
SoftwareProfile calibrate_wafer_class(const std::filesystem::path& data_file, const std::string& class_name);

}  // namespace waferline::traces
