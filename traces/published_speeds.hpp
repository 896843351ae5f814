#pragma once
// Speeds of served models as published, looked up by provider and model.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace waferline::traces {

/// One row of `endpoint_speeds.csv`, as it stands.
struct PublishedSpeed {
  std::string row;  ///< its number
  std::string provider;
  std::string hardware;
  std::string model;
  double tokens_per_s = 0;
  std::string qualifier;  ///< "exact", "about", "up to", "median" ...
  std::string kind;       ///< "measured-by-third-party", "vendor-claim" ...
  std::string date;
  std::string conditions;                               ///< prompt or context
  std::optional<double> usd_per_million_output_tokens;  ///< where the row states one
  std::string source;
  std::string reliability;
};

/// All rows of the published file, or of `file`. Errors: ConfigError for a file that cannot be read or lacks a column.
std::vector<PublishedSpeed> read_published_speeds(const std::filesystem::path& file = {});

/// The row that "PROVIDER/MODEL", "PROVIDER/MODEL@DATE" or "#ROW" names; case does not matter.
/// Errors: ConfigError naming the nearest provider or model, or every row that the name fits if there are several.
const PublishedSpeed& find_published_speed(const std::vector<PublishedSpeed>& speeds, const std::string& name);

}  // namespace waferline::traces
