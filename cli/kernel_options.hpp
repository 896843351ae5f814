#pragma once
// Options that all emulated kernels share.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "arch/software.hpp"
#include "arch/wafer.hpp"
#include "cli/options.hpp"
#include "cli/recording.hpp"
#include "kernels/emulate/seeded/kernel_run.hpp"
#include "report/kernel_runs.hpp"

namespace waferline::cli {

/// --mesh, --dtype, --accumulate, --batch, --threads, --seed, --system, --software, --sram-bytes, --hdf5, --perfetto.
class KernelOptions {
 public:
  void declare(Options& options);
  void given(const std::string& arguments) { recording_.command = arguments; }
  /// Reads what is named: wafer, software, types. Errors: ConfigError.
  void resolve();

  const kernels::emulate::KernelSetup& setup() const { return setup_; }
  std::int64_t batch() const { return batch_; }
  void set_latent_copies(std::int64_t copies) { setup_.options.latent_copies = copies; }
  void set_expert_bands(std::int64_t bands) { setup_.options.expert_bands = bands; }
  /// What all runs have in common. Begins the trace, if one is asked for.
  report::KernelRuns begin(const std::string& command);
  report::TimedKernel timed(kernels::emulate::KernelRun run) const;
  /// Makes the files of the trace; returns what could not be written.
  std::vector<std::string> finish();

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
  RecordingRequest recording_;
  std::unique_ptr<traces::RunRecorder> recorder_;
};

}  // namespace waferline::cli
