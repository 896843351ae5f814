#include "kernels/builder.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace waferline::kernels {
namespace {

/// Operands read and results written by one vector instruction, for each element or (`reduces`) once.
struct OperandTraffic {
  std::int64_t reads = 2;
  bool reduces = false;
};

OperandTraffic operands(ElementOp op) {
  switch (op) {
    case ElementOp::copy:
    case ElementOp::silu:
    case ElementOp::gelu:
    case ElementOp::append_kv:
    case ElementOp::exp_minus_max:
    case ElementOp::scale_by_reciprocal:
    case ElementOp::normalize:
    case ElementOp::fetch_row:
    case ElementOp::decay_state:
      return {1, false};
    case ElementOp::sum:
    case ElementOp::square_sum:
    case ElementOp::sum_and_square_sum:
    case ElementOp::local_max:
    case ElementOp::local_sum:
    case ElementOp::count_above:
    case ElementOp::top_k:
      return {1, true};
    default:
      return {2, false};
  }
}

bool is_narrow(DType dtype) {
  return bits_per_element(dtype) <= 8;
}

std::int64_t bytes_each(DType dtype, std::int64_t elements) {
  return packed_bytes(dtype, elements).value;
}

}  // namespace

LayerStorage::LayerStorage(const std::vector<models::Weight>& weights) {
  std::array<bool, 9> seen{};
  for (const models::Weight& weight : weights) {
    const auto role = static_cast<std::size_t>(weight.role);
    if (!seen[role]) types_[role] = weight.stored;
    seen[role] = true;
    if (weight.role == models::WeightRole::bias) convolution_bias_ |= weight.name.find("conv1d") != std::string::npos;
    const bool of_hidden = weight.name.find("attn") == std::string::npos;
    if (weight.role == models::WeightRole::norm && of_hidden) norm_bias_ |= weight.name.ends_with("bias");
  }
}

Builder::Builder(Schedule& schedule, Extent extent, const Pass& pass, const ScheduleOptions& options, PlanCache& plans,
                 const LayerStorage& storage)
    : schedule_(&schedule), extent_(extent), pass_(pass), options_(options), plans_(&plans), storage_(&storage) {
  schedule_->extent = extent;
  schedule_->batch = pass.batch;
}

TensorId Builder::add(const Tensor& tensor) {
  schedule_->tensors.push_back(tensor);
  return static_cast<TensorId>(schedule_->tensors.size() - 1);
}

TensorId Builder::grid(std::string_view name, const Bands& along_x, const Bands& along_y) {
  return resident(name, SramUse::buffer, options_.accumulate, along_x, along_y);
}

TensorId Builder::vector(std::string_view name, Axis axis, const Bands& along) {
  return axis == Axis::x ? grid(name, along, everywhere(Axis::y)) : grid(name, everywhere(Axis::x), along);
}

TensorId Builder::resident(std::string_view name, SramUse use, DType dtype, const Bands& along_x,
                           const Bands& along_y) {
  Tensor tensor;
  tensor.name = name;
  tensor.use = use;
  tensor.along_x = along_x;
  tensor.along_y = along_y;
  tensor.copies = batch();
  tensor.stored.dtype = dtype;
  tensor.elements = along_x.elements() * along_y.elements();
  tensor.elements_per_pe = along_x.elements_per_pe() * along_y.elements_per_pe();
  tensor.bytes_per_pe = tensor.copies * bytes_each(dtype, tensor.elements_per_pe);
  return add(tensor);
}

TensorId Builder::matrix(std::string_view name, models::WeightRole role, Axis input_axis, const Bands& inputs,
                         const Bands& outputs, std::int64_t copies) {
  const TensorId id = head_matrix(name, role, input_axis, inputs, outputs, outputs.elements_per_pe(),
                                  inputs.elements_per_pe(), outputs.elements() * inputs.elements());
  Tensor& tensor = schedule_->tensors[static_cast<std::size_t>(id)];
  tensor.copies = copies;
  tensor.bytes_per_pe *= copies;
  return id;
}

TensorId Builder::head_matrix(std::string_view name, models::WeightRole role, Axis input_axis, const Bands& inputs,
                              const Bands& outputs, std::int64_t rows, std::int64_t cols, std::int64_t elements) {
  Tensor tensor;
  tensor.name = name;
  tensor.use = SramUse::weights;
  tensor.input_axis = input_axis;
  tensor.along_x = input_axis == Axis::x ? inputs : outputs;
  tensor.along_y = input_axis == Axis::x ? outputs : inputs;
  tensor.stored = storage_->of(role);
  tensor.elements = elements;
  tensor.elements_per_pe = rows * cols;
  tensor.bytes_per_pe = stored_bytes(tensor.stored, rows, cols).value;
  return add(tensor);
}

TensorId Builder::weight_grid(std::string_view name, models::WeightRole role, const Bands& along_x,
                              const Bands& along_y) {
  return matrix(name, role, Axis::x, along_x, along_y);
}

TensorId Builder::weight_vector(std::string_view name, models::WeightRole role, Axis axis, const Bands& along,
                                bool heads_share) {
  const TensorId id = axis == Axis::x ? weight_grid(name, role, along, everywhere(Axis::y))
                                      : weight_grid(name, role, everywhere(Axis::x), along);
  if (heads_share) schedule_->tensors[static_cast<std::size_t>(id)].elements = along.head_dim;
  return id;
}

TensorId Builder::weight_like(std::string_view name, models::WeightRole role, TensorId like, std::int64_t copies) {
  const Tensor of = tensor(like);
  return matrix(name, role, Axis::x, of.along_x, of.along_y, copies);
}

void Builder::mark_data_dependent(std::size_t first) {
  for (std::size_t i = first; i < schedule_->steps.size(); ++i) schedule_->steps[i].data_dependent = true;
}

Step& Builder::add_step(StepKind kind, Part part, ElementOp op, std::string_view label) {
  Step& step = schedule_->steps.emplace_back();
  step.kind = kind;
  step.part = part;
  step.op = op;
  step.label = label;
  return step;
}

Step& Builder::gemv(Part part, std::string_view label, TensorId input, TensorId weight, TensorId output) {
  const Axis axis = tensor(weight).input_axis;
  const LocalGemv sizes{batch(), tensor(weight).along(axis).elements_per_pe(),
                        tensor(weight).along(other(axis)).elements_per_pe()};
  return multiply(part, ElementOp::matrix, label, input, weight, output, axis, sizes);
}

Step& Builder::multiply(Part part, ElementOp op, std::string_view label, TensorId input, TensorId weight,
                        TensorId output, Axis axis, const LocalGemv& sizes) {
  Step& step = multiply_busiest(part, op, label, input, weight, output, axis, {});
  const Tensor& stored = tensor(weight);
  size_product(step, sizes, stored.elements_per_pe, stored.bytes_per_pe / stored.copies);
  return step;
}

Step& Builder::multiply_busiest(Part part, ElementOp op, std::string_view label, TensorId input, TensorId weight,
                                TensorId output, Axis axis, const std::vector<LocalGemv>& sizes) {
  Step& step = add_step(StepKind::gemv, part, op, label);
  step.axis = axis;
  step.input = input;
  step.second = weight;
  step.output = output;
  const models::StoredType& stored = tensor(weight).stored;
  step.wide_operands = bits_per_element(stored.dtype) > 16;
  for (const LocalGemv& one : sizes)
    size_product(step, one, one.inputs * one.outputs, stored_bytes(stored, one.outputs, one.inputs).value);
  return step;
}

void Builder::size_product(Step& step, const LocalGemv& sizes, std::int64_t elements, std::int64_t bytes) const {
  const Tensor& stored = tensor(step.second);
  const bool by_output = options_.loop == LoopOrder::shorter && sizes.outputs < sizes.inputs;
  const std::int64_t instructions = sizes.vectors * (by_output ? sizes.outputs : sizes.inputs);
  const std::int64_t length = by_output ? sizes.inputs : sizes.outputs;
  const std::int64_t macs = instructions * length;
  const std::int64_t products = sizes.sweeps == 0 ? batch() : sizes.sweeps;
  const std::int64_t sweeps =
      stored.use == SramUse::weights && options_.weights_once_per_batch ? sizes.distinct : products;
  const std::int64_t weight_bytes = bytes * sweeps;
  const std::int64_t sum_bytes = bytes_each(options_.accumulate, 1);
  const std::int64_t operand_bytes = std::max(weight_bytes, bytes_each(stored.stored.dtype, macs / products) * sweeps);
  const auto most = [](std::int64_t& of, std::int64_t value) { of = std::max(of, value); };
  most(step.instructions, instructions);
  most(step.length, length);
  most(step.macs, macs);
  most(step.weight_bytes, weight_bytes);
  if (is_narrow(stored.stored.dtype)) most(step.dequantised, elements * sweeps);
  most(step.read_bytes, operand_bytes + macs * sum_bytes + (by_output ? 0 : instructions * sum_bytes));
  most(step.write_bytes, (by_output ? instructions : macs) * sum_bytes);
}

Step& Builder::elementwise(Part part, ElementOp op, std::string_view label, TensorId input, TensorId second,
                           TensorId output, std::int64_t instructions, std::int64_t length) {
  Step& step = add_step(StepKind::elementwise, part, op, label);
  step.input = input;
  step.second = second;
  step.output = output;
  step.instructions = instructions * batch();
  step.length = length;
  const OperandTraffic traffic = operands(op);
  const TensorId worked_on = traffic.reduces ? input : output;
  const DType type = worked_on != kNoTensor ? tensor(worked_on).stored.dtype : options_.accumulate;
  const std::int64_t element_bytes = bytes_each(type, 1);
  step.wide_operands = bits_per_element(type) > 16;
  const std::int64_t elements = step.instructions * length;
  step.read_bytes = traffic.reads * elements * element_bytes;
  step.write_bytes = (traffic.reduces ? step.instructions : elements) * element_bytes;
  return step;
}

void Builder::travel(Step& step, Axis axis, TensorId first, int span) {
  step.axis = axis;
  step.input = first;
  step.output = first;
  step.span = static_cast<std::int16_t>(span);
  for (int i = 0; i < span; ++i) {
    const Tensor& part = tensor(static_cast<TensorId>(first + i));
    step.line = std::max(step.line, part.along(axis).widest());
    const std::int64_t words = part.elements_per_pe * part.copies;
    step.words += words;
    step.wavelets += wavelets(part.stored.dtype, words);
  }
}

Step* Builder::reduce(Part part, StepKind kind, std::string_view label, Axis axis, TensorId first, int span,
                      bool to_root) {
  Step step;
  step.kind = kind;
  step.part = part;
  step.label = label;
  travel(step, axis, first, span);
  if (step.line <= 1) return nullptr;
  const PlannedReduction& planned = plans_->plan(step.line, step.wavelets);
  step.to_root = to_root;
  step.plan = planned.plan;
  step.traffic = to_root ? planned.reduce : planned.allreduce;
  return &schedule_->steps.emplace_back(step);
}

Step& Builder::relayout(Part part, std::string_view label, Axis axis, TensorId input, TensorId output) {
  Step& step = add_step(StepKind::relayout, part, ElementOp::copy, label);
  const Bands source = tensor(input).along(axis);
  travel(step, axis, output, 1);
  step.input = input;
  // What a PE needs lies in its own band if the source is dealt out in bands of heads, else anywhere on the line.
  step.line = source.whole ? extent_.along(axis) : source.widest();
  if (tensor(output).along(axis).heads == 1) step.line = extent_.along(axis);
  if (step.line > 1) step.traffic = count_multicast(step.line, 0, step.wavelets);
  return step;
}

Step& Builder::multicast(Part part, std::string_view label, Axis axis, TensorId tensor_id) {
  Step& step = add_step(StepKind::multicast, part, ElementOp::copy, label);
  travel(step, axis, tensor_id, 1);
  step.line = extent_.along(axis);
  if (step.line > 1) step.traffic = count_multicast(step.line, 0, step.wavelets);
  return step;
}

Step& Builder::select(Part part, std::string_view label, Axis axis, TensorId candidates, TensorId chosen) {
  Step& step = add_step(StepKind::select, part, ElementOp::top_k, label);
  travel(step, axis, candidates, 1);
  step.output = chosen;
  step.line = extent_.along(axis);
  if (step.line > 1) {
    const PlannedReduction& planned = plans_->plan(step.line, step.wavelets);
    step.plan = planned.plan;
    step.traffic = planned.allreduce;
  }
  return step;
}

Step* Builder::shift(Part part, std::string_view label, Axis axis, TensorId first, int span) {
  if (extent_.along(axis) < 2) return nullptr;
  Step& step = add_step(StepKind::shift, part, ElementOp::copy, label);
  travel(step, axis, first, span);
  step.line = extent_.along(axis);
  step.distance = 1;
  step.traffic = count_multicast(2, 0, step.wavelets);
  return &step;
}

Step& Builder::stream(Part part, std::string_view label, Axis axis, TensorId tensor_id, std::int64_t distance) {
  Step& step = add_step(StepKind::stream, part, ElementOp::copy, label);
  travel(step, axis, tensor_id, 1);
  step.line = 1;
  step.distance = distance;
  step.traffic = count_multicast(distance + 1, 0, step.wavelets);
  return step;
}

}  // namespace waferline::kernels
