#pragma once
// A program laid out for stepping: where each queue's slots lie, and what happens at a position in one cycle.
//
// 64 lines step together: a slot is 64 words and a bit set of the lines that hold one. All lines share the tables.
//
// A link ends in a queue of two slots per cycle of hop: `tail` takes a wavelet, `head` offers it in the next cycle. A
// ramp is a pipe of as many slots as it takes cycles, whose wavelets close up; the ramp to the router also holds the
// PE's stage.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/fabric/program.hpp"

namespace waferline::kernels::fabric {

inline constexpr int kLanes = 64;
/// Up to so many lines are moved one by one.
inline constexpr int kFewLanes = 8;

/// A slot's place: index of its word (times kLanes) and of its bit set within a block.
struct Slot {
  std::uint32_t word = 0;
  std::uint32_t mask = 0;
};

/// Consecutive slots, words and bit sets alike.
struct Slots {
  Slot first;
  std::uint32_t count = 0;
  Slot at(std::uint32_t index) const { return {first.word + index, first.mask + index}; }
  Slot last() const { return at(count - 1); }
};

enum class Output : std::uint8_t { front, back, next_line, ramp };
inline constexpr int kOutputs = 4;

struct Target {
  Slot slot;                   ///< where the wavelet goes; for next_line, one lane further
  std::uint32_t position = 0;  ///< whose turn it concerns
  Output output = Output::ramp;
  bool all_lines = true;
  Lines lines;
};

/// A queue or pipe whose first wavelet goes out to all its targets at once.
struct Source {
  Slot head;
  std::int32_t color = 0;
  std::uint32_t first_target = 0;
  std::uint32_t targets = 0;
};

struct OperationCode {
  Operation operation;
  Slot in;   ///< end of the ramp to the PE
  Slot out;  ///< start of the ramp to the router
  bool receives = false;
  bool sends = false;
  bool last = false;  ///< of its program
  Lines lines;
};

/// A half-open range of one of the tables.
struct Rows {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct PositionCode {
  Rows masks;         ///< all bit sets of this position
  Rows queues_back;   ///< links from the position in front, whose turn comes later
  Rows queues_front;  ///< links from the position behind and from the former line, whose turn came earlier
  Rows to_router;     ///< ramps
  Rows to_pe;         ///< ramps
  Rows passing;       ///< sources without the PE among their targets, by priority
  Rows arriving;      ///< sources with the PE among their targets, by priority
  Rows operations;
};

/// Tables of one program. Errors of the constructor: ConfigError for a color out of range, two routes for one input, a
/// color that arrives where no operation receives it or is sent where no route takes it, or a route to the PE and a
/// link that does not have the last priority on that link.
class FabricLayout {
 public:
  explicit FabricLayout(const FabricProgram& program);

  const FabricProgram& program() const { return *program_; }
  std::span<const PositionCode> positions() const { return positions_; }
  std::span<const Slots> queues() const { return queues_; }
  std::span<const Slots> pipes() const { return pipes_; }
  std::span<const Source> sources() const { return sources_; }
  std::span<const Target> targets() const { return targets_; }
  std::span<const OperationCode> operations() const { return operations_; }
  std::uint32_t words() const { return words_; }
  std::uint32_t masks() const { return masks_; }
  bool crosses_lines() const { return crosses_lines_; }
  bool relays() const { return relays_; }

 private:
  friend class LayoutBuilder;
  const FabricProgram* program_;
  std::vector<PositionCode> positions_;
  std::vector<Slots> queues_;
  std::vector<Slots> pipes_;
  std::vector<Source> sources_;
  std::vector<Target> targets_;
  std::vector<OperationCode> operations_;
  std::uint32_t words_ = 0;
  std::uint32_t masks_ = 0;
  bool crosses_lines_ = false;
  bool relays_ = false;
};

}  // namespace waferline::kernels::fabric
