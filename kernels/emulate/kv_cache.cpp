// Follows: WaferLLM (arXiv 2502.04563), section 4.3 (shift-based KV cache management).
#include "kernels/emulate/kv_cache.hpp"

#include <algorithm>

#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {

KvCache::KvCache(std::int64_t rows, std::int64_t width, DType stored)
    : width_(width), stored_(stored), bounds_(static_cast<std::size_t>(rows) + 1, 0) {}

void KvCache::append(std::span<const float> entry) {
  data_.insert(data_.end(), entry.begin(), entry.end());
  round_in_place(stored_, std::span(data_).last(entry.size()));
  ++bounds_.back();
}

void KvCache::drop_oldest(std::int64_t count) {
  for (std::int64_t& bound : bounds_) bound = std::max<std::int64_t>(0, bound - count);
  dead_ += count;
  if (dead_ <= positions() + 16) return;  // half of the memory is dead: move the living to its start
  data_.erase(data_.begin(), data_.begin() + dead_ * width_);
  dead_ = 0;
}

void KvCache::deal(std::span<const float> entries) {
  data_.assign(entries.begin(), entries.end());
  round_in_place(stored_, data_);
  dead_ = 0;
  const Split positions{static_cast<std::int64_t>(entries.size()) / width_, rows()};
  for (std::int64_t row = 0; row < rows(); ++row)
    bounds_[static_cast<std::size_t>(row) + 1] = positions.range(row).end();
}

std::int64_t KvCache::shift(std::int64_t kept) {
  const Split target{std::min(kept, positions()), rows()};
  if (positions() > target.n) drop_oldest(positions() - target.n);
  // Every row first takes what it lacks from below, so a row passes on what the rows above it lack.
  std::int64_t most = 0;
  for (std::int64_t row = 1; row < rows(); ++row) {
    std::int64_t& bound = bounds_[static_cast<std::size_t>(row)];
    const std::int64_t passed = target.begin(row) - bound;
    if (passed <= 0) continue;
    bound += passed;
    most = std::max(most, passed);
  }
  return most;
}

const float* KvCache::entry(std::int64_t row, std::int64_t slot) const {
  return data_.data() + (dead_ + bounds_[static_cast<std::size_t>(row)] + slot) * width_;
}

float* KvCache::entry(std::int64_t row, std::int64_t slot) {
  return data_.data() + (dead_ + bounds_[static_cast<std::size_t>(row)] + slot) * width_;
}

std::vector<const float*> KvCache::entries() const {
  std::vector<const float*> all;
  all.reserve(static_cast<std::size_t>(positions()));
  for (std::int64_t position = 0; position < positions(); ++position)
    all.push_back(data_.data() + (dead_ + position) * width_);
  return all;
}

}  // namespace waferline::kernels::emulate
