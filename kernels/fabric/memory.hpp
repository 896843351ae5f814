#pragma once
// The vectors that a collective works on: one in the SRAM of each PE.

#include <cstdint>
#include <vector>

#include "kernels/fabric/layout.hpp"

namespace waferline::kernels::fabric {

/// Vectors of `words` fp32 on `lines` x `positions` PEs, zero at first. 64 lines lie side by side, as they are stepped;
/// a few lines take only the room that they need.
class FabricMemory {
 public:
  FabricMemory(std::int64_t lines, std::int64_t positions, std::int64_t words)
      : lines_(lines),
        positions_(positions),
        words_(words),
        stride_(lines <= kFewLanes ? lines : kLanes),
        data_(static_cast<std::size_t>((lines + kLanes - 1) / kLanes * positions * words * stride_)) {}

  std::int64_t lines() const { return lines_; }
  std::int64_t positions() const { return positions_; }
  std::int64_t words() const { return words_; }

  float& at(std::int64_t line, std::int64_t position, std::int64_t word) { return data_[index(line, position, word)]; }
  float at(std::int64_t line, std::int64_t position, std::int64_t word) const {
    return data_[index(line, position, word)];
  }
  /// Lanes of a word in memory: kLanes, or the lines if they are few.
  std::int64_t stride() const { return stride_; }
  /// The vectors of 64 lines from `block` x 64 on, [position][word][stride()].
  float* block(std::int64_t block) { return &data_[index(block * kLanes, 0, 0)]; }

 private:
  std::size_t index(std::int64_t line, std::int64_t position, std::int64_t word) const {
    return static_cast<std::size_t>(((line / kLanes * positions_ + position) * words_ + word) * stride_ +
                                    line % kLanes);
  }

  std::int64_t lines_;
  std::int64_t positions_;
  std::int64_t words_;
  std::int64_t stride_;
  std::vector<float> data_;
};

}  // namespace waferline::kernels::fabric
