#include "kernels/count.hpp"

#include <algorithm>

namespace waferline::kernels {
namespace {

/// First and last step that touch a tensor; last < first if none does.
struct Life {
  std::int32_t first = 0;
  std::int32_t last = -1;
};

template <class Visit>
void for_each_tensor(const Step& step, Visit visit) {
  for (int i = 0; i < step.span; ++i) {
    if (step.input != kNoTensor) visit(static_cast<TensorId>(step.input + i));
  }
  for (const TensorId id : {step.second, step.third, step.output}) {
    if (id != kNoTensor) visit(id);
  }
}

std::vector<Life> lives(const Schedule& schedule) {
  std::vector<Life> found(schedule.tensors.size());
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    for_each_tensor(schedule.steps[i], [&](TensorId id) {
      Life& life = found[static_cast<std::size_t>(id)];
      if (life.last < life.first) life.first = static_cast<std::int32_t>(i);
      life.last = static_cast<std::int32_t>(i);
    });
  }
  return found;
}

}  // namespace

Counts& Counts::operator+=(const Counts& more) {
  instructions += more.instructions;
  macs += more.macs;
  element_instructions += more.element_instructions;
  elements += more.elements;
  exponentials += more.exponentials;
  specials += more.specials;
  weight_bytes += more.weight_bytes;
  dequantised += more.dequantised;
  read_bytes += more.read_bytes;
  write_bytes += more.write_bytes;
  collectives += more.collectives;
  words += more.words;
  stages += more.stages;
  hops += more.hops;
  ramps += more.ramps;
  switches += more.switches;
  payload_slots += more.payload_slots;
  combines += more.combines;
  link_wavelets[0] += more.link_wavelets[0];
  link_wavelets[1] += more.link_wavelets[1];
  return *this;
}

Counts count(const Step& step) {
  const std::int64_t n = step.repeats;
  Counts counts;
  if (step.kind == StepKind::gemv) {
    counts.instructions = n * step.instructions;
    counts.macs = n * step.macs;
  } else {
    counts.element_instructions = n * step.instructions;
    counts.elements = n * step.instructions * step.length;
  }
  counts.exponentials = n * step.exponentials;
  counts.specials = n * step.specials;
  counts.weight_bytes = n * step.weight_bytes;
  counts.dequantised = n * step.dequantised;
  counts.read_bytes = n * step.read_bytes;
  counts.write_bytes = n * step.write_bytes;
  if (step.kind == StepKind::gemv || step.kind == StepKind::elementwise) return counts;
  counts.collectives = n;
  counts.words = n * step.words;
  counts.stages = n * step.traffic.stages;
  counts.hops = n * step.traffic.hops;
  counts.ramps = n * step.traffic.ramps;
  counts.switches = n * step.traffic.switches;
  counts.payload_slots = n * step.traffic.payload_slots;
  counts.combines = n * step.traffic.combines;
  counts.link_wavelets[static_cast<std::size_t>(step.axis)] = n * step.traffic.link_wavelets;
  return counts;
}

ScheduleCounts count(const Schedule& schedule) {
  ScheduleCounts counts;
  for (const Step& step : schedule.steps) counts.by_part[static_cast<std::size_t>(step.part)] += count(step);
  for (const Counts& part : counts.by_part) counts.total += part;
  return counts;
}

std::vector<Bytes> buffer_bytes_by_step(const Schedule& schedule) {
  const std::vector<Life> life = lives(schedule);
  std::vector<Bytes> alive(schedule.steps.size() + 1);
  for (std::size_t i = 0; i < life.size(); ++i) {
    const Tensor& tensor = schedule.tensors[i];
    if (tensor.use != SramUse::buffer || life[i].last < life[i].first) continue;
    alive[static_cast<std::size_t>(life[i].first)] += Bytes{tensor.bytes_per_pe};
    alive[static_cast<std::size_t>(life[i].last) + 1] -= Bytes{tensor.bytes_per_pe};
  }
  Bytes sum;
  for (Bytes& bytes : alive) bytes = sum += bytes;
  alive.pop_back();
  return alive;
}

SramBytes sram(const Schedule& schedule) {
  SramBytes bytes;
  for (const Tensor& tensor : schedule.tensors) {
    const Bytes own{tensor.bytes_per_pe};
    if (tensor.use == SramUse::weights) bytes.weights += own;
    if (tensor.use == SramUse::kv) bytes.kv += own;
    if (tensor.use == SramUse::state) bytes.state += own;
  }
  for (const Bytes alive : buffer_bytes_by_step(schedule)) bytes.buffers = std::max(bytes.buffers, alive);
  return bytes;
}

}  // namespace waferline::kernels
