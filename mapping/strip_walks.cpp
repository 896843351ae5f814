#include "mapping/strip_walks.hpp"

#include <cmath>
#include <limits>

#include "mapping/grid.hpp"

namespace waferline::mapping {

Cycles way_on(const Problem& problem, const PlannedRegion& from, const PlannedRegion& to) {
  const Extent extent = to.form().extent;
  if (from.region.wafer == to.region.wafer) return problem.costs.transfer(extent, hops_between(from, to));
  const Extent usable = problem.wafer.usable();
  const std::int64_t hops = hops_to_edge(usable, from.region) + hops_to_edge(usable, to.region);
  return problem.costs.transfer(extent, hops) + problem.costs.wafer_hop();
}

Cycles way_back(const Problem& problem, const PlannedRegion& last, const Region& first) {
  const Extent extent = last.form().extent;
  if (last.region.wafer == first.wafer) return problem.costs.feedback(extent, hops_back(last.region, first));
  const Extent usable = problem.wafer.usable();
  const std::int64_t hops = hops_to_edge(usable, last.region) + hops_to_edge(usable, first_pe(first));
  return problem.costs.feedback(extent, hops) + problem.costs.wafer_hop_back();
}

StripWalks::StripWalks(const Problem& problem, const Strips& strips, const std::vector<StripShape>& shapes)
    : problem_(&problem), strips_(&strips), shapes_(&shapes) {
  const std::size_t places = static_cast<std::size_t>(strips_->per_wafer()) * shapes_->size();
  for (std::int64_t strip = 0; strip < strips_->per_wafer(); ++strip) {
    for (const StripShape& shape : *shapes_) slots_.push_back(strips_->slots(strip, shape.length));
  }
  along_.assign(places, {});
  between_.assign(places * shapes_->size(), std::numeric_limits<double>::quiet_NaN());
}

PlannedRegion StripWalks::region(std::int64_t strip, std::size_t shape, std::int64_t slot) const {
  return (*shapes_)[shape].region(*strips_, strip, slot);
}

const std::vector<double>& StripWalks::ways_along(std::int64_t strip, std::size_t shape) {
  std::vector<double>& ways = along_[place(strip, shape)];
  const std::int64_t count = slots(strip, shape);
  if (!ways.empty() || count == 0) return ways;
  ways.push_back(0);
  for (std::int64_t slot = 1; slot < count; ++slot) {
    ways.push_back(ways.back() + way_on(*problem_, region(strip, shape, slot - 1), region(strip, shape, slot)).value);
  }
  return ways;
}

double StripWalks::walk(std::int64_t strip, std::size_t shape, std::int64_t from, std::int64_t to) {
  const std::vector<double>& ways = ways_along(strip, shape);
  return ways[static_cast<std::size_t>(to)] - ways[static_cast<std::size_t>(from)];
}

double StripWalks::between(std::int64_t strip, std::size_t from, std::size_t to) {
  double& way = between_[place(strip, from) * shapes_->size() + to];
  if (std::isnan(way)) way = onwards(strip, from, slots(strip, from) - 1, to);
  return way;
}

double StripWalks::onwards(std::int64_t strip, std::size_t from, std::int64_t slot, std::size_t to) const {
  return way_on(*problem_, region(strip, from, slot), region(strip + 1, to, 0)).value;
}

double StripWalks::back(std::int64_t strip, std::size_t shape, std::int64_t slot) const {
  // Where there are defects, the first region may begin a few PEs further on; the account of the plan has its place.
  const Region first = strips_->region(0, 0, 1);
  return way_back(*problem_, region(strip, shape, slot), first).value;
}

}  // namespace waferline::mapping
