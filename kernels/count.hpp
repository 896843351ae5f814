#pragma once
// The counter: exact integers of a schedule, in closed form.

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/schedule.hpp"

namespace waferline::kernels {

/// What the steps of a schedule do, added up. Each step counts its busiest PE and its longest line, so a sum is what
/// the critical path does when every step waits for the one before it.
struct Counts {
  std::int64_t instructions = 0;  ///< vector instructions of multiplications
  std::int64_t macs = 0;
  std::int64_t element_instructions = 0;  ///< vector instructions of elementwise steps
  std::int64_t elements = 0;              ///< elements that those work on
  std::int64_t exponentials = 0;
  std::int64_t specials = 0;
  std::int64_t weight_bytes = 0;
  std::int64_t dequantised = 0;
  std::int64_t read_bytes = 0;
  std::int64_t write_bytes = 0;
  std::int64_t collectives = 0;  ///< steps that communicate
  std::int64_t words = 0;        ///< elements per PE that travel
  std::int64_t stages = 0;       ///< software stages
  std::int64_t hops = 0;
  std::int64_t ramps = 0;
  std::int64_t switches = 0;
  std::int64_t payload_slots = 0;
  std::int64_t combines = 0;
  std::array<std::int64_t, 2> link_wavelets{};  ///< on the busiest link of each step, by axis (x, y)

  std::int64_t busiest_link_wavelets() const {
    return link_wavelets[0] > link_wavelets[1] ? link_wavelets[0] : link_wavelets[1];
  }
  Counts& operator+=(const Counts& more);
  bool operator==(const Counts&) const = default;
};

/// Counts of one step, its repeats included.
Counts count(const Step& step);

/// Counts of a whole schedule, and of each part of it.
struct ScheduleCounts {
  Counts total;
  std::array<Counts, kParts> by_part{};
  const Counts& of(Part part) const { return by_part[static_cast<std::size_t>(part)]; }
};
ScheduleCounts count(const Schedule& schedule);

/// SRAM of the busiest PE by use. Buffers are those alive at once, at most: a buffer lives from the step that first
/// touches it to the one that last does.
struct SramBytes {
  Bytes weights;
  Bytes kv;
  Bytes state;
  Bytes buffers;
  Bytes total() const { return weights + kv + state + buffers; }
  bool operator==(const SramBytes&) const = default;
};
SramBytes sram(const Schedule& schedule);

/// The step in which most buffers are alive, and the bytes alive in each step.
std::vector<Bytes> buffer_bytes_by_step(const Schedule& schedule);

}  // namespace waferline::kernels
