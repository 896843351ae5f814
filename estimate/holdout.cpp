// Follows: S. Vigna, splitmix64 (public domain), for numbers that are the same with every standard library.
#include "estimate/holdout.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace waferline {
namespace {

std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

std::vector<bool> held_out_rows(std::span<const std::string> group_of_row, double share, std::uint64_t seed) {
  const std::set<std::string> distinct(group_of_row.begin(), group_of_row.end());
  if (distinct.size() < 2) throw std::invalid_argument("holdout: at least two groups are needed");
  if (!(share > 0 && share < 1)) throw std::invalid_argument("holdout: the share must lie inside (0, 1)");
  std::vector<std::string> order(distinct.begin(), distinct.end());
  std::uint64_t state = seed;
  for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[next_random(state) % (i + 1)]);
  const auto wanted = static_cast<std::size_t>(std::lround(share * static_cast<double>(order.size())));
  order.resize(std::clamp<std::size_t>(wanted, 1, order.size() - 1));
  const std::set<std::string> chosen(order.begin(), order.end());
  std::vector<bool> held_out;
  for (const std::string& group : group_of_row) held_out.push_back(chosen.contains(group));
  return held_out;
}

}  // namespace waferline
