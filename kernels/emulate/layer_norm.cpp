// Follows: LayerNorm (arXiv 1607.06450, equation 3), its sums taken in one pass: variance = mean square - squared mean.
#include <cmath>

#include "kernels/emulate/local_sums.hpp"
#include "kernels/emulate/machine.hpp"
#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {
void Machine::mean_sums(const Step& step, StepCounters& counters) {
  const Buffer& input = buffer(step.input);
  Buffer& output = buffer(step.output);
  const Axis axis = axis_of(tensor(step.input));
  const Bands& bands = tensor(step.input).along(axis);
  output.partial_axis = axis;
  output.partial.assign(static_cast<std::size_t>(bands.parts * output.copies * 2), 0.0F);
  for (std::int64_t part = 0; part < bands.parts; ++part) {
    const Range own = bands.dims_at(part);
    for (std::int64_t copy = 0; copy < output.copies; ++copy) {
      float* sums = output.partial.data() + (part * output.copies + copy) * 2;
      for (std::int64_t i = own.begin; i < own.end(); ++i) {
        const float value = input.of(copy)[static_cast<std::size_t>(i)];
        sums[0] += value;
        sums[1] = std::fma(value, value, sums[1]);
      }
    }
    PeWork work;
    work.instruction(own.size, 2 * output.copies);
    observe(counters, axis, part, work);
  }
  if (bands.parts == 1) output.values = output.partial;
}

void Machine::center(const Step& step, StepCounters& counters) {
  const Buffer& sums = buffer(step.input);
  const Buffer& source = buffer(step.third);
  Buffer& output = buffer(step.output);
  const std::vector<float>& weight = *bindings_->vectors.at(step.second);
  const auto after = static_cast<std::size_t>(step.second) + 1;
  const bool biased = after < schedule_->tensors.size() && schedule_->tensors[after].name == "norm.bias";
  const std::vector<float>* bias = biased ? bindings_->vectors.at(static_cast<TensorId>(after)) : nullptr;
  const DType stored = type(step.output);
  const auto n = static_cast<float>(source.elements());
  for (std::int64_t copy = 0; copy < output.copies; ++copy) {
    const float mean = sums.of(copy)[0] / n;
    const float variance = std::fma(-mean, mean, sums.of(copy)[1] / n);
    const float scale = 1.0F / std::sqrt(std::max(0.0F, variance) + constants_.norm_epsilon);
    for (std::size_t i = 0; i < source.of(copy).size(); ++i) {
      float value = rounded(stored, source.of(copy)[i] - mean);
      value = rounded(stored, value * scale);
      value = rounded(stored, value * weight[i]);
      output.of(copy)[i] = bias == nullptr ? value : rounded(stored, value + (*bias)[i]);
    }
  }
  const Axis axis = axis_of(tensor(step.third));
  const Bands& bands = tensor(step.third).along(axis);
  for (std::int64_t part = 0; part < bands.parts; ++part) {
    PeWork work;
    work.instruction(bands.size(part), (biased ? 4 : 3) * output.copies);
    work.specials = output.copies;
    observe(counters, axis, part, work);
  }
}

}  // namespace waferline::kernels::emulate
