// Sums of squares, sums and maxima of what each PE holds, before a line reduces them.
#include "kernels/emulate/local_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/emulate/machine.hpp"
#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {
namespace {

/// Sum of squares, sum or maximum of a run of elements, as one vector instruction leaves it.
float reduce_run(ElementOp op, const float* values, std::int64_t count, float start, bool fp16) {
  float result = start;
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = values[i];
    if (op == ElementOp::local_max) {
      result = std::max(result, value);
      continue;
    }
    result = op == ElementOp::square_sum ? std::fma(value, value, result) : result + value;
    if (fp16) result = rounded(DType::fp16, result);
  }
  return result;
}

/// Softmax runs over positions, which lie along y for every head along x; all other sums run over a vector.
bool over_positions(const Step& step) {
  return step.op == ElementOp::local_max || step.op == ElementOp::local_sum;
}

}  // namespace

void Machine::local_sums(const Step& step, StepCounters& counters) {
  Buffer& output = buffer(step.output);
  const bool grid = over_positions(step);
  const Axis axis = grid ? Axis::y : axis_of(tensor(step.input));
  const Bands& bands = tensor(step.input).along(axis);
  const float start = step.op == ElementOp::local_max ? -std::numeric_limits<float>::infinity() : 0.0F;
  output.partial_axis = axis;
  output.partial.assign(static_cast<std::size_t>(bands.parts * output.copies * output.elements()), start);
  const Dealt& line = dealt(bands);
  for (std::int64_t part = 0; part < bands.parts; ++part) {
    const Range own = line.dims[static_cast<std::size_t>(part)];
    for (std::int64_t copy = 0; copy < output.copies; ++copy) {
      float* sums = output.partial.data() + (part * output.copies + copy) * output.elements();
      grid ? sum_positions(step, own, copy, sums) : sum_vector(step, line, part, copy, sums);
    }
  }
  for (const std::int64_t part : line.tallied) count_sums(step, bands, part, counters);
  round_in_place(type(step.output), output.partial);
  if (tensor(step.output).along(axis).widest() <= 1) settle_sums(step, axis);
}

void Machine::sum_positions(const Step& step, Range own, std::int64_t copy, float* sums) {
  if (own.size == 0) return;
  const Buffer& input = buffer(step.input);
  const bool fp16 = fp16_sums() && type(step.output) == DType::fp16;
  for (std::int64_t ix = 0; ix < input.xs; ++ix)
    sums[ix] = reduce_run(step.op, input.of(copy).data() + ix * input.ys + own.begin, own.size, sums[ix], fp16);
}

/// Each output element sums a run of vectors: one (head norms), those of a head, or all (hidden norms).
void Machine::sum_vector(const Step& step, const Dealt& line, std::int64_t part, std::int64_t copy, float* sums) {
  const Range heads = line.heads[static_cast<std::size_t>(part)];
  const Range dims = line.dims[static_cast<std::size_t>(part)];
  const bool fp16 = fp16_sums() && type(step.output) == DType::fp16;
  const std::int64_t per_output = line.bands.heads * line.bands.group / buffer(step.output).elements();
  for (std::int64_t vector = heads.begin * line.bands.group; vector < heads.end() * line.bands.group; ++vector) {
    const float* values = buffer(step.input).of(copy).data() + vector * line.bands.head_dim + dims.begin;
    float& sum = sums[vector / per_output];
    sum = reduce_run(step.op, values, dims.size, sum, fp16);
  }
}

void Machine::count_sums(const Step& step, const Bands& bands, std::int64_t part, StepCounters& counters) {
  const Buffer& output = buffer(step.output);
  const Bands& columns = tensor(step.input).along_x;
  const Range dims = bands.dims_at(part);
  if (over_positions(step)) {
    for (const std::int64_t col : pieces(columns)) {
      PeWork work;
      work.instruction(dims.size, columns.size(col) * output.copies);
      observe_at(counters, part, col, work);
    }
    return;
  }
  const std::int64_t vectors = bands.heads_at(part).size * bands.group;
  const std::int64_t per_output = bands.heads * bands.group / output.elements();
  const std::int64_t sums_here = std::max<std::int64_t>(1, vectors / per_output);
  PeWork work;
  work.instruction(vectors * dims.size / sums_here, sums_here * output.copies);
  observe(counters, output.partial_axis, part, work);
}

/// No line to reduce over: each element's one owner has it.
void Machine::settle_sums(const Step& step, Axis axis) {
  Buffer& output = buffer(step.output);
  const Bands& owners = tensor(step.output).along(axis);
  const std::int64_t elements = output.elements();
  const bool grid = over_positions(step);
  for (std::int64_t part = 0; part < owners.parts; ++part) {
    const Range heads = owners.heads_at(part);
    for (std::int64_t copy = 0; copy < output.copies; ++copy) {
      const float* sums = output.partial.data() + (part * output.copies + copy) * elements;
      const std::int64_t begin = grid ? 0 : heads.begin * owners.group;
      const std::int64_t end = grid ? elements : heads.end() * owners.group;
      std::copy(sums + begin, sums + end, output.of(copy).begin() + begin);
    }
  }
}

}  // namespace waferline::kernels::emulate
