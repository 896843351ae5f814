#pragma once
// Cycles of vector instructions and of the loops around them on one PE of a WSE-2, in fp32.
//
// An isolated instruction is known exactly. What a loop adds depends on how its kernel addresses its operands, so each
// kernel has its own constants, fitted on published runs of the vendor's simulator.

#include <cstdint>

#include "arch/units.hpp"

namespace waferline::kernels {

/// Where the two operands of an instruction lie.
enum class Banks : std::uint8_t {
  apart,    ///< in different banks: both are read in one cycle
  conflict  ///< in the same bank: one after the other
};

/// One vector instruction on fp32 operands in SRAM.
struct VectorInstruction {
  std::int64_t elements = 0;
  Banks banks = Banks::apart;
  std::int64_t per_cycle = 1;  ///< elements in a cycle; 2 for moves of 64 bits
};

/// What is between the two readings of the clock.
enum class Timed : std::uint8_t {
  trace,      ///< nothing: read from an instruction trace
  isolated,   ///< the instruction alone
  with_setup  ///< the setting up of its operand descriptors too
};

/// F78: elements (twice with a conflict, over `per_cycle`), and 1 (issue), 6 (issue and drain) or 34 (set-up too)
/// cycles.
Cycles instruction_cycles(const VectorInstruction& instruction, Timed timed);

/// Kernels whose loops were published.
enum class LoopKernel : std::uint8_t {
  compressed,   ///< CSC or CSR: a pointer for each column or row, an index and a value for each call
  coordinates,  ///< COO or ELLPACK: an index and a value for each call
  dense,        ///< GEMM: a value for each call, one descriptor moved
  naive_dense   ///< GEMM as first written, every offset computed anew
};

struct LoopRun {
  LoopKernel kernel = LoopKernel::dense;
  std::int64_t calls = 0;     ///< vector instructions
  std::int64_t elements = 0;  ///< of each
  std::int64_t lines = 0;     ///< columns or rows that the loop goes through (compressed)
  Banks banks = Banks::conflict;
  bool loads_only = false;  ///< the loop without its vector instructions
};

/// F79: cycles of a loop of vector instructions.
Cycles loop_cycles(const LoopRun& run);

/// Sending or taking `words` by a microthread: one a cycle, and 5 to start and finish.
Cycles stream_cycles(std::int64_t words);

}  // namespace waferline::kernels
