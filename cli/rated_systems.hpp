#pragma once
// Rates for a deadline from elsewhere than the command line.

#include <cstdint>
#include <string>
#include <vector>

#include "estimate/deadline.hpp"

namespace waferline::cli {

/// Published speeds, each named "[NAME=]PROVIDER/MODEL[@DATE]" or "[NAME=]#ROW"; the name is the provider unless one is
/// given. Errors: ConfigError, see find_published_speed.
std::vector<estimate::RatedSystem> published_rates(const std::vector<std::string>& endpoints);

struct RateRequest {
  std::string model;
  std::string software;
  std::int64_t context_tokens = 0;
  double accepted_tokens = 1;
};

/// Estimates of one model on wafers and GPUs, for one user, with their bands. A name is a wafer's, a wafer's .toml
/// file, or NAMExCOUNT of a GPU. Errors: ConfigError for an unknown name; DoesNotFit.
std::vector<estimate::RatedSystem> estimated_rates(const RateRequest& request, const std::vector<std::string>& systems);

/// Whether a name is a wafer's or that of a wafer's .toml file.
bool is_wafer(const std::string& name);

/// Errors: ConfigError naming `flag` and the nearest name of both kinds for what is no GPU either.
void require_known_system(const char* flag, const std::string& name);

}  // namespace waferline::cli
