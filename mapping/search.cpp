// Follows: docs/model/30-placement.md, F106 and F107.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "arch/error.hpp"
#include "mapping/assemble.hpp"
#include "mapping/placement.hpp"
#include "mapping/refine.hpp"
#include "mapping/search_account.hpp"
#include "mapping/strip_cuts.hpp"

namespace waferline::mapping {
namespace {

/// Passes longer by no more than this are as good as the shortest, where there is something else to gain.
constexpr double kLatencySlack = 0.01;
/// A pass this much longer than its bound is worth some moves by trial.
constexpr double kWideGap = 0.05;
constexpr std::int64_t kFewMoves = 20'000;

/// Room for most users within 1 % of the shortest pass.
Found with_most_users(StripCuts& cuts, const Problem& problem, Found found, std::int64_t bound) {
  const Cycles slack = found.pass * (1 + kLatencySlack);
  std::int64_t fit = users_of(problem, found.plan);
  std::int64_t too_many = bound + 1;
  while (too_many - fit > std::max<std::int64_t>(1, fit / 64)) {
    const std::int64_t middle = fit + (too_many - fit) / 2;
    std::optional<Found> more = cuts.shortest({middle, kEndless}, slack);
    if (!more) {
      too_many = middle;
      continue;
    }
    found = std::move(*more);
    fit = users_of(problem, found.plan);
  }
  return found;
}

/// The fastest slowest region, then the shortest pass.
Found with_fastest_stage(StripCuts& cuts, const Problem& problem, const Limits& limits, Found found) {
  double bound = cuts.stage_bound().value;
  Cycles best = slowest_stage(problem, found.plan);
  while (true) {
    // Halve what lies between, and in the end ask for any gain at all.
    const double close = best.value * (1 - 1e-9);
    const double middle = best.value - bound > 1e-3 * best.value ? (best.value + bound) / 2 : close;
    std::optional<Found> faster = cuts.shortest({limits.users, Cycles{middle}});
    if (faster) {
      found = std::move(*faster);
      best = std::min(best, slowest_stage(problem, found.plan));
    } else if (middle == close) {
      break;
    } else {
      bound = middle;
    }
  }
  if (std::optional<Found> shortest = cuts.shortest({limits.users, best})) return std::move(*shortest);
  return found;
}

/// Room for most users at all, then the shortest pass.
Found with_room(StripCuts& cuts, const Problem& problem, Found found, std::int64_t bound) {
  std::int64_t fit = users_of(problem, found.plan);
  std::int64_t too_many = bound + 1;
  while (too_many - fit > 1) {
    const std::int64_t middle = fit + (too_many - fit) / 2;
    std::optional<Found> more = cuts.shortest({middle, kEndless});
    if (!more) {
      too_many = middle;
      continue;
    }
    found = std::move(*more);
    fit = users_of(problem, found.plan);
  }
  return found;
}

class Search {
 public:
  Search(const Assembly& assembly, Problem problem) : assembly_(assembly), problem_(problem) {}

  /// The fewest wafers from `first` to `last` on which a plan fits.
  std::optional<Found> fewest_wafers(std::int64_t first, std::int64_t last, bool bands) {
    problem_.bands = bands;
    for (std::int64_t wafers = first; wafers <= last; ++wafers) {
      cuts_ = std::make_unique<StripCuts>(problem_, wafers);
      std::optional<Found> found = cuts_->shortest(limits());
      plans_ += cuts_->plans();
      if (found) return found;
    }
    cuts_.reset();
    return std::nullopt;
  }

  /// Experts over whole regions finish sooner, experts over bands of columns waste less SRAM: under `latency` bands may
  /// save wafers only where they need less than half of them.
  std::optional<Found> first_fit(std::int64_t first, std::int64_t last) {
    const bool bands_at_once = !problem_.costs.has_experts() || assembly_.request.objective == Objective::wafers ||
                               assembly_.request.wafers.has_value();
    if (bands_at_once) return fewest_wafers(first, last, true);
    const std::optional<Found> whole = fewest_wafers(first, last, false);
    const std::int64_t whole_wafers = whole ? cuts_->wafers() : 2 * last + 1;
    if (std::optional<Found> banded = fewest_wafers(first, (whole_wafers - 1) / 2, true)) return banded;
    if (!whole) return std::nullopt;
    return fewest_wafers(whole_wafers, whole_wafers, true);
  }

  /// Of the last search that found a plan.
  std::int64_t wafers_searched() const { return cuts_->wafers(); }

  Placement improve(Found found) {
    embed(found);
    const Cycles optimum = found.pass;
    const std::int64_t bound = users_bound(problem_, cuts_->wafers());
    switch (assembly_.request.objective) {
      case Objective::latency:
      case Objective::wafers:
        found = with_most_users(*cuts_, problem_, std::move(found), bound);
        break;
      case Objective::throughput:
        found = with_fastest_stage(*cuts_, problem_, limits(), std::move(found));
        break;
      case Objective::users:
        found = with_room(*cuts_, problem_, std::move(found), bound);
        break;
    }
    const std::int64_t tried = try_more(found);
    Placement placement = assemble(assembly_, problem_, found.plan);
    placement.search = account(problem_, *cuts_, found.plan, assembly_.request);
    placement.search.plans += plans_;
    placement.search.tried = tried;
    placement.search.optimum = optimum;
    return placement;
  }

 private:
  Limits limits() const { return {std::max(assembly_.request.users, assembly_.request.batch), kEndless}; }

  /// Moves beyond the space of strips: those asked for, or a few if the search left a wide gap. Returns how many.
  std::int64_t try_more(Found& found) {
    const PlaceRequest& request = assembly_.request;
    Refinement how = request.refinement.value_or(Refinement{});
    std::int64_t users = limits().users;
    if (!request.refinement) {
      const bool latency = request.objective == Objective::latency || request.objective == Objective::wafers;
      const Cycles bound = cuts_->latency_bound(users);
      if (!latency || found.pass <= bound * (1 + kWideGap)) return 0;
      how.steps = kFewMoves;
      users = users_of(problem_, found.plan);
    }
    Refined refined = refine(assembly_, problem_, found.plan, users, how);
    found.plan = std::move(refined.plan);
    return refined.steps;
  }

  /// The embedding comes onto the wafer if it takes no further one.
  void embed(Found& found) {
    if (assembly_.model.tied_embeddings) return;
    cuts_->place_embedding(true);
    if (std::optional<Found> with = cuts_->shortest(limits())) {
      found = std::move(*with);
    } else {
      cuts_->place_embedding(false);
    }
  }

  const Assembly& assembly_;
  Problem problem_;
  std::unique_ptr<StripCuts> cuts_;
  std::int64_t plans_ = 0;
};

}  // namespace

PlaceResult place(const models::Model& model, const Wafer& wafer, const SoftwareProfile& software,
                  const PlaceRequest& request) {
  check(request);
  const LayerKinds kinds = group_layers(model);
  PartCosts costs(model, kinds, wafer, software, {request.batch, request.context_tokens, 1});
  const Assembly assembly{model, wafer, software, request, kinds, costs};
  const Problem problem{model, wafer, kinds, costs, empty_region(wafer, software), request.batch, true};
  if (problem.empty.free().value <= 0) return no_room_at_all(assembly);
  Search search(assembly, problem);
  // One region a wafer for every layer and head region is the most that can ever help.
  const std::int64_t most = problem.layer_count() + kMostSharing;
  // So many wafers are allowed, not demanded: fewer of them may do better.
  const std::int64_t first = request.wafers.value_or(fewest_imaginable_wafers(problem));
  const std::int64_t last = request.wafers.value_or(most);
  if (std::optional<Found> found = search.first_fit(first, last)) return search.improve(std::move(*found));
  if (!request.wafers) return layer_too_large(assembly);
  const std::int64_t more_from = std::max(first + 1, fewest_imaginable_wafers(problem));
  if (search.fewest_wafers(more_from, most, true)) return too_few_wafers(assembly, search.wafers_searched());
  return layer_too_large(assembly);
}

}  // namespace waferline::mapping
