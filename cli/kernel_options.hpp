#pragma once
// Options that all emulated kernels share.

#include <cstdint>
#include <optional>
#include <string>

#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "cli/options.hpp"
#include "kernels/emulate/seeded/kernel_run.hpp"
#include "report/kernel_runs.hpp"

namespace waferline::cli {

/// --mesh, --dtype, --accumulate, --batch, --threads, --seed, --system, --software, --sram-bytes.
class KernelOptions {
 public:
  void declare(Options& options);
  /// Reads what is named: wafer, software, types. Errors: ConfigError.
  void resolve();

  const kernels::emulate::KernelSetup& setup() const { return setup_; }
  std::int64_t batch() const { return batch_; }
  void set_latent_copies(std::int64_t copies) { setup_.options.latent_copies = copies; }
  /// What all runs have in common.
  report::KernelRuns described(const std::string& command) const;
  report::TimedKernel timed(kernels::emulate::KernelRun run) const;

 private:
  std::string mesh_ = "64x64";
  std::string dtype_ = "fp16";
  std::optional<std::string> accumulate_;
  std::int64_t batch_ = 1;
  std::optional<std::int64_t> threads_;
  std::int64_t seed_ = 1;
  std::string system_ = "wse2";
  std::string software_ = "waferllm";
  std::optional<std::int64_t> sram_bytes_;
  Wafer wafer_;
  SoftwareProfile profile_;
  kernels::emulate::KernelSetup setup_;
};

}  // namespace waferline::cli
