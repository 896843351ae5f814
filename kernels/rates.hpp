#pragma once
// Cycles of counted work: what one PE and its links do in a cycle on one wafer under one software.

#include <cstdint>

#include "arch/software.hpp"
#include "arch/units.hpp"
#include "arch/wafer.hpp"
#include "kernels/collective.hpp"
#include "kernels/options.hpp"
#include "kernels/plan_cache.hpp"
#include "kernels/schedule.hpp"

namespace waferline::kernels {

/// Cycles and bytes for each counted thing. Raw numbers; their units stand in the names.
struct Rates {
  double macs_per_cycle_16bit = 1;  ///< multiply-accumulates on operands of 16 bits or less
  double macs_per_cycle_32bit = 1;
  double read_bytes_per_cycle = 1;
  double write_bytes_per_cycle = 1;
  double vector_instruction_cycles = 0;   ///< overhead of each vector instruction of a multiplication
  double element_instruction_cycles = 0;  ///< overhead of each vector instruction of an elementwise step
  double element_cycles = 1;              ///< each element of an elementwise step, on top of the vector rate
  double exponential_cycles = 0;
  double special_cycles = 0;
  double dequantise_cycles = 0;  ///< each element widened from 8 bits or less
  double stream_cycles = 0;      ///< start-up of a step that communicates without reducing (send and receive)
  bool payload_hidden = false;   ///< words beyond the first of a reduction hide behind its stages
  CollectiveRates collective;
};

/// Rates of a wafer under a software profile. Follows: docs/model/10-kernels.md, F6.
Rates rates_of(const Wafer& wafer, const SoftwareProfile& software);

/// How that software arranges its reductions on that wafer.
CollectiveChoice choice_of(const Wafer& wafer, const SoftwareProfile& software);

/// What that software chooses when it lays out a layer; types of activations and caches are the caller's.
ScheduleOptions options_of(const SoftwareProfile& software);

/// Cycles of one step or of many, by cause. The parts add up to the total.
struct StepTime {
  Cycles weights_sweep;         ///< weights, caches and state through the read port
  Cycles multiply;              ///< arithmetic and operand traffic beyond that
  Cycles instruction_overhead;  ///< vector-instruction overhead of multiplications
  Cycles elementwise;           ///< elementwise vector instructions, overhead included
  Cycles exponential;
  Cycles special;
  Cycles dequantise;
  Cycles hops;     ///< wavelets under way between routers
  Cycles stages;   ///< software stages, ramps and start-up of collectives
  Cycles payload;  ///< words beyond the first, link- or ramp-limited

  Cycles total() const;
  StepTime& operator+=(const StepTime& more);
};

/// Time of one step, its repeats included. Never below its bytes through the ports, its arithmetic or its hops.
StepTime time(const Step& step, const Rates& rates);

/// Time of a schedule: its steps one after the other.
StepTime time(const Schedule& schedule, const Rates& rates);

/// The lower bound of a step: the largest of port bytes, arithmetic, hops and link slots.
Cycles lower_bound(const Step& step, const Rates& rates);

}  // namespace waferline::kernels
