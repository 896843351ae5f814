#pragma once
// Recorded workloads of serving systems.

#include <filesystem>
#include <vector>

#include "estimate/serving.hpp"

namespace waferline::traces {

/// Reads arrivals with their prompt and output tokens, in the columns of the Azure LLM inference traces (TIMESTAMP as
/// "2023-11-16 18:15:46.6805900", ContextTokens, GeneratedTokens) or as arrival_s, prompt_tokens, output_tokens. Other
/// columns are ignored. The first arrival is time 0.
/// Errors: ConfigError with file, line and column for a missing column, a value that cannot be read, a count below 1,
/// an arrival before the one above it, or a file without rows.
std::vector<estimate::ServingRequest> read_serving_trace(const std::filesystem::path& path);

}  // namespace waferline::traces
