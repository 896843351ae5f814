#include "cli/kernel_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "cli/emulate_model.hpp"
#include "kernels/rates.hpp"

namespace waferline::cli {

using namespace kernels;
using namespace kernels::emulate;

void KernelOptions::declare(Options& options) {
  options.text("--mesh", "ROWSxCOLS", mesh_, "rectangle of PEs");
  options.one_of("--dtype", dtype_, {"fp32", "fp16", "bf16", "int8", "int4", "fp8_e4m3"},
                 "storage of weights; int8 and int4 with a 16-bit scale for 32 inputs");
  options.text("--accumulate", "TYPE", accumulate_,
               "fp32 or fp16, also of vectors and caches (default: the software's, fp32 for fp32 and bf16 weights)");
  options.integer("--batch", batch_, {1, 256}, "tokens that go through together, each of its own sequence");
  options.integer("--threads", threads_, {1, 1024}, "host threads (default: processors); results do not depend on it");
  options.integer("--seed", seed_, {0, 1'000'000'000}, "of weights and vectors");
  options.text("--system", "NAME", system_, "wafer");
  options.text("--software", "NAME", software_, "software profile");
  options.integer("--sram-bytes", sram_bytes_, {1, 1'000'000'000}, "SRAM of a PE (default: the wafer's)");
  declare_recording(options, recording_);
}

void KernelOptions::resolve() {
  wafer_ = load_wafer(system_);
  profile_ = load_software(software_);
  const DType weights = *dtype_from_name(dtype_);
  setup_.mesh = parse_mesh(mesh_);
  setup_.weights = emulated_type(weights);
  setup_.collectives = choice_of(wafer_, profile_);
  setup_.options = options_of(profile_);
  const bool wide = weights == DType::fp32 || weights == DType::bf16;
  const DType sums = accumulate_ ? parse_sum_type("--accumulate", *accumulate_)
                     : wide      ? DType::fp32
                                 : profile_.accumulate.value;
  setup_.options.accumulate = setup_.options.activation = setup_.options.kv = sums;
  const auto processors = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  setup_.machine.threads = static_cast<int>(threads_.value_or(processors));
  setup_.machine.sram_bytes_per_pe = sram_bytes_.value_or(wafer_.pe.sram.value.value);
  setup_.machine.reserved_bytes = (profile_.code.value + profile_.system.value).value;
  setup_.seed = static_cast<std::uint64_t>(seed_);
}

report::KernelRuns KernelOptions::begin(const std::string& command) {
  traces::TraceOrigin origin;
  origin.system = wafer_.name;
  origin.software = profile_.name;
  origin.seed = seed_;
  origin.clock = wafer_.clock.value;
  origin.inputs = {{"what", command},
                   {"mesh", mesh_},
                   {"batch", fmt::format("{}", batch_)},
                   {"weight_type", dtype_},
                   {"vector_type", std::string(name(setup_.options.accumulate))}};
  recorder_ = make_recorder(recording_, rates_of(wafer_, profile_), origin);
  setup_.machine.recorder = recorder_.get();
  report::KernelRuns runs;
  runs.command = command;
  runs.system = wafer_.name;
  runs.software = profile_.name;
  runs.types = fmt::format("weights in {}, vectors and sums in {}", dtype_, name(setup_.options.accumulate));
  runs.mesh = setup_.mesh;
  runs.batch = batch_;
  runs.sram_bytes_per_pe = setup_.machine.sram_bytes_per_pe;
  runs.reserved_bytes = setup_.machine.reserved_bytes;
  runs.threads = setup_.machine.threads;
  return runs;
}

std::vector<std::string> KernelOptions::finish() {
  if (!recorder_) return {};
  recorder_->finish();
  return recorder_->problems();
}

report::TimedKernel KernelOptions::timed(KernelRun run) const {
  const Rates rates = rates_of(wafer_, profile_);
  report::TimedKernel kernel;
  for (std::size_t i = 0; i < run.counted.counters.size(); ++i) {
    kernel.cycles += time(with_counted(run.counted.schedule.steps[i], run.counted.counters[i]), rates).total();
  }
  kernel.time = kernel.cycles / wafer_.clock.value;
  kernel.run = std::move(run);
  return kernel;
}

}  // namespace waferline::cli
