#include <fmt/format.h>

#include <cmath>
#include <set>

#include "arch/data_dir.hpp"
#include "arch/error.hpp"
#include "traces/calibrate_wafer_class.hpp"
#include "traces/endpoint_model.hpp"
#include "traces/validate_sets.hpp"

namespace waferline::traces {
namespace {

constexpr std::string_view kFile = "endpoint_speeds.csv";

std::vector<EndpointRow> on_wse3(const std::vector<EndpointRow>& rows) {
  std::vector<EndpointRow> kept;
  for (const EndpointRow& row : rows) {
    if (row.system == "wse3") kept.push_back(row);
  }
  return kept;
}

std::set<std::string> fitted_ids(const SoftwareProfile& software) {
  std::set<std::string> ids;
  if (!software.fit) return ids;
  for (const FitResidual& residual : software.fit->residuals) ids.insert(residual.id);
  return ids;
}

/// The shipped profiles of both eras, and which rows they were fitted on.
struct Shipped {
  SoftwareProfile before = load_software("service-2024");
  SoftwareProfile after = load_software("service-2026");
  std::set<std::string> fitted_before = fitted_ids(before);
  std::set<std::string> fitted_after = fitted_ids(after);

  const SoftwareProfile& of(const EndpointRow& row) const { return row.speculates ? after : before; }
  bool saw(const EndpointRow& row) const { return (row.speculates ? fitted_after : fitted_before).contains(row.id); }
};

std::string split_of(const EndpointRow& row, const Shipped& shipped) {
  const SoftwareProfile& software = shipped.of(row);
  const double accepted = row.speculates && software.accepted_tokens ? software.accepted_tokens->value : 1;
  return fmt::format("{}, {}, {:.3g} tokens a pass, {}", software.name, row.system, accepted,
                     shipped.saw(row) ? "fitted" : "held out");
}

void add_group(const std::string& name, std::span<const LeftOut> predictions, std::int64_t constants,
               ValidationSet& set) {
  if (predictions.empty()) return;
  ValidationGroup group;
  group.name = name;
  group.rows = std::ssize(predictions);
  group.constants = constants;
  for (const LeftOut& one : predictions) {
    const double error = std::abs(1 / one.predicted_s / one.row.tokens_per_s - 1) * 100;
    group.mean_abs_error_pct += error / static_cast<double>(predictions.size());
    group.worst_abs_error_pct = std::max(group.worst_abs_error_pct, error);
  }
  set.groups.push_back(group);
  const ErrorFactors factors = error_factors(predictions);
  set.notes.push_back(fmt::format("{}: error factor {:.3f} over {} rows, {:.3f} over models", name, factors.rows,
                                  predictions.size(), factors.models));
}

void add_left_out(std::int64_t constants, ValidationSet& set) {
  const std::vector<EndpointRow> rows = on_wse3(read_endpoint_rows(data_dir("traces/published") / kFile).rows);
  add_group("published rows, each model left out in turn",
            leave_models_out(rows, {starting_point("service-2024"), starting_point("service-2026")}), constants, set);
  const BaselineFactors simple = baseline_factors(rows);
  set.notes.push_back(
      fmt::format("the same over models for one time for all: {:.3f}; k x layers: {:.3f}; k x layers + c: {:.3f}",
                  simple.constant, simple.layers, simple.layers_and_constant));
}

}  // namespace

ValidationSet validate_endpoints(const std::filesystem::path& data_folder) {
  EndpointRows read = read_endpoint_rows(data_folder / kFile);
  const Shipped shipped;
  std::vector<ValidationPoint> points;
  std::vector<LeftOut> unseen;
  std::vector<LeftOut> other_hardware;
  for (const EndpointRow& row : read.rows) {
    try {
      const double seconds = ServedModel(row, shipped.of(row)).seconds(shipped.of(row));
      points.push_back(make_point(row.id, split_of(row, shipped), "tok/s", row.tokens_per_s, 1 / seconds));
      if (!shipped.saw(row)) (row.system == "wse3" ? unseen : other_hardware).push_back({row, seconds});
    } catch (const DoesNotFit& misfit) {
      read.skipped.push_back({row.id, misfit.what()});
    }
  }
  const std::int64_t constants =
      (shipped.before.fit ? shipped.before.fit->constants : 0) + (shipped.after.fit ? shipped.after.fit->constants : 0);
  ValidationSet set = make_validation_set("endpoints", constants, std::move(points));
  set.skipped = std::move(read.skipped);
  set.notes = {
      "rows: speeds on CS-3 of high or medium reliability, no analysts' estimates, no users' tests of whole requests",
      "before October 2024 (the row says no speculation): software service-2024, one token a pass; later rows, whether "
      "they "
      "say yes or do not say: software service-2026, whose tokens a pass are one of its constants",
      "a prompt of unstated length counts as 1,000 tokens"};
  add_group("rows that no profile was fitted on", unseen, constants, set);
  add_group("CS-4, not fitted", other_hardware, constants, set);
  add_left_out(constants, set);
  return set;
}

}  // namespace waferline::traces
