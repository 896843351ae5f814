// Follows: docs/model/20-wafer.md, F24, F29 and F31.
#include "traces/endpoint_model.hpp"

#include <algorithm>
#include <cmath>

#include "arch/error.hpp"
#include "estimate/pass_time.hpp"
#include "models/library.hpp"
#include "models/overrides.hpp"

namespace waferline::traces {
namespace {

constexpr int kPlacements = 6;
constexpr std::int64_t kFarContext = 50;

// 70B went from 445 to 2,100 tokens per second when new kernels and speculation came at once: no pass yields more.
constexpr double kMostAccepted = 2100.0 / 445;

/// Rows of one model at contexts far enough apart to tell what a cached token costs: (short, long) by index.
std::vector<std::pair<std::size_t, std::size_t>> slopes(std::span<const EndpointRow> rows) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const bool far = rows[b].context_tokens >= kFarContext * rows[a].context_tokens;
      const bool slower = rows[b].tokens_per_s < rows[a].tokens_per_s;
      if (rows[a].model == rows[b].model && far && slower) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

}  // namespace

struct ServedModel::State {
  Wafer wafer;
  models::Model model;
  mapping::LayerKinds kinds;
  mapping::Placement placement;
  kernels::Pass pass;
  bool speculates = false;
};

ServedModel::ServedModel(const EndpointRow& row, const SoftwareProfile& software) : state_(std::make_unique<State>()) {
  state_->wafer = load_wafer(row.system);
  state_->model = models::stored_as(models::load_model(row.model), {row.weight_bits, {}});
  state_->kinds = mapping::group_layers(state_->model);
  state_->pass = {1, row.context_tokens, 1};
  state_->speculates = row.speculates;
  mapping::PlaceResult placed = mapping::place(state_->model, state_->wafer, software, {row.context_tokens, 1, {}});
  if (const auto* misfit = std::get_if<mapping::Misfit>(&placed)) throw DoesNotFit(misfit->text());
  state_->placement = std::move(std::get<mapping::Placement>(placed));
}

ServedModel::~ServedModel() = default;

double ServedModel::seconds(const SoftwareProfile& software) const {
  const estimate::PassInputs inputs{state_->model, state_->kinds, state_->placement, state_->pass};
  const Seconds pass = estimate::time_pass(inputs, state_->wafer, software).total();
  const bool shared = state_->speculates && software.accepted_tokens;
  return (pass / (shared ? software.accepted_tokens->value : 1) + software.fixed_per_token.value).value;
}

std::int64_t ServedModel::layers() const {
  return std::ssize(state_->kinds.of_layer);
}

std::int64_t ServedModel::wafers() const {
  return state_->placement.wafers;
}

std::vector<estimate::WaferFitRow> service_fit_rows(std::span<const EndpointRow> rows,
                                                    const SoftwareProfile& software) {
  std::vector<estimate::WaferFitRow> fit_rows;
  for (const EndpointRow& row : rows) {
    const auto served = std::make_shared<const ServedModel>(row, software);
    fit_rows.push_back({row.id, row.model, 1 / row.tokens_per_s,
                        [served](const SoftwareProfile& profile) { return served->seconds(profile); }});
  }
  for (const auto& [near, far] : slopes(rows)) {
    fit_rows.push_back({rows[far].id + " less " + rows[near].id, rows[far].model,
                        fit_rows[far].measured - fit_rows[near].measured,
                        [a = fit_rows[near].predict, b = fit_rows[far].predict](const SoftwareProfile& profile) {
                          return b(profile) - a(profile);
                        }});
  }
  return fit_rows;
}

std::vector<estimate::WaferKnob> service_knobs(std::span<const EndpointRow> rows, bool speculates) {
  if (!speculates) return {estimate::tied_overhead_knob()};
  std::vector<estimate::WaferKnob> knobs{estimate::tied_overhead_knob(), estimate::fixed_time_knob(),
                                         estimate::pass_share_knob(1 / kMostAccepted)};
  if (!slopes(rows).empty()) knobs.push_back(estimate::exponential_knob());
  return knobs;
}

namespace {

/// A fit with the rows as they are placed under it.
struct PlacedFit {
  estimate::WaferFit fit;
  std::vector<estimate::WaferFitRow> rows;
};

PlacedFit fit_with_placement(const SoftwareProfile& start, std::span<const EndpointRow> rows,
                             const std::vector<estimate::WaferKnob>& knobs) {
  PlacedFit placed;
  placed.fit.profile = start;
  for (int round = 0; round < kPlacements; ++round) {
    const SoftwareProfile before = placed.fit.profile;
    placed.rows = service_fit_rows(rows, before);
    placed.fit = estimate::fit_profile(before, placed.rows, knobs, true);
    double change = 0;
    for (std::size_t j = 0; j < knobs.size(); ++j) {
      const double value = placed.fit.values[j];
      change = std::max(change, std::abs(value - knobs[j].get(before)) / std::max(knobs[j].step, value));
    }
    if (change < 1e-3) break;
  }
  return placed;
}

}  // namespace

SoftwareProfile fit_service(const SoftwareProfile& start, std::span<const EndpointRow> rows, bool speculates) {
  return fit_with_placement(start, rows, service_knobs(rows, speculates)).fit.profile;
}

estimate::WaferFit calibrate_service(const SoftwareProfile& start, std::span<const EndpointRow> rows, bool speculates,
                                     const std::string& data) {
  const std::vector<estimate::WaferKnob> knobs = service_knobs(rows, speculates);
  const PlacedFit placed = fit_with_placement(start, rows, knobs);
  return estimate::calibrate_profile(placed.fit.profile, placed.rows, knobs, start.name, data,
                                     "speeds of served models, third parties' and the vendor's figures; rows in [fit]",
                                     true);
}

std::vector<EndpointRow> rows_of_era(std::span<const EndpointRow> rows, bool speculates) {
  std::vector<EndpointRow> kept;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(kept),
               [&](const EndpointRow& row) { return row.speculates == speculates && row.system == "wse3"; });
  return kept;
}

std::vector<EndpointRow> without_model(std::span<const EndpointRow> rows, const std::string& model) {
  std::vector<EndpointRow> kept;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(kept),
               [&](const EndpointRow& row) { return row.model != model; });
  return kept;
}

}  // namespace waferline::traces
