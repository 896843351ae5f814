// Follows: gated delta rule (arXiv 2412.06464, equation 10), lightning attention (arXiv 2401.04658, equation 4),
// Mamba-2 (arXiv 2405.21060, section 3), selective state spaces (arXiv 2312.00752, algorithm 2).
//
// A state is split like the values along x and like the keys along y; element (x, y) of a sequence is one product's
// worth of history. What is stored is rounded by the instruction that stores it.
#include <algorithm>
#include <cmath>

#include "arch/error.hpp"
#include "kernels/emulate/local_product.hpp"
#include "kernels/emulate/machine.hpp"
#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {
namespace {

std::int64_t vectors_at(const Bands& bands, std::int64_t part) {
  return bands.heads_at(part).size * bands.group;
}

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

bool Machine::recurrent(const Step& step, StepCounters& counters) {
  switch (step.op) {
    case ElementOp::convolve:
      convolve(step, counters);
      return true;
    case ElementOp::linear_gates:
      open_gates(step, counters);
      return true;
    case ElementOp::decay_state:
    case ElementOp::decay_channels:
      decay(step, counters);
      return true;
    case ElementOp::update_state:
      update_state(step, counters);
      return true;
    case ElementOp::delta:
    case ElementOp::multiply:
    case ElementOp::skip_connection:
      combine_vectors(step, counters);
      return true;
    default:
      return false;
  }
}

void Machine::convolve(const Step& step, StepCounters& counters) {
  Buffer& channels = buffer(step.output);
  const std::vector<float>& filter = *bindings_->vectors.at(step.second);
  const bool biased = tensor(static_cast<TensorId>(step.second + 1)).name == "conv1d.bias";
  const std::vector<float>* bias = biased ? bindings_->vectors.at(static_cast<TensorId>(step.second + 1)) : nullptr;
  std::vector<float>& earlier = *bindings_->states.at(step.third);
  const DType stored = type(step.output);
  const DType kept = type(step.third);
  const std::int64_t taps = tensor(step.second).along_y.elements();
  for (std::int64_t i = 0; i < channels.copies * channels.elements(); ++i) {
    const std::int64_t channel = i % channels.elements();
    float* inputs = earlier.data() + i * (taps - 1);
    float& value = channels.values[at(i)];
    float sum = bias == nullptr ? 0.0F : (*bias)[at(channel)];
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const float input = tap + 1 < taps ? inputs[tap] : value;
      sum = rounded(stored, std::fma(filter[at(channel * taps + tap)], input, sum));
    }
    for (std::int64_t tap = 0; tap + 2 < taps; ++tap) inputs[tap] = inputs[tap + 1];
    if (taps > 1) inputs[taps - 2] = rounded(kept, value);
    value = rounded(stored, silu_fp32(sum));
  }
  const Bands& bands = tensor(step.output).along_x;
  for (std::int64_t part = 0; part < bands.parts; ++part) {
    PeWork work;  // one fused product for each tap, and silu
    work.instruction(bands.size(part), (taps + 1) * channels.copies);
    work.exponentials = bands.size(part) * channels.copies;
    observe(counters, Axis::x, part, work);
  }
}

/// Steps: softplus of projection and bias. With a decay's weight A: exp(A x step), in place of the step if the gates
/// are pairs (a sigmoid and a decay for each head), else beside it.
void Machine::open_gates(const Step& step, StepCounters& counters) {
  Buffer& gates = buffer(step.input);
  Buffer& output = buffer(step.output);
  const std::vector<float>& bias = *bindings_->vectors.at(step.second);
  const std::vector<float>* decays = step.third == kNoTensor ? nullptr : bindings_->vectors.at(step.third);
  const Bands& bands = tensor(step.input).along_x;
  const DType stored = type(step.output);
  const bool pairs = gates.elements() == 2 * static_cast<std::int64_t>(bias.size());
  const std::int64_t steps = pairs ? bands.group / 2 : bands.group;  // of a head
  for (std::int64_t i = 0; i < gates.copies * gates.elements(); ++i) {
    const std::int64_t gate = i % gates.elements();
    const std::int64_t member = gate / bands.head_dim % bands.group;
    float& value = gates.values[at(i)];
    if (pairs && member < steps) {
      value = rounded(stored, sigmoid_fp32(value));
      continue;
    }
    const std::int64_t own = pairs ? gate / bands.group * steps + member - steps : gate;
    value = rounded(stored, softplus_fp32(rounded(stored, value + bias[at(own)])));
    if (decays != nullptr) output.values[at(i)] = rounded(stored, exp_fp32(value * (*decays)[at(own)]));
  }
  for (std::int64_t part = 0; part < bands.parts; ++part) {
    PeWork work;
    const std::int64_t size = bands.size(part);
    work.instruction(size, (decays == nullptr ? 2 : 3) * gates.copies);
    // Softplus is an exponential and a logarithm; a pair's sigmoid and a decay are one exponential each.
    const std::int64_t own = pairs ? size / 2 : size;
    work.exponentials = (2 + (decays != nullptr ? 1 : 0) + (pairs ? 1 : 0)) * own * gates.copies;
    observe(counters, Axis::x, part, work);
  }
}

/// Work of every PE on its block of a state: `per_vector` instructions for each of its vectors (and, `by_row`, for each
/// of its key rows).
void Machine::observe_state(const Step& step, StepCounters& counters, std::int64_t per_vector, bool by_row) {
  const Tensor& state = tensor(step.output);
  const bool exponential = step.op == ElementOp::decay_channels;
  for (std::int64_t row = 0; row < state.along_y.parts; ++row) {
    for (std::int64_t col = 0; col < state.along_x.parts; ++col) {
      const std::int64_t rows = state.along_y.size(row);
      const std::int64_t vectors = vectors_at(state.along_x, col) * state.copies;
      const std::int64_t dims = state.along_x.dims_at(col).size;
      PeWork work;
      work.instruction(by_row ? dims : rows * dims, per_vector * vectors * (by_row ? rows : 1));
      if (exponential) work.exponentials = rows * state.along_x.size(col) * state.copies;
      observe_at(counters, row, col, work);
      const std::int64_t bytes = state.copies * packed_bytes(state.stored.dtype, rows * state.along_x.size(col)).value;
      counters.weight_bytes = std::max(counters.weight_bytes, bytes);
      if (options_.recorder != nullptr) pes_.add(PeField::weight_bytes, row, col, bytes);
    }
  }
}

void Machine::decay(const Step& step, StepCounters& counters) {
  const Tensor& shape = tensor(step.output);
  std::vector<float>& state = *bindings_->states.at(step.output);
  const DType stored = shape.stored.dtype;
  const std::int64_t xs = shape.along_x.elements();
  const std::int64_t ys = shape.along_y.elements();
  const bool by_channel = step.op == ElementOp::decay_channels;
  const std::vector<float>* rates = by_channel ? bindings_->vectors.at(step.second) : nullptr;
  const std::int64_t group = shape.along_x.group;
  for (std::int64_t copy = 0; copy < shape.copies; ++copy) {
    for (std::int64_t x = 0; x < xs; ++x) {
      float* row = state.data() + (copy * xs + x) * ys;
      const std::int64_t vector = x / shape.along_x.head_dim;
      float factor = 1;
      if (step.input == kNoTensor) factor = constants_.head_decays.at(at(vector));
      if (!by_channel && step.input != kNoTensor) {
        const auto gates = buffer(step.input).of(copy);
        const bool pairs = tensor(step.input).along_x.group == 2 * group;
        factor = gates[at(pairs ? vector / group * 2 * group + group + vector % group : vector)];
      }
      for (std::int64_t y = 0; y < ys; ++y) {
        if (by_channel) factor = exp_fp32(buffer(step.input).of(copy)[at(x)] * (*rates)[at(x * ys + y)]);
        row[y] = rounded(stored, row[y] * factor);
      }
    }
  }
  observe_state(step, counters, by_channel ? 2 : 1, by_channel);
}

void Machine::update_state(const Step& step, StepCounters& counters) {
  const Tensor& shape = tensor(step.output);
  std::vector<float>& state = *bindings_->states.at(step.output);
  const Buffer& keys = buffer(step.input);
  const Buffer& values = buffer(step.second);
  const std::int64_t xs = shape.along_x.elements();
  const std::int64_t ys = shape.along_y.elements();
  const std::int64_t per_key = xs / keys.xs;  // values that share a key head
  for (std::int64_t copy = 0; copy < shape.copies; ++copy) {
    for (std::int64_t x = 0; x < xs; ++x) {
      float* row = state.data() + (copy * xs + x) * ys;
      const float* key = keys.of(copy).data() + x / per_key * ys;
      const float value = values.of(copy)[at(x)];
      for (std::int64_t y = 0; y < ys; ++y) row[y] = rounded(shape.stored.dtype, std::fma(key[y], value, row[y]));
    }
  }
  observe_state(step, counters, 1, true);
}

void Machine::combine_vectors(const Step& step, StepCounters& counters) {
  Buffer& output = buffer(step.output);
  const Buffer& input = buffer(step.input);
  const Bands& bands = tensor(step.output).along_x;
  const DType stored = type(step.output);
  const bool weighted = tensor(step.second).use == SramUse::weights;
  // Pairs of a sigmoid and a decay for each head: the sigmoids come first.
  const bool pairs = tensor(step.second).along_x.group == 2 * bands.group;
  const auto factor = [&](std::int64_t copy, std::int64_t i) {
    const auto factors = weighted ? std::span<const float>(*bindings_->vectors.at(step.second))
                                  : static_cast<const Buffer&>(buffer(step.second)).of(copy);
    const std::int64_t vector = i / bands.head_dim;
    if (pairs) return factors[at(vector / bands.group * 2 * bands.group + vector % bands.group)];
    return factors[at(static_cast<std::int64_t>(factors.size()) == output.elements() ? i : vector)];
  };
  for (std::int64_t copy = 0; copy < output.copies; ++copy) {
    for (std::int64_t i = 0; i < output.elements(); ++i) {
      float& out = output.of(copy)[at(i)];
      const float in = input.of(copy)[at(i)];
      const float by = factor(copy, i);
      if (step.op == ElementOp::multiply) out = rounded(stored, in * by);
      if (step.op == ElementOp::skip_connection) out = rounded(stored, std::fma(by, in, out));
      if (step.op == ElementOp::delta) out = rounded(stored, rounded(stored, out - in) * by);
    }
  }
  for (std::int64_t part = 0; part < bands.parts; ++part) {
    PeWork work;
    work.instruction(bands.dims_at(part).size,
                     vectors_at(bands, part) * (step.op == ElementOp::delta ? 2 : 1) * output.copies);
    observe(counters, Axis::x, part, work);
  }
}

void Machine::count_read(const Step& step, StepCounters& counters) {
  const Tensor& state = tensor(step.second);
  for (std::int64_t row = 0; row < state.along_y.parts; ++row) {
    for (std::int64_t col = 0; col < state.along_x.parts; ++col) {
      const std::int64_t rows = state.along_y.size(row);
      observe_at(counters, row, col,
                 local_product(vectors_at(state.along_x, col) * state.copies, rows, state.along_x.dims_at(col).size,
                               options_.loop));
      const std::int64_t bytes = state.copies * packed_bytes(state.stored.dtype, rows * state.along_x.size(col)).value;
      counters.weight_bytes = std::max(counters.weight_bytes, bytes);
      if (options_.recorder != nullptr) pes_.add(PeField::weight_bytes, row, col, bytes);
    }
  }
}

void Machine::complete_read(TensorId id, const CollectivePlan& plan) {
  Buffer& output = buffer(id);
  const Step& step = schedule_->steps[output.pending.front()];
  const Tensor& shape = tensor(step.second);
  const std::vector<float>& state = *bindings_->states.at(step.second);
  const Buffer& keys = buffer(step.input);
  const std::int64_t xs = output.xs;
  const std::int64_t ys = shape.along_y.elements();
  const std::int64_t per_key = xs / keys.xs;
  const Fold& line = fold(plan, schedule_->extent.rows);
  std::vector<float> partial;
  for (std::int64_t copy = 0; copy < output.copies; ++copy) {
    partial.assign(at(line.pes * xs), 0.0F);
    for (std::int64_t pe = 0; pe < line.pes; ++pe) {
      const Range own = shape.along_y.dims_at(pe);
      for (std::int64_t x = 0; x < xs; ++x) {
        const float* row = state.data() + (copy * xs + x) * ys;
        const float* key = keys.of(copy).data() + x / per_key * ys;
        float& sum = partial[at(pe * xs + x)];
        for (std::int64_t y = own.begin; y < own.end(); ++y) {
          sum = std::fma(row[y], key[y], sum);
          if (fp16_sums()) sum = rounded(DType::fp16, sum);
        }
      }
    }
    round_in_place(type(id), partial);
    const auto sums = run_fold(line, Reduction::sum, type(id), options_.set, partial, xs);
    std::copy(sums.begin(), sums.end(), output.of(copy).begin());
  }
}

}  // namespace waferline::kernels::emulate
