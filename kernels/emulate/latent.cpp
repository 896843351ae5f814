// Follows: multi-head latent attention (arXiv 2405.04434, appendix C: absorbed projections); layout of
// docs/adr/0010-latent-attention-layout.md.
#include <algorithm>

#include "kernels/emulate/local_product.hpp"
#include "kernels/emulate/machine.hpp"
#include "kernels/emulate/threads.hpp"
#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {
namespace {

constexpr std::int64_t kLanes = simd::kPanelOutputs;

/// Numbers below `n` that leave `rest` when divided by `divisor`.
std::int64_t numbers_below(std::int64_t n, std::int64_t rest, std::int64_t divisor) {
  return n <= rest ? 0 : (n - rest - 1) / divisor + 1;
}

/// Elements of a run, heads innermost, whose heads one band of columns serves (head h: band h mod bands).
std::int64_t in_band(Range run, std::int64_t band, std::int64_t bands) {
  return numbers_below(run.end(), band, bands) - numbers_below(run.begin, band, bands);
}

/// Dimensions of one head that the rows of a vector with heads innermost hold: row r has [bounds[r], bounds[r + 1]).
std::vector<std::int64_t> rows_of_head(const Bands& along_y, std::int64_t head, std::int64_t heads) {
  std::vector<std::int64_t> bounds{0};
  for (std::int64_t row = 0; row < along_y.parts; ++row)
    bounds.push_back(numbers_below(along_y.dims_at(row).end(), head, heads));
  return bounds;
}

/// Latent dimensions that the columns hold for a band: columns of other bands hold none.
std::vector<std::int64_t> columns_of_band(const Bands& along_x, std::int64_t band) {
  std::vector<std::int64_t> bounds{0};
  for (std::int64_t col = 0; col < along_x.parts; ++col)
    bounds.push_back(along_x.band_of(col) == band ? along_x.dims_at(col).end() : bounds.back());
  return bounds;
}

}  // namespace

void Machine::count_latent(const Step& step, StepCounters& counters) {
  const Tensor& weight = tensor(step.second);
  const bool queries = step.op == ElementOp::latent_queries;
  const Bands& rows = weight.along_y;
  const Bands& cols = weight.along_x;
  const std::int64_t batch = schedule_->batch;
  const std::int64_t sweeps = options_.weights_once_per_batch ? 1 : batch;
  const bool narrow = bits_per_element(weight.stored.dtype) <= 8;
  std::int64_t most_local = 0;
  std::int64_t most_dims = 0;
  for (std::int64_t row = 0; row < rows.parts; ++row) {
    for (std::int64_t col = 0; col < cols.parts; ++col) {
      const std::int64_t local = in_band(rows.dims_at(row), cols.band_of(col), cols.heads);
      const std::int64_t dims = cols.dims_at(col).size;
      most_local = std::max(most_local, local);
      most_dims = std::max(most_dims, dims);
      observe_at(counters, row, col, local_product(local * batch, 1, dims, options_.loop));
      if (options_.recorder == nullptr || local * dims == 0) continue;
      const Bytes held = queries ? stored_bytes(weight.stored, dims, local) : stored_bytes(weight.stored, local, dims);
      pes_.add(PeField::weight_bytes, row, col, held.value * sweeps);
      if (narrow) pes_.add(PeField::dequantised, row, col, local * dims * sweeps);
    }
  }
  const Bytes held =
      queries ? stored_bytes(weight.stored, most_dims, most_local) : stored_bytes(weight.stored, most_local, most_dims);
  counters.weight_bytes = held.value * sweeps;
  if (narrow) counters.dequantised = most_local * most_dims * sweeps;
}

void Machine::complete_latent(TensorId id, const CollectivePlan& plan) {
  Buffer& output = buffer(id);
  const Step& step = schedule_->steps[output.pending.front()];
  const bool queries = step.op == ElementOp::latent_queries;
  const Buffer& input = buffer(step.input);
  const auto& matrices = bindings_->matrices.at(step.second);
  const Bands& rows = tensor(step.second).along_y;
  const Bands& cols = tensor(step.second).along_x;
  const std::int64_t heads = cols.heads * cols.group;
  const Fold& line = fold(plan, schedule_->extent.along(step.axis));
  const DType wire = type(id);
  const std::int64_t macs = schedule_->batch * heads * matrices.front()->inputs() * matrices.front()->outputs();
  for_each_task(schedule_->batch * heads, macs, options_.threads, [&](std::int64_t task, std::vector<float>& scratch) {
    const std::int64_t copy = task / heads;
    const std::int64_t head = task % heads;
    const PanelMatrix& matrix = *matrices[static_cast<std::size_t>(head)];
    const std::int64_t band = head % cols.heads;
    const std::int64_t in_latent = (band * cols.group + head / cols.heads) * cols.head_dim;
    // Along y a head's dimensions lie `heads` apart, along x side by side.
    const std::int64_t first_in = queries ? head : in_latent;
    const std::int64_t first_out = queries ? in_latent : head;
    const std::int64_t stride_in = queries ? heads : 1;
    const std::int64_t stride_out = queries ? 1 : heads;
    std::vector<float> x(static_cast<std::size_t>(matrix.inputs()));
    for (std::int64_t k = 0; k < matrix.inputs(); ++k)
      x[static_cast<std::size_t>(k)] = input.of(copy)[static_cast<std::size_t>(first_in + k * stride_in)];
    const std::vector<std::int64_t> bounds = queries ? rows_of_head(rows, head, heads) : columns_of_band(cols, band);
    for (std::int64_t first = 0; first < matrix.outputs(); first += kLanes) {
      scratch.assign(static_cast<std::size_t>(line.pes * kLanes), 0.0F);
      simd::panel_partials(options_.set, matrix.panel(first / kLanes), x.data(), bounds, fp16_sums(), scratch.data());
      round_in_place(wire, scratch);
      const auto sums = run_fold(line, Reduction::sum, wire, options_.set, scratch, kLanes);
      const std::int64_t count = std::min(kLanes, matrix.outputs() - first);
      for (std::int64_t lane = 0; lane < count; ++lane) {
        output.of(copy)[static_cast<std::size_t>(first_out + (first + lane) * stride_out)] =
            sums[static_cast<std::size_t>(lane)];
      }
    }
  });
}

}  // namespace waferline::kernels::emulate
