// Follows: docs/model/20-wafer.md, F20 to F29.
#include "estimate/wafer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arch/error.hpp"
#include "estimate/pass_time.hpp"
#include "estimate/uncertain_inputs.hpp"
#include "estimate/wafer_bounds.hpp"
#include "models/overrides.hpp"

namespace waferline::estimate {
namespace {

/// F24: each token takes its share of a pass, and what is spent once for each token.
Seconds time_per_token(const PassTime& pass, const SoftwareProfile& software, double accepted_tokens) {
  return pass.total() / accepted_tokens + software.fixed_per_token.value;
}

void check(const DecodeRequest& request) {
  const auto fail = [](const char* key, double value, const char* permitted) {
    throw ConfigError(fmt::format("{}: {} (permitted: {})", key, value, permitted));
  };
  if (request.accepted_tokens < 1 || !std::isfinite(request.accepted_tokens) || request.accepted_tokens > 64) {
    fail("accepted_tokens", request.accepted_tokens, "1 to 64");
  }
}

mapping::Placement placement_for(const models::Model& model, const Wafer& wafer, const SoftwareProfile& software,
                                 const DecodeRequest& request) {
  const mapping::PlaceRequest asked{request.context_tokens, request.batch, request.wafers,
                                    request.objective,      request.users, request.refinement};
  if (request.plan) return mapping::place_as_planned(model, wafer, software, asked, *request.plan);
  mapping::PlaceResult placed = mapping::place(model, wafer, software, asked);
  if (const auto* misfit = std::get_if<mapping::Misfit>(&placed)) throw DoesNotFit(misfit->text());
  return std::move(std::get<mapping::Placement>(placed));
}

std::vector<BreakdownPart> breakdown(const PassTime& pass, const SoftwareProfile& software, double accepted_tokens) {
  std::vector<BreakdownPart> parts;
  for (std::size_t i = 0; i < kCauses; ++i) {
    const auto cause = static_cast<Cause>(i);
    const Seconds share =
        cause == Cause::fixed ? software.fixed_per_token.value : pass.by_cause[cause] / accepted_tokens;
    parts.push_back({std::string(name(cause)), share});
  }
  return parts;
}

Seconds sum(const std::vector<BreakdownPart>& parts) {
  Seconds total;
  for (const BreakdownPart& part : parts) total += part.time;
  return total;
}

/// F27: time per token with one input after the other at its ends.
struct Swing {
  std::string key;
  Seconds fast;
  Seconds slow;
};

class Uncertainty {
 public:
  Uncertainty(const PassTimer& timer, const Wafer& wafer, const SoftwareProfile& software, double accepted_tokens)
      : timer_(timer), wafer_(wafer), software_(software), accepted_tokens_(accepted_tokens) {}

  std::vector<Swing> swings(Seconds expected) const {
    std::vector<Swing> swings;
    const std::vector<InputLine> lines = list_inputs(wafer_, software_);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].has_band) continue;
      const auto [fast, slow] = std::minmax({at_end(i, false), at_end(i, true)});
      if (fast < expected || expected < slow)
        swings.push_back({lines[i].key, std::min(fast, expected), std::max(slow, expected)});
    }
    add_speculation(expected, swings);
    return swings;
  }

 private:
  Seconds at_end(std::size_t index, bool high) const {
    Wafer wafer = wafer_;
    SoftwareProfile software = software_;
    set_to_end(wafer, software, index, high);
    return time_per_token(timer_.time(wafer, software), software, accepted_tokens_);
  }

  /// Acceptance is uncertain only where speculation was asked for, in proportion to the profile's own band.
  void add_speculation(Seconds expected, std::vector<Swing>& swings) const {
    if (accepted_tokens_ == 1 || !software_.accepted_tokens || !software_.accepted_tokens->band) return;
    const Sourced<double>& known = *software_.accepted_tokens;
    const Seconds fixed = software_.fixed_per_token.value;
    const auto with = [&](double accepted) {
      return (expected - fixed) * (accepted_tokens_ / std::max(1.0, accepted_tokens_ * accepted / known.value)) + fixed;
    };
    swings.push_back({"request.accepted_tokens", with(known.high()), with(known.low())});
  }

  const PassTimer& timer_;
  const Wafer& wafer_;
  const SoftwareProfile& software_;
  double accepted_tokens_;
};

/// F28: the ends of all inputs and the spread of the profile's own residuals, combined as independent factors.
SecondsBand band(Seconds expected, const std::vector<Swing>& swings, const SoftwareProfile& software) {
  // About nine tenths of normal residuals lie within twice their mean magnitude.
  const double spread = software.fit ? std::log1p(2 * software.fit->mean_abs_error_pct / 100) : 0;
  double faster = spread * spread;
  double slower = spread * spread;
  for (const Swing& swing : swings) {
    faster += std::pow(std::log(expected / swing.fast), 2);
    slower += std::pow(std::log(swing.slow / expected), 2);
  }
  return {expected / std::exp(std::sqrt(faster)), expected, expected * std::exp(std::sqrt(slower))};
}

std::vector<SensitivityLine> sensitivity(std::vector<Swing> swings) {
  std::stable_sort(swings.begin(), swings.end(),
                   [](const Swing& a, const Swing& b) { return a.slow / a.fast > b.slow / b.fast; });
  std::vector<SensitivityLine> lines;
  for (const Swing& swing : swings) lines.push_back({swing.key, 1 / swing.slow.value, 1 / swing.fast.value});
  return lines;
}

std::vector<Assumption> assumptions(const models::Model& model, const Wafer& wafer, const SoftwareProfile& software,
                                    const DecodeRequest& request) {
  std::vector<Assumption> all;
  const auto asked = [&](const char* key, std::string value) {
    all.push_back({key, std::move(value), "request", "asked for"});
  };
  asked("context_tokens", fmt::format("{}", request.context_tokens));
  asked("batch", fmt::format("{}", request.batch));
  asked("accepted_tokens", fmt::format("{:.4g}", request.accepted_tokens));
  asked("weight_bits", request.weight_bits ? fmt::format("{}", *request.weight_bits) : "as stored");
  all.push_back({"kv_dtype", std::string(name(model.kv_dtype)), request.kv_dtype ? "request" : "derived",
                 request.kv_dtype ? "asked for" : "the checkpoint's own"});
  for (const InputLine& line : list_inputs(wafer, software)) {
    all.push_back({line.key, line.value, describe(line.provenance), line.provenance.source});
  }
  const auto bytes = [&](const char* key, const Sourced<Bytes>& known) {
    all.push_back(
        {key, fmt::format("{} B a PE", known.value.value), describe(known.provenance), known.provenance.source});
  };
  bytes("software.code_bytes", software.code);
  bytes("software.buffer_bytes", software.buffers);
  bytes("software.system_bytes", software.system);
  all.push_back({"software.loop_order", std::string(name(software.loop_order.value)),
                 describe(software.loop_order.provenance), software.loop_order.provenance.source});
  return all;
}

void add_stages(const PassTime& pass, double accepted_tokens, DecodeEstimate& estimate) {
  for (std::size_t i = 0; i < pass.stages.size(); ++i) {
    estimate.stages.push_back({static_cast<std::int64_t>(i), pass.stages[i]});
  }
  estimate.slowest_stage = *std::max_element(pass.stages.begin(), pass.stages.end());
  estimate.pipelined_tokens_per_s =
      static_cast<double>(estimate.request.batch) * accepted_tokens * pipeline_rate(pass.stages);
}

void add_notes(const Wafer& wafer, const SoftwareProfile& software, DecodeEstimate& estimate) {
  estimate.notes = estimate.placement.notes;
  if (!software.wafer.empty() && software.wafer != wafer.name) {
    estimate.notes.push_back(fmt::format("software \"{}\" was fitted on {}; on {} its cycles are an extrapolation",
                                         software.name, software.wafer, wafer.name));
  }
  if (software.accepted_tokens) {
    estimate.notes.push_back(
        fmt::format("the service behind \"{}\" is taken to yield {:.3g} tokens a pass where it speculates; this "
                    "estimate has {:.3g}",
                    software.name, software.accepted_tokens->value, estimate.request.accepted_tokens));
  }
}

}  // namespace

double pipeline_rate(const std::vector<Seconds>& stages) {
  const Seconds slowest = *std::max_element(stages.begin(), stages.end());
  return 1 / slowest.value;
}

DecodeEstimate estimate_decode(const models::Model& model_as_stored, const Wafer& wafer,
                               const SoftwareProfile& software, const DecodeRequest& request) {
  check(request);
  const models::Model model = models::stored_as(model_as_stored, {request.weight_bits, request.kv_dtype});
  DecodeEstimate estimate;
  estimate.model = model.name;
  estimate.system = wafer.name;
  estimate.software = software.name;
  estimate.request = request;
  estimate.placement = placement_for(model, wafer, software, request);

  const mapping::LayerKinds kinds = mapping::group_layers(model);
  const PassInputs inputs{model, kinds, estimate.placement, {request.batch, request.context_tokens, 1}};
  const PassTimer timer(inputs, wafer, software);
  const PassTime pass = timer.time(wafer, software);
  estimate.breakdown = breakdown(pass, software, request.accepted_tokens);
  const Seconds expected = sum(estimate.breakdown);
  const std::vector<Swing> swings = Uncertainty(timer, wafer, software, request.accepted_tokens).swings(expected);
  estimate.tpot = band(expected, swings, software);
  estimate.tokens_per_s = {1 / estimate.tpot.high.value, 1 / expected.value, 1 / estimate.tpot.low.value};
  const Seconds fixed = software.fixed_per_token.value;
  const auto whole_pass = [&](Seconds tpot) { return std::max(Seconds{}, tpot - fixed) * request.accepted_tokens; };
  estimate.pass = {whole_pass(estimate.tpot.low), pass.total(), whole_pass(estimate.tpot.high)};
  estimate.bounds = wafer_bounds(inputs, wafer, software, pass.total());
  estimate.sensitivity = sensitivity(swings);
  estimate.assumptions = assumptions(model, wafer, software, request);
  estimate.wafer_hops = pass.wafer_hops;
  add_stages(pass, request.accepted_tokens, estimate);
  add_notes(wafer, software, estimate);
  return estimate;
}

}  // namespace waferline::estimate
