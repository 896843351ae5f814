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
      CommandEntry{"place", "where a model's layers lie on wafers, how far that is from the best, and other choices",
                   "llama-3.1-70b --objective latency --svg wafers.svg --out plan.toml", make_place},
      CommandEntry{"sweep", "estimates over all combinations of lists of inputs, to a CSV or HDF5 file",
                   "--model llama-3.1-8b,llama-3.1-70b --context 1Ki:64Ki:x4 --set wafer.clock_hz=0.85e9,1.1e9 "
                   "--out sweep.csv",
                   make_sweep},
      CommandEntry{"emulate", "runs a model's schedules on real numbers over an emulated mesh",
                   "model --weights DIR --prompt-ids 1 --tokens 16 --mesh 8x8", make_emulate},
      CommandEntry{"emulate allreduce", "moves a reduction over lines of PEs, beside its closed form",
                   "--pes 660 --lines 660 --wavelets 12 --fabric", make_emulate_allreduce},
      CommandEntry{"emulate gemv", "matrices times vectors over an emulated mesh, beside double precision",
                   "--rows 4096 --cols 4096 --mesh 64x64 --dtype fp16", make_emulate_gemv},
      CommandEntry{"emulate gemm", "matrix products by rotating tiles and by multicast panels",
                   "--rows 512 --cols 512 --tokens 128 --mesh 16x16", make_emulate_gemm},
      CommandEntry{"emulate attention", "decode attention of any kind over a cache, beside double precision",
                   "--heads 32 --kv-heads 8 --head-dim 128 --context 512 --mesh 64x64", make_emulate_attention},
      CommandEntry{"emulate layer", "one layer of a model in its true shapes, beside double precision",
                   "--model smollm2-135m --layer 3 --mesh 32x32", make_emulate_layer},
      CommandEntry{"trace", "what a recorded run did, with a map of the mesh", "run.h5 --map links --svg mesh.svg",
                   make_trace},
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
