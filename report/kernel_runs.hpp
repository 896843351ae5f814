#pragma once
// Kernels that were run on seeded numbers, as text and as JSON.

#include <cstdint>
#include <string>
#include <vector>

#include "arch/units.hpp"
#include "kernels/emulate/seeded/kernel_run.hpp"
#include "report/page.hpp"

namespace waferline::report {

struct TimedKernel {
  kernels::emulate::KernelRun run;
  Cycles cycles;  ///< of what was counted
  Seconds time;
};

struct KernelRuns {
  std::string command;  ///< "gemv"
  std::string system;
  std::string software;
  std::string types;  ///< of weights, vectors and sums
  Extent mesh;
  std::int64_t batch = 1;
  std::int64_t sram_bytes_per_pe = 0;
  std::int64_t reserved_bytes = 0;  ///< code and system, of that
  int threads = 1;
  std::vector<TimedKernel> kernels;
  std::vector<std::string> notes;
};

Lines kernel_runs_text(const KernelRuns& runs, const Page& page);

/// Schema 1, `emulate gemv`, `gemm`, `attention`, `layer`.
std::string kernel_runs_json(const KernelRuns& runs);

}  // namespace waferline::report
