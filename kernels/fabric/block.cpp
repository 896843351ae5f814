#include "kernels/fabric/block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace waferline::kernels::fabric {
namespace {

using Kind = Operation::Kind;

template <class Visit>
void for_each_lane(LaneSet lanes, Visit&& visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(std::countr_zero(lanes));
}

}  // namespace

Block::Block(const FabricLayout& layout, std::int64_t first_line, int lanes, float* memory, std::int64_t stride,
             std::span<const std::int32_t> starts)
    : layout_(layout),
      first_line_(first_line),
      lanes_(lanes),
      all_(lanes == kLanes ? ~LaneSet{0} : (LaneSet{1} << lanes) - 1),
      memory_(memory),
      stride_(stride),
      words_(std::size_t{layout.words()} * kLanes),
      valid_(layout.masks()),
      active_(layout.operations().size()),
      counts_(layout.positions().size() * kLanes),
      sent_(layout.relays() ? counts_.size() : 0),
      uneven_(layout.positions().size()),
      awake_((layout.positions().size() + 63) / 64),
      link_wavelets_(layout.positions().size() * kOutputs),
      combined_(layout.positions().size()) {
  delayed_ = !starts.empty();
  start(starts);
}

void Block::start(std::span<const std::int32_t> starts) {
  const auto positions = static_cast<std::uint32_t>(layout_.positions().size());
  for (std::uint32_t position = 0; position < positions; ++position) {
    const Rows rows = layout_.positions()[position].operations;
    for (std::uint32_t index = rows.begin; index < rows.end; ++index) {
      const bool first = index == rows.begin || layout_.operations()[index - 1].last;
      if (!first) continue;
      active_[index] = lane_set(layout_.operations()[index].lines);
      if (active_[index] != all_) uneven_[position] = 1;
      running_ += std::popcount(active_[index]);
      wake(position);
    }
    if (starts.empty()) continue;
    uneven_[position] = 1;
    for (int lane = 0; lane < lanes_; ++lane) {
      const std::size_t pe = static_cast<std::size_t>((first_line_ + lane) * positions + position);
      counts_[position * kLanes + static_cast<std::size_t>(lane)] = -starts[pe];
    }
  }
}

LaneSet Block::lane_set(const Lines& lines) const {
  const std::int64_t begin = std::clamp<std::int64_t>(lines.begin - first_line_, 0, lanes_);
  const std::int64_t end = std::clamp<std::int64_t>(lines.end - first_line_, 0, lanes_);
  if (begin >= end) return 0;
  const LaneSet below_end = end == kLanes ? ~LaneSet{0} : (LaneSet{1} << end) - 1;
  return below_end & ~((LaneSet{1} << begin) - 1);
}

float* Block::vector_word(std::uint32_t position, std::int64_t word) {
  return memory_ + (static_cast<std::int64_t>(position) * layout_.program().words + word) * stride_;
}

void Block::move(Slot from, Slot to, LaneSet lanes) {
  float* __restrict target = words(to);
  const float* __restrict source = words(from);
  if (lanes == all_ && lanes_ > kFewLanes) {
    std::memcpy(target, source, kLanes * sizeof(float));
  } else {
    for_each_lane(lanes, [&](int lane) { target[lane] = source[lane]; });
  }
  valid_[from.mask] &= ~lanes;
  valid_[to.mask] |= lanes;
  moved_ = true;
}

/// Lines whose wavelet finds room at the target, as the cycle began.
LaneSet Block::room(const Target& target, const Block* next) const {
  const LaneSet full = valid_[target.slot.mask];
  if (target.output != Output::next_line) return ~full;
  const LaneSet over_edge = next != nullptr ? next->valid_[target.slot.mask] << (kLanes - 1) : 0;
  return ~((full >> 1) | over_edge);
}

void Block::deliver(const Source& source, const Target& target, LaneSet moved, Block* next) {
  const float* __restrict from = words(source.head);
  if (target.output != Output::next_line) {
    float* __restrict to = words(target.slot);
    if (moved == all_ && lanes_ > kFewLanes) {
      std::memcpy(to, from, kLanes * sizeof(float));
    } else {
      for_each_lane(moved, [&](int lane) { to[lane] = from[lane]; });
    }
    valid_[target.slot.mask] |= moved;
    wake(target.position);
    return;
  }
  const LaneSet edge = LaneSet{1} << (kLanes - 1);
  float* to = words(target.slot);
  for_each_lane(moved & ~edge, [&](int lane) { to[lane + 1] = from[lane]; });
  valid_[target.slot.mask] |= (moved & ~edge) << 1;
  wake(target.position);
  if ((moved & edge) == 0 || next == nullptr) return;
  next->words(target.slot)[0] = from[kLanes - 1];
  next->valid_[target.slot.mask] |= 1;
  next->wake(target.position);
}

/// Every source in turn moves where all its targets have room and no earlier source has taken one of its outputs.
void Block::forward_sources(Rows rows, std::uint32_t position, LaneSet (&taken)[kOutputs], Block* next) {
  for (std::uint32_t index = rows.begin; index < rows.end; ++index) {
    const Source& source = layout_.sources()[index];
    LaneSet moved = valid_[source.head.mask];
    if (moved == 0) continue;
    const std::span<const Target> targets = layout_.targets().subspan(source.first_target, source.targets);
    for (const Target& target : targets) {
      const LaneSet free = room(target, next) & ~taken[static_cast<int>(target.output)];
      moved &= target.all_lines ? free : free | ~lane_set(target.lines);
    }
    if (moved == 0) continue;
    for (const Target& target : targets) {
      const LaneSet here = target.all_lines ? moved : moved & lane_set(target.lines);
      if (here == 0) continue;
      taken[static_cast<int>(target.output)] |= here;
      deliver(source, target, here, next);
      if (target.output == Output::ramp) continue;
      const int wavelets = std::popcount(here);
      traffic_.wavelet_hops += wavelets;
      link_wavelets_[position * kOutputs + static_cast<std::size_t>(target.output)] += wavelets;
    }
    valid_[source.head.mask] &= ~moved;
    moved_ = true;
  }
}

/// Tails become heads.
void Block::promote(Rows rows) {
  for (std::uint32_t index = rows.begin; index < rows.end; ++index) {
    const Slots& queue = layout_.queues()[index];
    for (std::uint32_t stage = 0; stage < queue.count; stage += 2) {
      const LaneSet lanes = valid_[queue.at(stage + 1).mask] & ~valid_[queue.at(stage).mask];
      if (lanes != 0) move(queue.at(stage + 1), queue.at(stage), lanes);
    }
  }
}

/// Hops of more than one cycle: from the head of one stage of a link to the tail of its next.
void Block::pass_links(Rows rows) {
  for (std::uint32_t index = rows.begin; index < rows.end; ++index) {
    const Slots& queue = layout_.queues()[index];
    for (std::uint32_t stage = queue.count; stage >= 4; stage -= 2) {
      const Slot head = queue.at(stage - 4);
      const Slot tail = queue.at(stage - 1);
      const LaneSet lanes = valid_[head.mask] & ~valid_[tail.mask];
      if (lanes != 0) move(head, tail, lanes);
    }
  }
}

void Block::close_up(Rows rows) {
  for (std::uint32_t index = rows.begin; index < rows.end; ++index) {
    const Slots& pipe = layout_.pipes()[index];
    for (std::uint32_t slot = pipe.count - 1; slot > 0; --slot) {
      const LaneSet lanes = valid_[pipe.at(slot - 1).mask] & ~valid_[pipe.at(slot).mask];
      if (lanes != 0) move(pipe.at(slot - 1), pipe.at(slot), lanes);
    }
  }
}

void Block::turn(std::uint32_t position, std::int64_t cycle, Block* next) {
  const PositionCode& code = layout_.positions()[position];
  LaneSet taken[kOutputs] = {};
  promote(code.queues_back);
  forward_sources(code.passing, position, taken, next);
  pass_links(code.queues_back);
  pass_links(code.queues_front);
  close_up(code.to_router);
  operate(position, cycle);
  close_up(code.to_pe);
  forward_sources(code.arriving, position, taken, next);
  promote(code.queues_front);
}

bool Block::idle(std::uint32_t position) const {
  const PositionCode& code = layout_.positions()[position];
  LaneSet any = 0;
  for (std::uint32_t mask = code.masks.begin; mask < code.masks.end; ++mask) any |= valid_[mask];
  if (any != 0) return false;
  for (std::uint32_t index = code.operations.begin; index < code.operations.end; ++index) {
    const Kind kind = layout_.operations()[index].operation.kind;
    const bool waits_for_input = kind == Kind::combine || kind == Kind::store || kind == Kind::forward;
    if (active_[index] != 0 && (!waits_for_input || uneven_[position] != 0)) return false;
  }
  return true;
}

bool Block::step(std::int64_t cycle, Block* next) {
  moved_ = false;
  for (std::size_t group = 0; group < awake_.size(); ++group) {
    LaneSet left = ~LaneSet{0};
    while ((awake_[group] & left) != 0) {  // read again: a turn may wake the positions behind it
      const int bit = std::countr_zero(awake_[group] & left);
      const auto position = static_cast<std::uint32_t>(group * 64 + static_cast<std::size_t>(bit));
      turn(position, cycle, next);
      if (idle(position)) awake_[group] &= ~(LaneSet{1} << bit);
      left = bit == 63 ? 0 : ~LaneSet{0} << (bit + 1);
    }
  }
  return moved_;
}

std::int64_t Block::state_bytes() const {
  const auto bytes = [](const auto& table) { return table.size() * sizeof(table[0]); };
  return static_cast<std::int64_t>(bytes(words_) + bytes(valid_) + bytes(active_) + bytes(counts_) + bytes(sent_) +
                                   bytes(uneven_) + bytes(awake_) + bytes(link_wavelets_) + bytes(combined_));
}

void Block::describe_waiting(std::vector<WaitingPe>& waiting) const {
  for (std::uint32_t position = 0; position < layout_.positions().size(); ++position) {
    const Rows rows = layout_.positions()[position].operations;
    int number = 0;
    for (std::uint32_t index = rows.begin; index < rows.end; ++index) {
      const OperationCode& code = layout_.operations()[index];
      for_each_lane(active_[index], [&](int lane) {
        WaitingPe pe;
        pe.line = first_line_ + lane;
        pe.position = position;
        pe.operation = number;
        pe.kind = code.operation.kind;
        pe.for_input = code.receives && (valid_[code.in.mask] >> lane & 1) == 0;
        pe.color = pe.for_input ? code.operation.in : code.operation.out;
        pe.words_done = counts_[position * kLanes + (uneven_[position] != 0 ? static_cast<std::size_t>(lane) : 0)];
        pe.words = code.operation.words;
        waiting.push_back(pe);
      });
      number = code.last ? 0 : number + 1;
    }
  }
}

}  // namespace waferline::kernels::fabric
