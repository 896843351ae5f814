#pragma once
// Options of `estimate` about a whole answer: prompt and output, where prefill runs, speculation, cost.

#include <cstdint>
#include <optional>
#include <string>

#include "cli/options.hpp"
#include "report/estimate.hpp"

namespace waferline::cli {

/// What the estimate was made from.
struct AnswerContext {
  const models::Model& model;  ///< stored as it was estimated
  const Wafer& wafer;
  const SoftwareProfile& software;
  const std::optional<std::string>& engine;
  const std::string& gpus;  ///< as --vs has them
};

class AnswerOptions {
 public:
  void declare(Options& options);

  /// Adds to `answer`, whose `decode` is there, what was asked for.
  /// Errors: ConfigError for flags that need others; DoesNotFit.
  void add(report::EstimateAnswer& answer, const AnswerContext& context) const;

 private:
  bool asks_for_time() const { return prompt_tokens_.has_value() || output_tokens_.has_value(); }
  void require_partners() const;
  estimate::AnswerRequest request() const;
  std::optional<estimate::KvLink> link() const;
  void add_time(report::EstimateAnswer& answer, const AnswerContext& context) const;
  void add_gpus(report::EstimateAnswer& answer, const AnswerContext& context) const;
  void add_speculation(report::EstimateAnswer& answer, const AnswerContext& context) const;
  void add_cost(report::EstimateAnswer& answer) const;

  std::optional<std::int64_t> prompt_tokens_;
  std::optional<std::int64_t> output_tokens_;
  std::optional<std::int64_t> cached_tokens_;
  std::optional<std::int64_t> chunk_tokens_;
  std::optional<Seconds> queue_;
  std::optional<std::string> prefill_on_;
  std::optional<double> link_gb_per_s_;
  std::optional<Seconds> link_latency_;
  std::optional<std::int64_t> draft_tokens_;
  std::optional<std::string> acceptance_;
  std::optional<std::string> draft_;
  std::optional<double> price_;
  std::optional<double> dollars_per_hour_;
  std::optional<double> watts_;
};

}  // namespace waferline::cli
