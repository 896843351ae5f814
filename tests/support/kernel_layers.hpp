#pragma once
// Layers and workshops for tests of the kernels: small builders that make exactly the object a test needs.

#include "kernels/layer_schedule.hpp"
#include "kernels/rates.hpp"

namespace waferline::tests {

inline kernels::CollectiveChoice tree_choice(double stage_cycles = 25) {
  kernels::CollectiveChoice choice;
  choice.rates.stage_cycles = stage_cycles;
  choice.rates.ramp_cycles = 0;
  return choice;
}

inline kernels::Workshop workshop(const kernels::ScheduleOptions& options = {}, double stage_cycles = 25) {
  return {options, kernels::PlanCache(tree_choice(stage_cycles))};
}

/// A Llama-style layer.
inline models::Layer llama_layer(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim, std::int64_t width) {
  models::Layer layer;
  models::Mixer mixer;
  mixer.kind = models::MixerKind::full_attention;
  mixer.heads = heads;
  mixer.kv_heads = kv_heads;
  mixer.head_dim = mixer.v_head_dim = head_dim;
  layer.mixers.push_back(mixer);
  models::Ffn ffn;
  ffn.kind = models::FfnKind::dense;
  ffn.width = width;
  layer.ffns.push_back(ffn);
  layer.norms = 2;
  return layer;
}

/// Rates of the WaferLLM form: `stage` cycles for a software stage, `instruction` for a vector instruction of a gemv.
inline kernels::Rates waferllm_rates(double stage, double instruction) {
  kernels::Rates rates;
  rates.macs_per_cycle_16bit = 4;
  rates.read_bytes_per_cycle = 16;
  rates.write_bytes_per_cycle = 8;
  rates.vector_instruction_cycles = instruction;
  rates.element_cycles = 0;
  rates.payload_hidden = true;
  rates.collective.ramp_cycles = 0;
  rates.collective.stage_cycles = stage;
  return rates;
}

}  // namespace waferline::tests
