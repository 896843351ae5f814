// Biases of chosen experts: on their inner vectors, or times their gates on the sum of their outputs.
#include <cmath>

#include "kernels/emulate/machine.hpp"
#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {

bool Machine::expert_bias(const Step& step, StepCounters& counters) {
  const bool of_output = step.third != kNoTensor;
  if (step.op != ElementOp::add_bias || (tensor(step.second).copies == 1 && !of_output)) return false;
  Buffer& output = buffer(step.output);
  const std::vector<float>& biases = *bindings_->vectors.at(step.second);
  const auto each = static_cast<std::int64_t>(biases.size()) / tensor(step.second).copies;
  const DType stored = type(step.output);
  std::int64_t chosen = 0;
  for (std::int64_t copy = 0; copy < output.copies; ++copy) {
    const std::vector<std::int64_t> experts = chosen_experts(copy);
    chosen = static_cast<std::int64_t>(experts.size());
    for (std::int64_t i = 0; i < chosen; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const float gate = of_output ? buffer(step.third).of(copy)[k] : 1.0F;
      const float* bias = biases.data() + experts[k] * each;
      float* values = output.of(copy).data() + (of_output ? 0 : i * each);
      for (std::int64_t j = 0; j < each; ++j) values[j] = rounded(stored, std::fma(gate, bias[j], values[j]));
    }
  }
  const Axis axis = tensor(step.second).along_x.whole ? Axis::y : Axis::x;
  const Bands& bands = tensor(step.second).along(axis);
  for (std::int64_t part = 0; part < bands.parts; ++part) {
    PeWork work;
    work.instruction(bands.size(part), chosen * output.copies);
    observe(counters, axis, part, work);
  }
  return true;
}

}  // namespace waferline::kernels::emulate
