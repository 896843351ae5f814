// Follows: RMSNorm (arXiv 1910.07467, equation 4), LayerNorm (arXiv 1607.06450, equation 3), rotary embedding
// (arXiv 2104.09864, equation 34), SwiGLU (arXiv 2002.05202, equation 6).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arch/error.hpp"
#include "kernels/emulate/local_sums.hpp"
#include "kernels/emulate/machine.hpp"
#include "kernels/emulate/threads.hpp"
#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {
namespace {

float gelu_tanh(float x) {
  // tanh(u) = 1 - 2 / (exp(2u) + 1); the constant is sqrt(2 / pi).
  const float u = 0.79788456F * (x + 0.044715F * x * x * x);
  return 0.5F * x * (2.0F - 2.0F / (exp_fp32(2.0F * u) + 1.0F));
}

/// What an instruction covers: every vector of its own, or all that the PE holds at once.
enum class Cover : std::uint8_t { each_vector, all_local };

/// Work of one PE that holds a piece of `bands`.
PeWork piece_work(const Bands& bands, std::int64_t part, std::int64_t copies, Cover cover, std::int64_t instructions,
                  bool exponential) {
  PeWork work;
  const bool each = cover == Cover::each_vector;
  const std::int64_t pieces = each ? bands.heads_at(part).size * bands.group : 1;
  work.instruction(each ? bands.dims_at(part).size : bands.size(part), pieces * instructions * copies);
  if (exponential) work.exponentials = bands.size(part) * copies;
  return work;
}

}  // namespace

void Machine::elementwise(std::size_t index) {
  const Step& step = schedule_->steps[index];
  StepCounters& counters = counters_[index];
  switch (step.op) {
    case ElementOp::square_sum:
    case ElementOp::sum:
    case ElementOp::local_max:
    case ElementOp::local_sum:
      return local_sums(step, counters);
    case ElementOp::scale_by_rsqrt:
    case ElementOp::normalize:
      return normalise(step, counters);
    case ElementOp::sum_and_square_sum:
      return mean_sums(step, counters);
    case ElementOp::center_and_scale:
      return center(step, counters);
    case ElementOp::rope:
      return rotate(step, counters);
    case ElementOp::append_kv:
      return append(step, counters);
    case ElementOp::exp_minus_max:
      return soften(step, counters);
    case ElementOp::scale_by_reciprocal:
      return divide(step, counters);
    case ElementOp::top_k:
      return local_top_k(step, counters);
    case ElementOp::gate_experts:
      return gate(step, counters);
    case ElementOp::fetch_row:
      return fetch_rows(step, counters);
    case ElementOp::score_positions:
      return score_positions(step, counters);
    case ElementOp::count_above:
      return find_thresholds(step, counters);
    default:
      if (!recurrent(step, counters) && !expert_bias(step, counters)) pointwise(step, counters);
  }
}

void Machine::normalise(const Step& step, StepCounters& counters) {
  const Buffer& sums = buffer(step.input);
  const Buffer& source = buffer(step.third);
  Buffer& output = buffer(step.output);
  const bool weighted = step.second != kNoTensor;
  const std::vector<float>* weight = weighted ? bindings_->vectors.at(step.second) : nullptr;
  const DType stored = type(step.output);
  const std::int64_t summed = source.elements() / sums.elements();
  for (std::int64_t copy = 0; copy < output.copies; ++copy) {
    for (std::int64_t sum = 0; sum < sums.elements(); ++sum) {
      const float total = sums.of(copy)[static_cast<std::size_t>(sum)];
      const float under_root =
          weighted ? total / static_cast<float>(summed) + constants_.norm_epsilon : total + constants_.l2_epsilon;
      const float scale = 1.0F / std::sqrt(under_root);
      const auto first = static_cast<std::size_t>(sum * summed);
      const auto own = output.of(copy).subspan(first, static_cast<std::size_t>(summed));
      for (std::size_t i = 0; i < own.size(); ++i) own[i] = source.of(copy)[first + i] * scale;
      round_in_place(stored, own);
      if (!weighted) continue;
      for (std::size_t i = 0; i < own.size(); ++i) own[i] *= (*weight)[(first + i) % weight->size()];
      round_in_place(stored, own);
    }
  }
  const Axis axis = axis_of(tensor(step.third));
  const Bands& bands = tensor(step.third).along(axis);
  const std::int64_t per_sum = bands.heads * bands.group / sums.elements();
  for (const std::int64_t part : pieces(bands)) {
    PeWork work;
    const std::int64_t here =
        std::max<std::int64_t>(1, bands.heads_at(part).size * bands.group / std::max<std::int64_t>(1, per_sum));
    work.instruction(bands.size(part) / here, (weighted ? 2 : 1) * here * output.copies);
    work.specials = here * output.copies;
    observe(counters, axis, part, work);
  }
}

void Machine::rotate(const Step& step, StepCounters& counters) {
  Buffer& vectors = buffer(step.output);
  const Bands& bands = tensor(step.output).along_x;
  const DType stored = type(step.output);
  for (std::int64_t copy = 0; copy < vectors.copies; ++copy) {
    const Rotation& rotation = rotations_[static_cast<std::size_t>(copy)];
    std::vector<float> products(2 * rotation.cosines.size());
    for (std::int64_t vector = 0; vector < bands.heads * bands.group; ++vector) {
      float* dims = vectors.of(copy).data() + vector * bands.head_dim;
      for (std::size_t i = 0; i < products.size(); ++i) products[i] = dims[i] * rotation.cosines[i / 2];
      round_in_place(stored, products);
      for (std::size_t pair = 0; pair < rotation.cosines.size(); ++pair) {
        const float a = dims[2 * pair];
        dims[2 * pair] = std::fma(-dims[2 * pair + 1], rotation.sines[pair], products[2 * pair]);
        dims[2 * pair + 1] = std::fma(a, rotation.sines[pair], products[2 * pair + 1]);
      }
      round_in_place(stored, std::span(dims, products.size()));
    }
  }
  for (const std::int64_t part : pieces(bands)) {
    PeWork work;  // two products and two fused ones a vector, and four instructions that advance the angles
    work.instruction(ceil_div(bands.dims_at(part).size, 2),
                     4 * (bands.heads_at(part).size * bands.group + 1) * vectors.copies);
    observe(counters, Axis::x, part, work);
  }
}

void Machine::gate_with_silu(const Step& step) {
  Buffer& output = buffer(step.output);
  const Buffer& input = buffer(step.input);
  const Buffer& up = buffer(step.second);
  if (input.values.size() != output.values.size() || up.values.size() != output.values.size())
    throw ConfigError(fmt::format("emulate: step {} is not emulated", step.label));
  const DType stored = type(step.output);
  constexpr std::int64_t kRun = 2048;
  constexpr std::int64_t kSiluMacs = 20;  // one silu takes about as long as these
  const std::int64_t elements = output.copies * output.elements();
  const auto work = [&](std::int64_t task, std::vector<float>& scratch) {
    const auto first = static_cast<std::size_t>(task * kRun);
    const auto count = static_cast<std::size_t>(std::min(kRun, elements - task * kRun));
    scratch.resize(count);
    for (std::size_t i = 0; i < count; ++i) scratch[i] = -input.values[first + i];
    simd::exp_in_place(options_.set, scratch.data(), static_cast<std::int64_t>(count));
    for (std::size_t i = 0; i < count; ++i) scratch[i] = input.values[first + i] * (1.0F / (1.0F + scratch[i]));
    round_in_place(stored, scratch);
    const std::span<float> results = std::span(output.values).subspan(first, count);
    for (std::size_t i = 0; i < count; ++i) results[i] = scratch[i] * up.values[first + i];
    round_in_place(stored, results);
  };
  for_each_task(ceil_div(elements, kRun), elements * kSiluMacs, options_.threads, work);
}

void Machine::pointwise(const Step& step, StepCounters& counters) {
  Buffer& output = buffer(step.output);
  const Buffer& input = buffer(step.input);
  const DType stored = type(step.output);
  const Axis axis = axis_of(tensor(step.output));
  const Bands& bands = tensor(step.output).along(axis);
  const auto count_pieces = [&](Cover cover, std::int64_t instructions, bool exponential) {
    for (const std::int64_t part : pieces(bands))
      observe(counters, axis, part, piece_work(bands, part, output.copies, cover, instructions, exponential));
  };
  const bool of_experts = tensor(step.output).name == "experts.up";
  const bool second_is_vector = step.second != kNoTensor && tensor(step.second).use != SramUse::buffer;
  const auto second = [&](std::int64_t copy, std::int64_t i) {
    if (second_is_vector) {
      const std::vector<float>& values = *bindings_->vectors.at(step.second);
      return values[static_cast<std::size_t>(i) % values.size()];
    }
    const Buffer& other_operand = buffer(step.second);
    return other_operand.of(copy)[static_cast<std::size_t>(i % other_operand.elements())];
  };
  const auto apply = [&](auto&& function) {
    for (std::int64_t copy = 0; copy < output.copies; ++copy) {
      for (std::int64_t i = 0; i < output.elements(); ++i) {
        output.of(copy)[static_cast<std::size_t>(i)] = function(copy, i, input.of(copy)[static_cast<std::size_t>(i)]);
      }
      round_in_place(stored, output.of(copy));
    }
  };
  switch (step.op) {
    case ElementOp::copy:
      apply([](std::int64_t, std::int64_t, float a) { return a; });
      return count_pieces(Cover::all_local, 1, false);
    case ElementOp::add:
    case ElementOp::add_bias:
      apply([&](std::int64_t copy, std::int64_t i, float a) { return a + second(copy, i); });
      return count_pieces(Cover::all_local, 1, false);
    case ElementOp::silu_multiply:
      gate_with_silu(step);
      if (of_experts) return count_inner(bands, axis, 2, true, counters);
      // A shared expert's piece has instructions of its own; any other vector is done at once.
      return count_pieces(step.part == Part::experts ? Cover::each_vector : Cover::all_local, 2, true);
    case ElementOp::silu:
      apply([](std::int64_t, std::int64_t, float a) { return silu_fp32(a); });
      return count_pieces(Cover::all_local, 1, true);
    case ElementOp::gelu:
      apply([](std::int64_t, std::int64_t, float a) { return gelu_tanh(a); });
      if (of_experts) return count_inner(bands, axis, 3, true, counters);
      return count_pieces(Cover::each_vector, 3, true);
    case ElementOp::sigmoid_multiply: {
      const bool one_gate = buffer(step.second).elements() == 1;
      apply([&](std::int64_t copy, std::int64_t i, float a) {
        return a * rounded(stored, sigmoid_fp32(second(copy, i)));
      });
      count_pieces(Cover::all_local, 1, !one_gate);
      PeWork gate;
      gate.exponentials = one_gate ? output.copies : 0;
      return observe_everywhere(counters, gate);
    }
    case ElementOp::multiply_by_gate:
      return multiply_by_gates(step, counters);
    case ElementOp::sink: {
      const float scale = constants_.attention_scale;
      for (std::int64_t copy = 0; copy < output.copies; ++copy) {
        for (std::int64_t i = 0; i < output.elements(); ++i) {
          float& sum = output.of(copy)[static_cast<std::size_t>(i)];
          const float maximum = input.of(copy)[static_cast<std::size_t>(i)] * scale;
          sum = rounded(stored, sum + rounded(stored, exp_fp32(second(copy, i) - maximum)));
        }
      }
      return count_pieces(Cover::all_local, 2, true);
    }
    default:
      throw ConfigError(fmt::format("emulate: step {} is not emulated", step.label));
  }
}

}  // namespace waferline::kernels::emulate
