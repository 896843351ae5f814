#include "mapping/strips.hpp"

#include <algorithm>
#include <cassert>

namespace waferline::mapping {
namespace {

/// First lines of strips of `thickness` that contain none of the sorted `defects`.
std::vector<std::int64_t> place_strips(std::int64_t lines, std::int64_t thickness, std::int64_t most,
                                       const std::vector<std::int64_t>& defects) {
  std::vector<std::int64_t> firsts;
  std::int64_t first = 0;
  while (first + thickness <= lines && static_cast<std::int64_t>(firsts.size()) < most) {
    const auto hit = std::lower_bound(defects.begin(), defects.end(), first);
    if (hit != defects.end() && *hit < first + thickness) {
      first = *hit + 1;
      continue;
    }
    firsts.push_back(first);
    first += thickness;
  }
  return firsts;
}

}  // namespace

Strips::Strips(const Wafer& wafer, Axis along, std::int64_t per_wafer) : along_(along) {
  const Extent usable = wafer.usable();
  const std::int64_t lines = usable.along(other(along));
  assert(per_wafer >= 1 && per_wafer <= lines && "every strip has a line of PEs");
  thickness_ = lines / per_wafer;
  length_ = usable.along(along);
  const Defects& defects = wafer.defects;
  const bool rows = along == Axis::x;
  firsts_ = place_strips(lines, thickness_, per_wafer, rows ? defects.rows : defects.cols);
  for (const std::int64_t first : firsts_) {
    std::vector<std::int64_t> blocked = rows ? defects.cols : defects.rows;
    for (const PePosition& pe : defects.pes) {
      const std::int64_t line = rows ? pe.row : pe.col;
      if (line >= first && line < first + thickness_) blocked.push_back(rows ? pe.col : pe.row);
    }
    std::sort(blocked.begin(), blocked.end());
    blocked_.push_back(std::move(blocked));
  }
}

Extent Strips::extent(std::int64_t length) const {
  return along_ == Axis::x ? Extent{thickness_, length} : Extent{length, thickness_};
}

const std::vector<std::int64_t>& Strips::starts(std::int64_t on_wafer, std::int64_t length) const {
  // Without defects all strips are alike.
  const std::vector<std::int64_t>& blocked = blocked_[static_cast<std::size_t>(on_wafer)];
  const auto [entry, is_new] = starts_.try_emplace({blocked.empty() ? -1 : on_wafer, length});
  if (is_new) entry->second = place_strips(length_, length, length_, blocked);
  return entry->second;
}

std::int64_t Strips::slots(std::int64_t strip, std::int64_t length) const {
  return static_cast<std::int64_t>(starts(strip % per_wafer(), length).size());
}

Region Strips::region(std::int64_t strip, std::int64_t slot, std::int64_t length) const {
  const std::int64_t on_wafer = strip % per_wafer();
  const std::vector<std::int64_t>& all = starts(on_wafer, length);
  assert(slot >= 0 && slot < static_cast<std::int64_t>(all.size()) && "the strip has room for so many regions");
  const std::size_t place = static_cast<std::size_t>(slot);
  const std::int64_t start = on_wafer % 2 == 0 ? all[place] : all[all.size() - 1 - place];
  const std::int64_t first = firsts_[static_cast<std::size_t>(on_wafer)];
  const std::int64_t wafer = strip / per_wafer();
  if (along_ == Axis::x) return {wafer, first, start, extent(length)};
  return {wafer, start, first, extent(length)};
}

}  // namespace waferline::mapping
