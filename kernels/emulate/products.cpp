// Follows: WaferLLM (arXiv 2502.04563), section 4 (MeshGEMV: local products, then one reduction along the input axis).
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "arch/error.hpp"
#include "kernels/emulate/local_product.hpp"
#include "kernels/emulate/machine.hpp"
#include "kernels/emulate/threads.hpp"
#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {
namespace {

constexpr std::int64_t kLanes = simd::kPanelOutputs;

}  // namespace

void Machine::multiply(std::size_t index) {
  const Step& step = schedule_->steps[index];
  const bool known = step.op == ElementOp::matrix || step.op == ElementOp::expert || step.op == ElementOp::expert_sum ||
                     step.op == ElementOp::scores || step.op == ElementOp::values || is_latent(step) ||
                     reads_state(step);
  if (!known) throw ConfigError(fmt::format("emulate: step {} is not emulated", step.label));
  count_product(step, counters_[index]);
  Buffer& output = buffer(step.output);
  output.pending.push_back(index);
  // Without a line to reduce over, the one PE's sum is the sum.
  const bool reduced_later = std::any_of(schedule_->steps.begin() + static_cast<std::ptrdiff_t>(index),
                                         schedule_->steps.end(), [&](const Step& later) {
                                           return later.kind == StepKind::reduce_sum && later.axis == step.axis &&
                                                  step.output >= later.input && step.output < later.input + later.span;
                                         });
  const bool more_terms =
      std::any_of(schedule_->steps.begin() + static_cast<std::ptrdiff_t>(index) + 1, schedule_->steps.end(),
                  [&](const Step& later) { return later.kind == StepKind::gemv && later.output == step.output; });
  if (!reduced_later && !more_terms) complete_products(step.output, {});
}

void Machine::count_product(const Step& step, StepCounters& counters) {
  if (is_latent(step)) return count_latent(step, counters);
  if (reads_state(step)) return count_read(step, counters);
  if (step.op == ElementOp::expert || step.op == ElementOp::expert_sum) return count_experts(step, counters);
  const Tensor& weight = tensor(step.second);
  const Bands& in = weight.along(step.axis);
  const Bands& out = weight.along(other(step.axis));
  const std::int64_t batch = schedule_->batch;
  std::int64_t sweeps = batch;
  if (step.op == ElementOp::scores || step.op == ElementOp::values) {
    count_cache_product(step, counters);
  } else {
    if (options_.weights_once_per_batch) sweeps = 1;
    counters.observe(local_product(batch, most_elements(in), most_elements(out), options_.loop));
  }
  const std::int64_t elements = most_elements(in) * most_elements(out);
  const std::int64_t held = stored_bytes(weight.stored, most_elements(out), most_elements(in)).value;
  counters.weight_bytes = held * sweeps;
  if (bits_per_element(weight.stored.dtype) <= 8) counters.dequantised = elements * sweeps;
  if (options_.recorder != nullptr) record_product(step, batch, sweeps);
}

void Machine::count_cache_product(const Step& step, StepCounters& counters) {
  const bool scores = step.op == ElementOp::scores;
  const Bands& positions = tensor(step.second).along_y;
  const Bands& heads = tensor(scores ? step.input : step.output).along_x;
  for (const std::int64_t row : pieces(positions)) {
    for (const std::int64_t col : pieces(heads)) {
      const std::int64_t vectors = heads.heads_at(col).size * heads.group * schedule_->batch;
      const std::int64_t dims = heads.dims_at(col).size;
      const std::int64_t rows = positions.size(row);
      observe_at(counters, row, col, local_product(vectors, scores ? dims : rows, scores ? rows : dims, options_.loop));
    }
  }
}

void Machine::record_product(const Step& step, std::int64_t products, std::int64_t sweeps) {
  const Tensor& weight = tensor(step.second);
  const bool of_cache = step.op == ElementOp::scores || step.op == ElementOp::values;
  StepCounters ignored;
  for (std::int64_t row = 0; row < pes_.extent().rows; ++row) {
    for (std::int64_t col = 0; col < pes_.extent().cols; ++col) {
      const std::int64_t along_x = weight.along_x.size(col);
      const std::int64_t along_y = weight.along_y.size(row);
      const std::int64_t inputs = step.axis == Axis::x ? along_x : along_y;
      const std::int64_t outputs = step.axis == Axis::x ? along_y : along_x;
      if (!of_cache) observe_at(ignored, row, col, local_product(products, inputs, outputs, options_.loop));
      const bool nothing = inputs * outputs == 0;
      pes_.add(PeField::weight_bytes, row, col,
               nothing ? 0 : stored_bytes(weight.stored, outputs, inputs).value * sweeps);
      if (bits_per_element(weight.stored.dtype) <= 8)
        pes_.add(PeField::dequantised, row, col, inputs * outputs * sweeps);
    }
  }
}

const float* Machine::ordered_inputs(TensorId input, std::int64_t first, const PanelMatrix& matrix) {
  const float* values = buffer(input).values.data() + first;
  std::vector<float>& ordered = inputs_.emplace_back();
  ordered.reserve(matrix.order().global.size());
  for (const std::int64_t index : matrix.order().global) ordered.push_back(values[index]);
  return ordered.data();
}

std::vector<Machine::Product> Machine::matrix_products(TensorId id) {
  Buffer& output = buffer(id);
  std::vector<Product> products;
  for (std::int64_t copy = 0; copy < output.copies; ++copy) {
    Product sum;
    sum.output = output.of(copy).data();
    for (const std::size_t index : output.pending) {
      const Step& step = schedule_->steps[index];
      if (step.op == ElementOp::expert) {
        expert_products(step, copy, products);
      } else if (step.op != ElementOp::matrix) {
        expert_terms(step, copy, sum);
      } else {
        const PanelMatrix& matrix = *bindings_->matrices.at(step.second)[0];
        sum.count = matrix.outputs();
        sum.terms.push_back({&matrix, ordered_inputs(step.input, copy * buffer(step.input).elements(), matrix)});
      }
    }
    if (!sum.terms.empty()) products.push_back(std::move(sum));
  }
  return products;
}

void Machine::evaluate(const std::vector<Product>& products, const Fold& fold, DType wire) {
  std::vector<std::pair<std::size_t, std::int64_t>> tasks;
  std::int64_t macs = 0;
  for (std::size_t i = 0; i < products.size(); ++i) {
    for (const Term& term : products[i].terms) macs += term.matrix->inputs() * products[i].count;
    for (std::int64_t panel = 0; panel < ceil_div(products[i].count, kLanes); ++panel) tasks.emplace_back(i, panel);
  }
  for_each_task(static_cast<std::int64_t>(tasks.size()), macs, options_.threads,
                [&](std::int64_t task, std::vector<float>& scratch) {
                  const auto [index, panel] = tasks[static_cast<std::size_t>(task)];
                  const Product& product = products[index];
                  std::vector<simd::PanelTerm> terms;
                  terms.reserve(product.terms.size());
                  for (const Term& term : product.terms)
                    terms.push_back({term.matrix->panel(panel), term.inputs, term.matrix->order().bounds});
                  const std::span<const float> sum =
                      sum_products(fold, terms, wire, fp16_sums(), options_.set, scratch);
                  const std::int64_t first = panel * kLanes;
                  std::copy_n(sum.begin(), std::min(kLanes, product.count - first), product.output + first);
                });
}

void Machine::complete_products(TensorId id, const CollectivePlan& plan) {
  Buffer& output = buffer(id);
  if (output.pending.empty()) return;
  const Step& first = schedule_->steps[output.pending.front()];
  if (first.op == ElementOp::scores) {
    complete_scores(id, plan);
  } else if (first.op == ElementOp::values) {
    complete_values(id, plan);
  } else if (is_latent(first)) {
    complete_latent(id, plan);
  } else if (reads_state(first)) {
    complete_read(id, plan);
  } else {
    evaluate(matrix_products(id), fold(plan, schedule_->extent.along(first.axis)), type(id));
  }
  output.pending.clear();
}

}  // namespace waferline::kernels::emulate
