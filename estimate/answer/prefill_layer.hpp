#pragma once
// What a piece of a prompt does in one layer, as shifted matrix products over a rectangle of PEs.

#include <cstdint>

#include "arch/region.hpp"
#include "arch/software.hpp"
#include "arch/units.hpp"
#include "arch/wafer.hpp"
#include "models/model.hpp"

namespace waferline::estimate {

/// Tokens of one prompt that go through a layer together.
struct PromptChunk {
  std::int64_t tokens = 1;  ///< 1 or more
  std::int64_t before = 0;  ///< tokens of the prompt already in the cache
};

/// Cycles of one PE for each counted thing of a prefill. Raw numbers; their units stand in the names.
struct PrefillRates {
  double macs_per_cycle = 4;
  double instruction_cycles = 0;  ///< on top of each vector instruction
  double rotation_cycles = 0;     ///< on top of each step in which every PE passes its operands on
  double exponential_cycles = 0;  ///< each element of a softmax
  double dequantise_cycles = 0;   ///< each weight widened from 8 bits or less, each time it passes a PE
  double link_bytes_per_cycle = 4;
};

/// Constants of WaferLLM's prefill kernel, for any software: no prefill of a service has been published.
/// F30: fitted on the 12 published cycle rows; tests/validation/traces/prefill.cpp remakes them.
Sourced<Cycles> prefill_instruction_overhead();
Sourced<Cycles> prefill_rotation_overhead();

/// Rates of a wafer under a software profile with the constants above.
PrefillRates prefill_rates(const Wafer& wafer, const SoftwareProfile& software);

/// Counts of one chunk in one layer on the busiest PE, and the cycles that follow from rates.
struct LayerPrefill {
  double instructions = 0;  ///< of products; those of experts and of what they choose are expectations
  double rotations = 0;
  double arithmetic_cycles = 0;
  double overhead_cycles = 0;  ///< of instructions and rotations
  double softmax_cycles = 0;
  double widening_cycles = 0;
  double payload_cycles = 0;  ///< operands under way that the work of their rotation does not hide
  double state_cycles = 0;    ///< recurrent mixers, one token after the other

  Cycles total() const {
    return Cycles{arithmetic_cycles + overhead_cycles + softmax_cycles + widening_cycles + payload_cycles +
                  state_cycles};
  }
};

/// Tokens lie over the rows or over the columns of `extent`, whichever takes less time, channels over the other.
/// Model:  F91. Assumptions: heads share the PEs as one head as wide as all of them would; norms, rotations and
///         activations are within the fitted overheads; all pairs of a chunk are computed, masked ones too.
LayerPrefill prefill_layer(const models::Layer& layer, DType kv_dtype, Extent extent, PromptChunk chunk,
                           const PrefillRates& rates);

/// Bytes of the busiest PE that a chunk of that size takes in this layer beside weights and cache: residual and input,
/// the widest result twice, the scores of one head.
Bytes prefill_buffers(const models::Layer& layer, std::int64_t hidden_size, Extent extent, PromptChunk chunk);

/// Positions that the tokens of a chunk attend to together: all, or what a window or an indexer leaves.
std::int64_t attended_positions(const models::Mixer& mixer, PromptChunk chunk);

}  // namespace waferline::estimate
