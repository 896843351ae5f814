#pragma once
// The system that `serve` sends requests to: an estimate of a model on wafers, or times as stated.

#include <cstdint>
#include <optional>
#include <string>

#include "cli/model_options.hpp"
#include "estimate/answer/prefill.hpp"
#include "report/answer/serving.hpp"

namespace waferline::cli {

class ServedSystem {
 public:
  void declare(Options& options);

  /// Fills in everything of the answer but workload, summary and curve. An estimate of prefill is a line through the
  /// times of a prompt of one token and of `mean_prompt_tokens`.
  /// Errors: ConfigError for stated times beside a MODEL or for some of them only; DoesNotFit.
  void describe(report::ServingAnswer& answer, std::int64_t mean_prompt_tokens) const;

 private:
  void describe_estimate(report::ServingAnswer& answer, std::int64_t mean_prompt_tokens) const;
  void describe_stated(report::ServingAnswer& answer) const;
  void state_prefill(report::ServingAnswer& answer) const;
  void estimate_prefill(report::ServingAnswer& answer, const estimate::PlacedModel& placed,
                        std::int64_t mean_prompt_tokens) const;
  void require_stated() const;

  ModelOptions model_;
  std::string system_ = "wse3";
  std::string software_ = usual_software;
  std::string wafers_ = "auto";
  std::optional<std::int64_t> users_;
  std::optional<double> user_rate_;
  std::optional<double> total_rate_;
  std::optional<std::int64_t> kv_tokens_;
  std::optional<double> prefill_rate_;
  std::string prefill_ = "shared";
};

}  // namespace waferline::cli
