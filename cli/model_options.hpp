#pragma once
// Options about a model that several subcommands share.

#include <cstdint>
#include <optional>
#include <string>

#include "cli/options.hpp"
#include "models/model.hpp"
#include "models/overrides.hpp"

namespace waferline::cli {

/// MODEL, --context, --weight-bits and --kv-type.
class ModelOptions {
 public:
  void declare(Options& options);
  /// The same with a MODEL that may be missing: ask `given`.
  void declare_optional(Options& options);

  bool given() const { return name_.has_value(); }
  /// Precondition: given, as it always is after `declare`.
  const std::string& name() const { return *name_; }
  std::int64_t context_tokens() const { return context_tokens_; }
  models::StorageOverrides overrides() const;

 private:
  std::optional<std::string> name_;
  std::int64_t context_tokens_ = 8192;
  std::string weight_bits_ = "auto";
  std::string kv_type_ = "auto";
};

/// Longest context that is accepted: beyond any model, and safe in 64-bit byte counts.
inline constexpr std::int64_t longest_context_tokens = 100'000'000;

/// Software that estimates take unless told otherwise: its rates were measured without speculative decoding.
inline constexpr const char* usual_software = "service-2024";

}  // namespace waferline::cli
