// Follows: WaferLLM (arXiv 2502.04563), section 4.3 (shift-based KV cache management).
#include "kernels/emulate/kv_cache.hpp"

#include <algorithm>

#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {

KvCache::KvCache(std::int64_t rows, std::int64_t width, DType stored)
    : width_(width), stored_(stored), rows_(static_cast<std::size_t>(rows)) {}

void KvCache::push(Row& row, const float* entry) {
  row.data.insert(row.data.end(), entry, entry + width_);
  ++row.count;
}

void KvCache::drop_oldest(Row& row) {
  ++row.first;
  --row.count;
  if (row.first <= row.count + 16) return;  // half of the memory is dead: move the living to its start
  row.data.erase(row.data.begin(), row.data.begin() + row.first * width_);
  row.first = 0;
}

void KvCache::append(std::span<const float> entry) {
  std::vector<float> stored(entry.begin(), entry.end());
  round_in_place(stored_, stored);
  push(rows_.back(), stored.data());
}

void KvCache::deal(std::span<const float> entries) {
  std::vector<float> stored(entries.begin(), entries.end());
  round_in_place(stored_, stored);
  const Split positions{static_cast<std::int64_t>(entries.size()) / width_, rows()};
  for (std::int64_t row = 0; row < rows(); ++row) {
    const Range own = positions.range(row);
    Row& in = rows_[static_cast<std::size_t>(row)];
    in.data.assign(stored.begin() + own.begin * width_, stored.begin() + own.end() * width_);
    in.first = 0;
    in.count = own.size;
  }
}

std::int64_t KvCache::shift(std::int64_t kept) {
  const Split target{std::min(kept, positions()), rows()};
  std::int64_t surplus = positions() - target.n;
  std::int64_t most = 0;
  while (surplus-- > 0) {
    // The oldest leaves the first row that holds one; the rows below pass theirs up.
    const auto oldest = std::find_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.count > 0; });
    drop_oldest(*oldest);
  }
  // Every row first takes what it lacks from below, so the first row's need decides how much each row passes on.
  std::vector<std::int64_t> passes(rows_.size(), 0);
  for (std::size_t r = 0; r + 1 < rows_.size(); ++r) {
    passes[r + 1] = target.size(static_cast<std::int64_t>(r)) - rows_[r].count + passes[r];
    most = std::max(most, passes[r + 1]);
  }
  for (std::size_t r = rows_.size() - 1; r > 0; --r) {
    // The lowest row passes first, so that what arrives lies behind what the row above passes on.
    for (std::int64_t i = 0; i < passes[r]; ++i) {
      const float* oldest = entry(static_cast<std::int64_t>(r), 0);
      push(rows_[r - 1], oldest);
      drop_oldest(rows_[r]);
    }
  }
  return most;
}

std::int64_t KvCache::positions() const {
  std::int64_t total = 0;
  for (const Row& row : rows_) total += row.count;
  return total;
}

const float* KvCache::entry(std::int64_t row, std::int64_t slot) const {
  const Row& in = rows_[static_cast<std::size_t>(row)];
  return in.data.data() + (in.first + slot) * width_;
}

float* KvCache::entry(std::int64_t row, std::int64_t slot) {
  Row& in = rows_[static_cast<std::size_t>(row)];
  return in.data.data() + (in.first + slot) * width_;
}

std::vector<const float*> KvCache::entries() const {
  std::vector<const float*> all;
  for (std::int64_t row = 0; row < rows(); ++row) {
    for (std::int64_t slot = 0; slot < size(row); ++slot) all.push_back(entry(row, slot));
  }
  return all;
}

std::vector<std::int64_t> KvCache::bounds() const {
  std::vector<std::int64_t> found{0};
  for (const Row& row : rows_) found.push_back(found.back() + row.count);
  return found;
}

}  // namespace waferline::kernels::emulate
