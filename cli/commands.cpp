#include <array>

#include "cli/command.hpp"

namespace waferline::cli {

std::span<const CommandEntry> command_entries() {
  static constexpr std::array entries{
      CommandEntry{"inspect", "what a model is made of: layers, parameters, bytes, KV cache",
                   "gpt-oss-120b --context 131072", make_inspect},
      CommandEntry{"estimate", "tokens/s of a model on wafers, what limits it, and GPUs beside it",
                   "llama-3.1-8b --system wse3 --context 8192 --vs h100x8,b200x8", make_estimate},
      CommandEntry{"deadline", "what fits before a deadline at given rates, and which rate is needed",
                   "--deadline 10s --overhead 1s --answer-tokens 500 --rate gpu=170.7 --rate wafer=1790.3",
                   make_deadline},
      CommandEntry{"serve", "latency percentiles and throughput of many users who share wafers",
                   "llama-3.1-8b --requests-per-s 2 --prefill-tokens-per-s 20000", make_serve},
      CommandEntry{"emulate", "runs a model's schedules on real numbers over an emulated mesh",
                   "model --weights DIR --prompt-ids 1 --tokens 16 --mesh 8x8", make_emulate},
      CommandEntry{"emulate allreduce", "moves a reduction over lines of PEs, beside its closed form",
                   "--pes 660 --lines 660 --wavelets 12 --fabric", make_emulate_allreduce},
      CommandEntry{"validate", "how far the model is from published measurements", "--set waferllm-decode",
                   make_validate},
      CommandEntry{"calibrate", "fit a software profile or an engine to measured rows",
                   "--data traces/published/gpu_decode_measured.csv --class vllm-2024 --out vllm.toml", make_calibrate},
      CommandEntry{"list", "what can be named: models, systems, software, gpus, engines, endpoints", "models",
                   make_list},
  };
  return entries;
}

}  // namespace waferline::cli
