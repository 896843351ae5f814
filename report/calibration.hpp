#pragma once
// What a calibration found, as text and as JSON.

#include <string>

#include "arch/gpu_engine.hpp"
#include "arch/software.hpp"
#include "report/page.hpp"

namespace waferline::report {

/// Constants of a profile with their bands and provenance, then the errors of the fit and its worst rows.
Lines calibration_text(const SoftwareProfile& profile, const Page& page);
Lines calibration_text(const GpuEngine& engine, const Page& page);

/// {"schema", "name", "constants": [...], "fit": {...}}.
std::string calibration_json(const SoftwareProfile& profile);
std::string calibration_json(const GpuEngine& engine);

}  // namespace waferline::report
