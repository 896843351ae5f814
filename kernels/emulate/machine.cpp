#include "kernels/emulate/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/error.hpp"
#include "kernels/count.hpp"

namespace waferline::kernels::emulate {

namespace {

/// Steps that no part of the emulator does. Positions chosen by value lie unevenly over the rows, where the schedule
/// takes them to lie evenly.
bool is_emulated(const Step& step) {
  return !step.data_dependent && step.op != ElementOp::extra;
}

}  // namespace

Machine::Machine(const Schedule& schedule, const MachineOptions& options, const Constants& constants)
    : schedule_(&schedule), options_(options), constants_(constants) {
  for (const Step& step : schedule.steps) {
    if (!is_emulated(step)) throw ConfigError(fmt::format("emulate: step {} is not emulated", step.label));
  }
  for (const Tensor& tensor : schedule.tensors) {
    Buffer& buffer = buffers_.emplace_back();
    if (tensor.use != SramUse::buffer) continue;
    buffer.copies = tensor.copies;
    buffer.xs = tensor.along_x.elements();
    buffer.ys = tensor.along_y.elements();
    buffer.values.assign(static_cast<std::size_t>(buffer.copies * buffer.elements()), 0.0F);
  }
  account_sram();
  if (options.recorder != nullptr) pes_ = PeGrid(schedule.extent);
}

void Machine::account_sram() {
  const SramBytes sram = kernels::sram(*schedule_);
  const std::vector<Bytes> alive = buffer_bytes_by_step(*schedule_);
  resident_bytes_ = sram.weights.value + sram.kv.value + sram.state.value;
  for (std::size_t i = 0; i < alive.size(); ++i) {
    peak_buffer_bytes_ = std::max(peak_buffer_bytes_, alive[i].value);
    if (options_.recorder != nullptr) step_buffer_bytes_.push_back(alive[i].value);
    const std::int64_t needed = options_.reserved_bytes + resident_bytes_ + alive[i].value;
    if (options_.sram_bytes_per_pe == 0 || needed <= options_.sram_bytes_per_pe) continue;
    throw DoesNotFit(
        fmt::format("PE (0, 0): step {}: {} bytes of SRAM needed ({} resident, {} buffers, {} reserved), {} present "
                    "(more PEs, or a narrower storage type)",
                    schedule_->steps[i].label, needed, resident_bytes_, alive[i].value, options_.reserved_bytes,
                    options_.sram_bytes_per_pe));
  }
}

TensorId Machine::find(std::string_view name, int occurrence) const {
  for (std::size_t i = 0; i < schedule_->tensors.size(); ++i) {
    if (schedule_->tensors[i].name == name && occurrence-- == 0) return static_cast<TensorId>(i);
  }
  return kNoTensor;
}

const Fold& Machine::fold(const CollectivePlan& plan, std::int64_t pes) {
  auto known = std::find(plans_.begin(), plans_.end(), plan);
  if (known == plans_.end()) known = plans_.insert(plans_.end(), plan);
  const auto [entry, is_new] = folds_.try_emplace({pes, known - plans_.begin()});
  if (is_new) entry->second = fold_of(plan, pes);
  return entry->second;
}

const FoldTraffic& Machine::traffic(const Fold& fold, std::int64_t wavelets, bool multicast) {
  const auto [entry, is_new] = traffic_.try_emplace({&fold, wavelets, multicast});
  if (is_new) entry->second = traffic_of(fold, wavelets, multicast);
  return entry->second;
}

void Machine::run(const Bindings& bindings, std::span<const Rotation> positions) {
  bindings_ = &bindings;
  rotations_ = positions;
  counters_.assign(schedule_->steps.size(), {});
  inputs_.clear();
  bias_columns_.clear();
  choices_.clear();
  expert_loads_.clear();
  for (std::size_t i = 0; i < schedule_->steps.size(); ++i) {
    run_step(i);
    if (options_.recorder != nullptr) record(i);
  }
  bindings_ = nullptr;
}

void Machine::run_step(std::size_t index) {
  const Step& step = schedule_->steps[index];
  if (step.op == ElementOp::pass_tile) return pass_tiles(step, counters_[index]);
  switch (step.kind) {
    case StepKind::gemv:
      if (multiplies_tiles(step)) return multiply_tiles(step, counters_[index]);
      return multiply(index);
    case StepKind::elementwise:
      return elementwise(index);
    case StepKind::reduce_max:
    case StepKind::reduce_sum:
      return reduce(index);
    case StepKind::multicast:
    case StepKind::stream:
      return count_travel(step, counters_[index]);
    case StepKind::relayout:
      relayout(step);
      return count_travel(step, counters_[index]);
    case StepKind::shift:
      return shift(step, counters_[index]);
    case StepKind::select:
      select(step);
      return count_travel(step, counters_[index]);
  }
}

}  // namespace waferline::kernels::emulate
