#pragma once
// 64 lines of a fabric, stepped cycle by cycle.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/fabric/layout.hpp"
#include "kernels/fabric/run.hpp"

namespace waferline::kernels::fabric {

/// A set of the lines of a block.
using LaneSet = std::uint64_t;

class Block {
 public:
  /// Lines [first_line, first_line + lanes) of a program. `memory` is [position][word][stride], where
  /// the stride is kLanes, or `lanes` if these are few. `starts`, if not empty,
  /// holds the cycle after which each PE may begin, [line][position] over the whole rectangle.
  Block(const FabricLayout& layout, std::int64_t first_line, int lanes, float* memory, std::int64_t stride,
        std::span<const std::int32_t> starts);

  /// Moves everything by one cycle; wavelets for the next line after the last one go to `next`. False if nothing could
  /// move.
  bool step(std::int64_t cycle, Block* next);

  bool done() const { return running_ == 0; }
  std::int64_t first_line() const { return first_line_; }
  int lanes() const { return lanes_; }
  /// Cycle in which each PE was done, [position][kLanes].
  std::span<const std::int32_t> finished() const { return counts_; }
  const FabricTraffic& traffic() const { return traffic_; }
  /// Wavelets over the busiest output of each position and combined words of its PEs, of all lanes together.
  std::span<const std::int64_t> link_wavelets() const { return link_wavelets_; }
  std::span<const std::int64_t> combined() const { return combined_; }
  std::int64_t state_bytes() const;
  /// PEs that are not done, with what they wait for.
  void describe_waiting(std::vector<WaitingPe>& waiting) const;

 private:
  void start(std::span<const std::int32_t> starts);
  void turn(std::uint32_t position, std::int64_t cycle, Block* next);
  void forward_sources(Rows rows, std::uint32_t position, LaneSet (&taken)[kOutputs], Block* next);
  LaneSet room(const Target& target, const Block* next) const;
  void deliver(const Source& source, const Target& target, LaneSet moved, Block* next);
  void promote(Rows rows);
  void pass_links(Rows rows);
  void close_up(Rows rows);
  void operate(std::uint32_t position, std::int64_t cycle);
  void execute(std::uint32_t position, std::uint32_t index, LaneSet lanes, std::int64_t cycle);
  void relay(std::uint32_t position, std::uint32_t index, LaneSet lanes, std::int64_t cycle);
  LaneSet count_down(std::uint32_t position, LaneSet lanes);
  void spread(std::uint32_t position);
  void count_combined(std::uint32_t position, LaneSet lanes);
  void finish(std::uint32_t position, std::uint32_t index, LaneSet lanes, std::int64_t cycle);
  LaneSet lane_set(const Lines& lines) const;
  bool idle(std::uint32_t position) const;

  float* words(Slot slot) { return words_.data() + std::size_t{slot.word} * kLanes; }
  float* vector_word(std::uint32_t position, std::int64_t word);
  void move(Slot from, Slot to, LaneSet lanes);
  void wake(std::uint32_t position) { awake_[position / 64] |= LaneSet{1} << (position % 64); }

  const FabricLayout& layout_;
  std::int64_t first_line_;
  int lanes_;
  LaneSet all_;
  float* memory_;
  std::int64_t stride_;
  std::vector<float> words_;     // [slot][kLanes]
  std::vector<LaneSet> valid_;   // [slot]
  std::vector<LaneSet> active_;  // [operation]: lines whose PE is in it
  std::vector<std::int32_t>
      counts_;  // [position][kLanes]: words done of the operation, then the cycle in which all was done
  std::vector<std::int32_t> sent_;    // the same for what a relay has sent; empty without relays
  std::vector<std::uint8_t> uneven_;  // [position]: the lanes' counts differ; otherwise only lane 0 is kept up to date
  std::vector<LaneSet> awake_;        // positions that can move something, one bit each
  std::vector<std::int64_t> link_wavelets_;  // [position][kOutputs]
  std::vector<std::int64_t> combined_;       // [position]
  FabricTraffic traffic_;
  std::int64_t running_ = 0;  // PEs that are not done
  bool moved_ = false;
  bool delayed_ = false;  // PEs begin at different times
};

}  // namespace waferline::kernels::fabric
