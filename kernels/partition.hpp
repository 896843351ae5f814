#pragma once
// How a dimension is dealt out over the PEs of a line. Ragged edges are the rule: most sizes do not divide.

#include <algorithm>
#include <cstdint>

#include "arch/units.hpp"

namespace waferline::kernels {

/// `n` elements over `parts` PEs in contiguous blocks whose sizes differ by at most one, the larger ones first.
/// Parts beyond `n` hold nothing.
struct Split {
  std::int64_t n = 0;
  std::int64_t parts = 1;

  constexpr std::int64_t largest() const { return ceil_div(n, parts); }
  constexpr std::int64_t size(std::int64_t part) const { return n / parts + (part < n % parts ? 1 : 0); }
  constexpr std::int64_t begin(std::int64_t part) const { return part * (n / parts) + std::min(part, n % parts); }
};

/// Heads as bands over a line of `parts` PEs. With parts >= heads every head owns a band of adjacent PEs and its
/// dimensions are dealt over the band in units of `granule` (2 keeps the two halves of a rotary pair on one PE);
/// with fewer parts a PE holds whole heads, and nothing needs to be reduced across the line.
struct Bands {
  std::int64_t heads = 1;
  std::int64_t head_dim = 1;
  std::int64_t parts = 1;
  std::int64_t granule = 1;

  constexpr bool banded() const { return parts >= heads; }
  /// Most heads that one PE holds.
  constexpr std::int64_t heads_per_pe() const { return banded() ? 1 : ceil_div(heads, parts); }
  /// PEs of the widest band: the longest line over which one head's partial sums are reduced.
  constexpr std::int64_t widest() const { return banded() ? ceil_div(parts, heads) : 1; }
  /// Dimensions of one head on the busiest PE, which sits in the narrowest band.
  constexpr std::int64_t dims_per_pe() const {
    return banded() ? std::min(head_dim, granule * ceil_div(ceil_div(head_dim, granule), parts / heads)) : head_dim;
  }
  /// Elements of the whole vector (heads x head_dim) on the busiest PE.
  constexpr std::int64_t elements_per_pe() const { return heads_per_pe() * dims_per_pe(); }
};

}  // namespace waferline::kernels
