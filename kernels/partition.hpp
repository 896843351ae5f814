#pragma once
// How a dimension is dealt out over the PEs of a line. Ragged edges are the rule: most sizes do not divide.

#include <algorithm>
#include <cstdint>

#include "arch/units.hpp"

namespace waferline::kernels {

/// A run of consecutive indices.
struct Range {
  std::int64_t begin = 0;
  std::int64_t size = 0;

  constexpr std::int64_t end() const { return begin + size; }
  constexpr bool operator==(const Range&) const = default;
};

/// `n` elements over `parts` PEs in contiguous blocks whose sizes differ by at most one, the larger ones first.
/// Parts beyond `n` hold nothing.
struct Split {
  std::int64_t n = 0;
  std::int64_t parts = 1;

  constexpr std::int64_t largest() const { return ceil_div(n, parts); }
  constexpr std::int64_t size(std::int64_t part) const { return n / parts + (part < n % parts ? 1 : 0); }
  constexpr std::int64_t begin(std::int64_t part) const { return part * (n / parts) + std::min(part, n % parts); }
  constexpr Range range(std::int64_t part) const { return {begin(part), size(part)}; }
  /// The part that holds an element.
  constexpr std::int64_t owner(std::int64_t element) const {
    const std::int64_t wide = n / parts + 1;
    const std::int64_t in_wide = (n % parts) * wide;
    return element < in_wide ? element / wide : n % parts + (element - in_wide) / (n / parts);
  }
  constexpr bool operator==(const Split&) const = default;
};

/// Heads as bands over a line of `parts` PEs. With parts >= heads every head owns a band of adjacent PEs and its
/// dimensions are dealt over the band in units of `granule` (2 keeps the two halves of a rotary pair on one PE);
/// with fewer parts a PE holds whole heads, and nothing needs to be reduced across the line.
///
/// `group` members share a head's place and dimensions: the query heads that read one KV head. `whole` says that every
/// PE of a band holds all dimensions (the result of an all-reduce within the band). A plain vector is one head; a value
/// that every PE of the line holds is one head that is `whole`. Element (head, member, dim) has the global index
/// (head * group + member) * head_dim + dim.
struct Bands {
  std::int64_t heads = 1;
  std::int64_t head_dim = 1;
  std::int64_t parts = 1;
  std::int64_t granule = 1;
  std::int64_t group = 1;
  bool whole = false;

  constexpr bool banded() const { return parts >= heads; }
  /// Elements of the whole vector.
  constexpr std::int64_t elements() const { return heads * group * head_dim; }
  /// Most heads that one PE holds.
  constexpr std::int64_t heads_per_pe() const { return banded() ? 1 : ceil_div(heads, parts); }
  /// Most vectors of head_dim (heads x group) that one PE holds a piece of.
  constexpr std::int64_t vectors_per_pe() const { return heads_per_pe() * group; }
  /// PEs of the widest band: the longest line over which one head's partial sums are reduced.
  constexpr std::int64_t widest() const { return banded() ? ceil_div(parts, heads) : 1; }
  /// Dimensions of one head on the busiest PE, which is the first of the narrowest band.
  constexpr std::int64_t dims_per_pe() const {
    if (whole || !banded()) return head_dim;
    return std::min(head_dim, granule * ceil_div(ceil_div(head_dim, granule), parts / heads));
  }
  /// Elements of the whole vector on the busiest PE.
  constexpr std::int64_t elements_per_pe() const { return vectors_per_pe() * dims_per_pe(); }

  /// Heads of which a PE holds a piece.
  constexpr Range heads_at(std::int64_t part) const {
    if (!banded()) return Split{heads, parts}.range(part);
    return {band_of(part), 1};
  }
  /// The band that a PE belongs to (only if banded).
  constexpr std::int64_t band_of(std::int64_t part) const { return Split{parts, heads}.owner(part); }
  /// PEs of a band (only if banded).
  constexpr Range band(std::int64_t head) const { return Split{parts, heads}.range(head); }
  /// Dimensions of each of its heads that a PE holds.
  constexpr Range dims_at(std::int64_t part) const {
    if (whole || !banded()) return {0, head_dim};
    const Range pes = band(band_of(part));
    const Range granules = Split{ceil_div(head_dim, granule), pes.size}.range(part - pes.begin);
    const std::int64_t begin = std::min(head_dim, granules.begin * granule);
    return {begin, std::min(head_dim, granules.end() * granule) - begin};
  }
  /// Elements that a PE holds.
  constexpr std::int64_t size(std::int64_t part) const { return heads_at(part).size * group * dims_at(part).size; }
  constexpr bool operator==(const Bands&) const = default;
};

}  // namespace waferline::kernels
