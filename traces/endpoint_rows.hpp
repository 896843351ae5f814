#pragma once
// Speeds of models served on wafers, as published, with the conditions that the estimate needs.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "traces/validate.hpp"

namespace waferline::traces {

/// One published speed.
struct EndpointRow {
  std::string id;
  std::string label;  ///< as published
  std::string provider;
  std::string date;    ///< as published: YYYY-MM-DD, or less exact
  std::string model;   ///< name in the library
  std::string system;  ///< wafer
  std::optional<int> weight_bits;
  std::int64_t context_tokens = 0;
  bool context_stated = false;  ///< false: the source names no length, and context_tokens is assumed
  double tokens_per_s = 0;
  bool speculates = false;  ///< served after speculation was introduced: the row says yes, or does not say
};

struct EndpointRows {
  std::vector<EndpointRow> rows;
  std::vector<SkippedRow> skipped;
};

/// Rows of a file with the columns of `endpoint_speeds.csv` that are served speeds on wafers of a published model, of
/// high or medium reliability and measured or stated by the vendor. All others are named with the reason. A prompt
/// whose length is not stated counts as 1,000 tokens. Errors: ConfigError for a file that cannot be read or lacks a
/// column.
EndpointRows read_endpoint_rows(const std::filesystem::path& file);

/// Those of the project's own published rows that are of library model `model` on wafer `system`, oldest first.
std::vector<EndpointRow> published_speeds_of(const std::string& model, const std::string& system);

}  // namespace waferline::traces
