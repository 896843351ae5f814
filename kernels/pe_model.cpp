// Follows: public runs of the WSE-2 simulator (repository pr0f3ss/SpMM_Cerebras; a model of pipelined SUMMA read from
// traces).
#include "kernels/pe_model.hpp"

#include <cassert>

namespace waferline::kernels {
namespace {

// Exact on 4 isolated runs, within 1 cycle on 3 runs with set-up (28 fitted on them), exact on 1 trace.
constexpr double kIssue = 1;
constexpr double kDrain = 5;
constexpr double kSetup = 28;

// Solved from the two distinct runs of CSC and CSR without their instructions: 64 calls in 8 lines take 2,513 cycles,
// 1,024 calls in 32 lines 34,553. COO and ELLPACK do the same work for a call, and have no lines.
constexpr double kSparseCall = 31.90;
constexpr double kSparseLine = 58.92;
// GEMM: without its instructions 11,317 cycles for 1,024 calls and 45,499 for 4,096; with them three runs.
constexpr double kDenseCall = 11.1;
constexpr double kDenseDescriptor = 5.1;
// Naive GEMM: the source counts 43 cycles of scalar work around the traced instruction.
constexpr double kNaiveCall = 43;

constexpr double kStream = 5;

}  // namespace

Cycles instruction_cycles(const VectorInstruction& instruction, Timed timed) {
  assert(instruction.per_cycle > 0 && "an instruction handles at least one element in a cycle");
  const std::int64_t passes = instruction.banks == Banks::conflict ? 2 : 1;
  const auto busy = static_cast<double>(ceil_div(passes * instruction.elements, instruction.per_cycle));
  const double around = timed == Timed::trace ? kIssue : kIssue + kDrain + (timed == Timed::with_setup ? kSetup : 0);
  return Cycles{busy + around};
}

Cycles loop_cycles(const LoopRun& run) {
  double call = 0;
  double line = 0;
  double descriptor = 0;
  Timed timed = Timed::isolated;
  switch (run.kernel) {
    case LoopKernel::compressed:
      call = kSparseCall;
      line = kSparseLine;
      break;
    case LoopKernel::coordinates:
      call = kSparseCall;
      break;
    case LoopKernel::dense:
      call = kDenseCall;
      descriptor = kDenseDescriptor;
      break;
    case LoopKernel::naive_dense:
      call = kNaiveCall;
      timed = Timed::trace;
      break;
  }
  if (!run.loads_only) call += instruction_cycles({run.elements, run.banks, 1}, timed).value + descriptor;
  return Cycles{static_cast<double>(run.calls) * call + static_cast<double>(run.lines) * line};
}

Cycles stream_cycles(std::int64_t words) {
  return Cycles{static_cast<double>(words) + kStream};
}

}  // namespace waferline::kernels
