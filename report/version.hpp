#pragma once

namespace waferline::report {

/// Version of this build, e.g. "0.1.0".
const char* version();

/// Version of the JSON documents. Keys may be added under one version, none renamed or given another meaning.
inline constexpr int schema_version = 1;

}  // namespace waferline::report
