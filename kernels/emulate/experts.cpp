// Follows: sparsely gated experts (arXiv 1701.06538, equations 1 to 5). Experts lie in bands of PEs, the first experts
// in the first band; a token's choice loads each band by as many experts as it has there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "arch/error.hpp"
#include "kernels/emulate/local_product.hpp"
#include "kernels/emulate/local_sums.hpp"
#include "kernels/emulate/machine.hpp"
#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {

void Machine::take_in_choices(TensorId chosen) {
  const auto after = [&](std::string_view name) {
    auto id = chosen;
    while (tensor(id).name != name) ++id;
    return id;
  };
  const TensorId up = after("experts.up");
  expert_bands_ = tensor(up).along(axis_of(tensor(up)));
  const auto experts = static_cast<std::int64_t>(bindings_->matrices.at(after("mlp.experts.up_proj.weight")).size());
  const Split bands{experts, expert_bands_.heads};
  const std::int64_t k = buffer(chosen).xs / 2;
  choices_.assign(static_cast<std::size_t>(schedule_->batch), {});
  expert_loads_.assign(static_cast<std::size_t>(expert_bands_.heads), {});
  std::set<std::int64_t> distinct;
  for (std::int64_t token = 0; token < schedule_->batch; ++token) {
    const auto values = buffer(chosen).of(token);
    std::vector<std::int64_t> taken(expert_loads_.size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
      const auto expert = static_cast<std::int64_t>(values[static_cast<std::size_t>(k) + i]);
      if (expert >= experts) {
        throw ConfigError(fmt::format("emulate: token {} chose expert {}, which has no weights (there are {})", token,
                                      expert, experts));
      }
      const std::int64_t band = bands.owner(expert);
      std::int64_t& piece = taken[static_cast<std::size_t>(band)];
      if (piece == expert_bands_.group) {
        throw ConfigError(
            fmt::format("emulate: token {} chose more than {} experts of band {} (experts_in_busiest_band"
                        ": 0 holds any choice)",
                        token, expert_bands_.group, band));
      }
      choices_[static_cast<std::size_t>(token)].push_back(
          {expert, band, band * expert_bands_.group + piece++, values[i]});
      ExpertLoad& load = expert_loads_[static_cast<std::size_t>(band)];
      ++load.choices;
      load.distinct += distinct.insert(expert).second ? 1 : 0;
    }
  }
}

void Machine::count_experts(const Step& step, StepCounters& counters) {
  const bool down = step.op == ElementOp::expert_sum;
  const Tensor& weight = tensor(step.second);
  const Axis inner_axis = down ? step.axis : other(step.axis);
  const Bands& inner = weight.along(inner_axis);
  const Bands& ends = weight.along(other(inner_axis));
  for (std::int64_t part = 0; part < inner.parts; ++part) {
    const ExpertLoad& load = expert_loads_[static_cast<std::size_t>(inner.band_of(part))];
    if (load.choices == 0) continue;
    const std::int64_t sweeps = options_.weights_once_per_batch ? load.distinct : load.choices;
    const std::int64_t width = inner.dims_at(part).size;
    for (const std::int64_t end : pieces(ends)) {
      const std::int64_t inputs = down ? width : ends.size(end);
      const std::int64_t outputs = down ? ends.size(end) : width;
      const std::int64_t row = inner_axis == Axis::x ? end : part;
      const std::int64_t col = inner_axis == Axis::x ? part : end;
      observe_at(counters, row, col, local_product(load.choices, inputs, outputs, options_.loop));
      const std::int64_t bytes = stored_bytes(weight.stored, outputs, inputs).value * sweeps;
      const std::int64_t widened = bits_per_element(weight.stored.dtype) <= 8 ? inputs * outputs * sweeps : 0;
      counters.weight_bytes = std::max(counters.weight_bytes, bytes);
      counters.dequantised = std::max(counters.dequantised, widened);
      if (options_.recorder == nullptr) continue;
      pes_.add(PeField::weight_bytes, row, col, bytes);
      pes_.add(PeField::dequantised, row, col, widened);
    }
  }
}

void Machine::count_inner(const Bands& bands, Axis axis, std::int64_t instructions, bool exponential,
                          StepCounters& counters) {
  for (std::int64_t part = 0; part < bands.parts; ++part) {
    const std::int64_t choices = expert_loads_[static_cast<std::size_t>(bands.band_of(part))].choices;
    if (choices == 0) continue;
    PeWork work;
    work.instruction(bands.dims_at(part).size, instructions * choices);
    if (exponential) work.exponentials = bands.dims_at(part).size * choices;
    observe(counters, axis, part, work);
  }
}

void Machine::expert_products(const Step& step, std::int64_t copy, std::vector<Product>& products) {
  const Buffer& input = buffer(step.input);
  Buffer& output = buffer(step.output);
  std::fill(output.of(copy).begin(), output.of(copy).end(), 0.0F);  // pieces that no expert takes
  for (const Choice& choice : choices_[static_cast<std::size_t>(copy)]) {
    const PanelMatrix& matrix = *bindings_->matrices.at(step.second)[static_cast<std::size_t>(choice.expert)];
    products.push_back({{{&matrix, ordered_inputs(step.input, copy * input.elements(), matrix)}},
                        output.of(copy).data() + choice.piece * matrix.outputs(),
                        matrix.outputs()});
  }
}

void Machine::expert_terms(const Step& step, std::int64_t copy, Product& sum) {
  const Buffer& input = buffer(step.input);
  sum.count = buffer(step.output).elements();
  for (const Choice& choice : choices_[static_cast<std::size_t>(copy)]) {
    if (step.op == ElementOp::expert_sum) {
      const PanelMatrix& matrix = *bindings_->matrices.at(step.second)[static_cast<std::size_t>(choice.expert)];
      const std::int64_t first = copy * input.elements() + choice.piece * matrix.inputs();
      sum.terms.push_back({&matrix, ordered_inputs(step.input, first, matrix)});
      continue;
    }
    const std::vector<float>& biases = *bindings_->vectors.at(step.second);
    const auto first = static_cast<std::size_t>(choice.expert * sum.count);
    bias_columns_.emplace_back(std::span(biases).subspan(first, static_cast<std::size_t>(sum.count)),
                               expert_bands_.band(choice.band).begin, expert_bands_.parts);
    inputs_.push_back({choice.gate});
    sum.terms.push_back({&bias_columns_.back(), inputs_.back().data()});
  }
}

void Machine::multiply_by_gates(const Step& step, StepCounters& counters) {
  Buffer& inner = buffer(step.output);
  const Axis axis = axis_of(tensor(step.output));
  const Bands& bands = tensor(step.output).along(axis);
  for (std::int64_t copy = 0; copy < inner.copies; ++copy) {
    for (const Choice& choice : choices_[static_cast<std::size_t>(copy)]) {
      const auto first = static_cast<std::size_t>(choice.piece * bands.head_dim);
      const auto piece = inner.of(copy).subspan(first, static_cast<std::size_t>(bands.head_dim));
      for (float& value : piece) value *= choice.gate;
      round_in_place(type(step.output), piece);
    }
  }
  count_inner(bands, axis, 1, false, counters);
}

bool Machine::expert_bias(const Step& step, StepCounters& counters) {
  const bool of_output = step.third != kNoTensor;
  const bool of_inner = tensor(step.output).name.starts_with("experts.");
  if (step.op != ElementOp::add_bias || !(of_output || of_inner)) return false;
  count_expert_bias(step, counters);
  Buffer& output = buffer(step.output);
  if (!output.pending.empty()) {  // joins the partial sums
    output.pending.push_back(static_cast<std::size_t>(&step - schedule_->steps.data()));
    return true;
  }
  const std::vector<float>& biases = *bindings_->vectors.at(step.second);
  const std::int64_t each =
      of_output ? output.elements() : tensor(step.output).along(axis_of(tensor(step.output))).head_dim;
  for (std::int64_t copy = 0; copy < output.copies; ++copy) {
    for (const Choice& choice : choices_[static_cast<std::size_t>(copy)]) {
      const float gate = of_output ? choice.gate : 1.0F;
      const float* bias = biases.data() + choice.expert * each;
      float* values = output.of(copy).data() + (of_output ? 0 : choice.piece * each);
      for (std::int64_t j = 0; j < each; ++j)
        values[j] = rounded(type(step.output), std::fma(gate, bias[j], values[j]));
    }
  }
  return true;
}

void Machine::count_expert_bias(const Step& step, StepCounters& counters) {
  const Tensor& moved = tensor(step.output);
  const Axis axis = axis_of(moved);
  if (step.third == kNoTensor) return count_inner(moved.along(axis), axis, 1, false, counters);
  const Bands& ends = moved.along(axis);
  for (const std::int64_t end : pieces(ends)) {
    for (std::int64_t band = 0; band < expert_bands_.heads; ++band) {
      const std::int64_t choices = expert_loads_[static_cast<std::size_t>(band)].choices;
      PeWork work;
      if (choices > 0) work.instruction(ends.size(end), choices);
      if (expert_bands_.heads == 1) {
        observe(counters, axis, end, work);
        continue;
      }
      const std::int64_t first = expert_bands_.band(band).begin;
      observe_at(counters, axis == Axis::x ? first : end, axis == Axis::x ? end : first, work);
    }
  }
}

}  // namespace waferline::kernels::emulate
