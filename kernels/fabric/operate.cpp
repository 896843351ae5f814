// What the PEs of a block do in one cycle.
#include <algorithm>
#include <bit>

#include "kernels/fabric/block.hpp"

namespace waferline::kernels::fabric {
namespace {

using Kind = Operation::Kind;

template <class Visit>
void for_each_lane(LaneSet lanes, Visit&& visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(std::countr_zero(lanes));
}

bool combines(Kind kind) {
  return kind == Kind::combine || kind == Kind::forward;
}

std::int32_t wrapped(std::int64_t address, std::int32_t modulus) {
  return static_cast<std::int32_t>(modulus > 0 ? address % modulus : address);
}

/// The operands of one word in all lanes: vector in SRAM, ramp to the PE, ramp to the router.
struct Operands {
  float* __restrict vector;
  const float* __restrict in;
  float* __restrict out;
};

template <class Sum>
void compute_lane(Kind kind, const Operands& at, int lane, Sum&& sum) {
  switch (kind) {
    case Kind::send:
      at.out[lane] = at.vector[lane];
      break;
    case Kind::store:
      at.vector[lane] = at.in[lane];
      break;
    case Kind::combine:
      at.vector[lane] = sum(at.vector[lane], at.in[lane]);
      break;
    case Kind::forward:
      at.out[lane] = sum(at.vector[lane], at.in[lane]);
      break;
    case Kind::wait:
    case Kind::relay:
      break;
  }
}

/// All lanes alike: the switch stands outside the loop, so that each loop becomes vector code.
template <class Sum>
void compute_lanes(Kind kind, const Operands& at, Sum&& sum) {
  const auto each = [&](auto&& work) {
    for (int lane = 0; lane < kLanes; ++lane) work(lane);
  };
  switch (kind) {
    case Kind::send:
      each([&](int lane) { at.out[lane] = at.vector[lane]; });
      break;
    case Kind::store:
      each([&](int lane) { at.vector[lane] = at.in[lane]; });
      break;
    case Kind::combine:
      each([&](int lane) { at.vector[lane] = sum(at.vector[lane], at.in[lane]); });
      break;
    case Kind::forward:
      each([&](int lane) { at.out[lane] = sum(at.vector[lane], at.in[lane]); });
      break;
    case Kind::wait:
    case Kind::relay:
      break;
  }
}

template <class Work>
void with_sum(Combine combine, Work&& work) {
  if (combine == Combine::sum) {
    work([](float a, float b) { return a + b; });
  } else {
    work([](float a, float b) { return a > b ? a : b; });
  }
}

}  // namespace

void Block::operate(std::uint32_t position, std::int64_t cycle) {
  const Rows rows = layout_.positions()[position].operations;
  // From the last one, so that what begins in this cycle's end is not also executed in it.
  for (std::uint32_t index = rows.end; index-- > rows.begin;) {
    LaneSet lanes = active_[index];
    if (lanes == 0) continue;
    if (delayed_) lanes &= ~count_down(position, lanes);
    const OperationCode& code = layout_.operations()[index];
    if (code.operation.kind == Kind::relay) {
      if (lanes != 0) relay(position, index, lanes, cycle);
      continue;
    }
    if (code.receives) lanes &= valid_[code.in.mask];
    if (code.sends) lanes &= ~valid_[code.out.mask];
    if (lanes != 0) execute(position, index, lanes, cycle);
  }
}

/// Lanes that may not begin yet, whose counts are below zero; each comes one cycle nearer.
LaneSet Block::count_down(std::uint32_t position, LaneSet lanes) {
  LaneSet waiting = 0;
  std::int32_t* counts = &counts_[position * kLanes];
  if (uneven_[position] == 0) return 0;
  for_each_lane(lanes, [&](int lane) {
    if (counts[lane] >= 0) return;
    ++counts[lane];
    waiting |= LaneSet{1} << lane;
  });
  if (waiting != 0) moved_ = true;
  return waiting;
}

/// From here on every lane keeps its own count.
void Block::spread(std::uint32_t position) {
  if (uneven_[position] != 0) return;
  uneven_[position] = 1;
  const std::size_t first = std::size_t{position} * kLanes;
  std::fill_n(&counts_[first], kLanes, counts_[first]);
  if (!sent_.empty()) std::fill_n(&sent_[first], kLanes, sent_[first]);
}

void Block::execute(std::uint32_t position, std::uint32_t index, LaneSet lanes, std::int64_t cycle) {
  const OperationCode& code = layout_.operations()[index];
  const Operation& operation = code.operation;
  std::int32_t* counts = &counts_[std::size_t{position} * kLanes];
  const Operands at{nullptr, words(code.in), words(code.out)};
  LaneSet finished = 0;
  if (lanes != all_) spread(position);
  with_sum(layout_.program().combine, [&](auto&& sum) {
    const auto operands = [&](std::int32_t word) {
      return Operands{vector_word(position, wrapped(operation.start + word, operation.modulus)), at.in, at.out};
    };
    if (uneven_[position] == 0 && stride_ == kLanes) {
      if (operation.kind != Kind::wait) compute_lanes(operation.kind, operands(counts[0]), sum);
      if (++counts[0] == operation.words) finished = all_;
      return;
    }
    spread(position);
    for_each_lane(lanes, [&](int lane) {
      if (operation.kind != Kind::wait) compute_lane(operation.kind, operands(counts[lane]), lane, sum);
      if (++counts[lane] == operation.words) finished |= LaneSet{1} << lane;
    });
  });
  if (code.receives) valid_[code.in.mask] &= ~lanes;
  if (code.sends) valid_[code.out.mask] |= lanes;
  if (combines(operation.kind)) count_combined(position, lanes);
  moved_ = true;
  if (finished != 0) finish(position, index, finished, cycle);
}

void Block::count_combined(std::uint32_t position, LaneSet lanes) {
  const int words = std::popcount(lanes);
  combined_[position] += words;
  traffic_.combines += words;
}

/// Takes a chunk's word if one has come, and sends its own chunk and then what it took, whichever the ramp has room
/// for.
void Block::relay(std::uint32_t position, std::uint32_t index, LaneSet lanes, std::int64_t cycle) {
  const OperationCode& code = layout_.operations()[index];
  const Operation& operation = code.operation;
  const bool alike = lanes == all_ && (valid_[code.in.mask] == all_ || valid_[code.in.mask] == 0) &&
                     (valid_[code.out.mask] == all_ || valid_[code.out.mask] == 0);
  if (!alike) spread(position);
  if (stride_ != kLanes) spread(position);
  const bool together = uneven_[position] == 0;
  std::int32_t* received = &counts_[std::size_t{position} * kLanes];
  std::int32_t* sent = &sent_[std::size_t{position} * kLanes];
  const float* in = words(code.in);
  float* out = words(code.out);
  LaneSet finished = 0;
  const auto step = [&](int lane, LaneSet set, auto&& each) {
    if ((valid_[code.in.mask] & set) != 0 && received[lane] < operation.words) {
      float* vector = vector_word(position, wrapped(operation.start + received[lane], operation.modulus));
      const bool combine = received[lane] < operation.combined;
      each([&](int at, auto&& sum) { vector[at] = combine ? sum(vector[at], in[at]) : in[at]; });
      if (combine) count_combined(position, set);
      ++received[lane];
      valid_[code.in.mask] &= ~set;
      moved_ = true;
    }
    const bool has_word = sent[lane] < operation.words && sent[lane] < operation.own_words + received[lane];
    if (has_word && (valid_[code.out.mask] & set) == 0) {
      const std::int64_t word = std::int64_t{operation.start} - operation.own_words + operation.modulus + sent[lane];
      const float* vector = vector_word(position, wrapped(word, operation.modulus));
      each([&](int at, auto&&) { out[at] = vector[at]; });
      ++sent[lane];
      valid_[code.out.mask] |= set;
      moved_ = true;
    }
    if (received[lane] == operation.words && sent[lane] == operation.words) finished |= set;
  };
  with_sum(layout_.program().combine, [&](auto&& sum) {
    if (together) {
      step(0, all_, [&](auto&& work) {
        for (int lane = 0; lane < kLanes; ++lane) work(lane, sum);
      });
    } else {
      for_each_lane(lanes, [&](int lane) { step(lane, LaneSet{1} << lane, [&](auto&& work) { work(lane, sum); }); });
    }
  });
  if (finished != 0) finish(position, index, finished, cycle);
}

/// The lanes go on to their next operation, or are done.
void Block::finish(std::uint32_t position, std::uint32_t index, LaneSet lanes, std::int64_t cycle) {
  const OperationCode& code = layout_.operations()[index];
  std::int32_t* counts = &counts_[std::size_t{position} * kLanes];
  active_[index] &= ~lanes;
  if (!code.last) {
    active_[index + 1] |= lanes;
    if (lanes == all_) {
      uneven_[position] = 0;
      counts[0] = 0;
    } else {
      for_each_lane(lanes, [&](int lane) { counts[lane] = 0; });
    }
    return;
  }
  const int in_adder = code.operation.kind == Kind::combine ? layout_.program().timing.stage - 1 : 0;
  for_each_lane(lanes, [&](int lane) { counts[lane] = static_cast<std::int32_t>(cycle) + in_adder; });
  running_ -= std::popcount(lanes);
}

}  // namespace waferline::kernels::fabric
