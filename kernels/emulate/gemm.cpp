// Follows: MeshGEMM (WaferLLM, arXiv 2502.04563, section 6); SUMMA (van de Geijn and Watts, 1997).
//
// Rotating tiles are followed place by place, so that a wrong ring or alignment multiplies blocks that do not belong
// together and is an error; the sums then run in the order in which a PE's tiles arrive.
#include "kernels/gemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/emulate/local_product.hpp"
#include "kernels/emulate/machine.hpp"
#include "kernels/emulate/threads.hpp"
#include "kernels/numerics/contract.hpp"

namespace waferline::kernels::emulate {
namespace {

constexpr std::int64_t kLanes = simd::kPanelOutputs;

/// Blocks that the PEs of one line hold, by index of the PE.
using Line = std::vector<std::int64_t>;

/// Every PE takes what the next one in the ring held (or, `back`, the one before).
Line passed_on(const Line& line, bool back) {
  const auto pes = static_cast<std::int64_t>(line.size());
  Line by_place(line.size());
  for (std::int64_t pe = 0; pe < pes; ++pe)
    by_place[static_cast<std::size_t>(ring_position(pe, pes))] = line[static_cast<std::size_t>(pe)];
  Line out(line.size());
  for (std::int64_t pe = 0; pe < pes; ++pe) {
    const std::int64_t place = ring_position(pe, pes) + (back ? pes - 1 : 1);
    out[static_cast<std::size_t>(pe)] = by_place[static_cast<std::size_t>(place % pes)];
  }
  return out;
}

Line ring_order(std::int64_t pes) {
  Line line;
  for (std::int64_t pe = 0; pe < pes; ++pe) line.push_back(ring_position(pe, pes));
  return line;
}

/// A row's blocks of A, turned by as many places as the row has in the ring of rows; `most` is raised to the rotations
/// that took.
Line aligned_row(std::int64_t row, std::int64_t pes, std::int64_t& most) {
  const std::int64_t places = ring_position(row, pes);
  const bool back = places > pes - places;
  const std::int64_t moves = back ? pes - places : places;
  Line line = ring_order(pes);
  for (std::int64_t i = 0; i < moves; ++i) line = passed_on(line, back);
  most = std::max(most, moves);
  return line;
}

/// Wavelets on the busiest directed link while every PE of a line passes `wavelets` to the one before it in the ring.
std::int64_t busiest_link(std::int64_t pes, std::int64_t wavelets) {
  std::vector<std::int64_t> at_place(static_cast<std::size_t>(pes));
  for (std::int64_t pe = 0; pe < pes; ++pe) at_place[static_cast<std::size_t>(ring_position(pe, pes))] = pe;
  LineTraffic traffic(pes);
  for (std::int64_t pe = 0; pe < pes; ++pe) {
    const std::int64_t to = at_place[static_cast<std::size_t>((ring_position(pe, pes) + pes - 1) % pes)];
    for (std::int64_t i = pe; i < to; ++i) traffic.forwards[static_cast<std::size_t>(i)] += wavelets;
    for (std::int64_t i = pe; i > to; --i) traffic.backwards[static_cast<std::size_t>(i)] += wavelets;
  }
  return std::max(*std::max_element(traffic.forwards.begin(), traffic.forwards.end()),
                  *std::max_element(traffic.backwards.begin(), traffic.backwards.end()));
}

}  // namespace

/// Blocks of k with which each PE starts, row by row, from the tiles' places: followed through all rotations.
std::vector<std::int64_t> Machine::starting_blocks() {
  const std::int64_t side = schedule_->extent.rows;
  std::vector<Line> a;
  std::vector<Line> b;  // by column
  for (std::int64_t i = 0; i < side; ++i) {
    std::int64_t moves = 0;
    a.push_back(aligned_row(i, side, moves));
    b.push_back(aligned_row(i, side, moves));
  }
  std::vector<std::int64_t> starts;
  for (const Line& row : a) starts.insert(starts.end(), row.begin(), row.end());
  for (std::int64_t turn = 0; turn < side; ++turn) {
    for (std::int64_t row = 0; row < side; ++row) {
      for (std::int64_t col = 0; col < side; ++col) {
        const std::int64_t held = a[static_cast<std::size_t>(row)][static_cast<std::size_t>(col)];
        const std::int64_t met = b[static_cast<std::size_t>(col)][static_cast<std::size_t>(row)];
        const std::int64_t expected = (starts[static_cast<std::size_t>(row * side + col)] + turn) % side;
        if (held != met || held != expected)
          throw std::logic_error(
              fmt::format("PE ({}, {}): blocks {} and {} met in rotation {}", row, col, held, met, turn));
      }
    }
    for (Line& line : a) line = passed_on(line, false);
    for (Line& line : b) line = passed_on(line, false);
  }
  return starts;
}

void Machine::multiply_tiles(const Step& step, StepCounters& counters) {
  const bool rotating = step.op == ElementOp::tile_product;
  const std::vector<std::int64_t> starts = rotating ? starting_blocks() : std::vector<std::int64_t>{};
  count_tiles(step, starts, counters);
  const PanelMatrix& weight = *bindings_->matrices.at(step.second)[0];
  const Buffer& a = buffer(step.input);
  const Buffer& c = buffer(step.output);
  const std::int64_t depth = a.xs;
  const std::int64_t rows = a.ys;
  const Bands& rows_of = tensor(step.output).along_y;
  const Bands& cols_of = tensor(step.output).along_x;
  std::vector<float> by_row(a.values.size());  // A with k innermost
  for (std::int64_t k = 0; k < depth; ++k) {
    for (std::int64_t m = 0; m < rows; ++m)
      by_row[static_cast<std::size_t>(m * depth + k)] = a.values[static_cast<std::size_t>(k * rows + m)];
  }
  const std::int64_t bands = rotating ? rows_of.parts : 1;
  for_each_task(bands * weight.panels(), rows * depth * weight.outputs(), options_.threads,
                [&](std::int64_t task, std::vector<float>&) {
                  const std::int64_t band = task % bands;
                  const std::int64_t panel = task / bands;
                  if (!rotating) return multiply_rows(step, by_row, panel, {0, rows}, {{0, weight.outputs()}, 0});
                  const Split cols{c.xs, cols_of.parts};
                  const std::int64_t last = std::min((panel + 1) * kLanes, c.xs) - 1;
                  for (std::int64_t col = cols.owner(panel * kLanes); col <= cols.owner(last); ++col) {
                    const std::int64_t block = starts[static_cast<std::size_t>(band * cols_of.parts + col)];
                    multiply_rows(step, by_row, panel, rows_of.dims_at(band),
                                  {cols_of.dims_at(col), Split{depth, rows_of.parts}.begin(block)});
                  }
                });
}

/// Rows of C within one panel of outputs: those of `cols`, summed over k from `cols.first_k` on and then up to it.
void Machine::multiply_rows(const Step& step, std::span<const float> by_row, std::int64_t panel, Range rows,
                            const TileColumns& cols) {
  const PanelMatrix& weight = *bindings_->matrices.at(step.second)[0];
  Buffer& c = buffer(step.output);
  const std::int64_t depth = buffer(step.input).xs;
  const std::int64_t begin = std::max(cols.n.begin, panel * kLanes);
  const std::int64_t end = std::min({cols.n.end(), (panel + 1) * kLanes, weight.outputs()});
  const std::int64_t before[] = {cols.first_k, depth};
  const std::int64_t after[] = {0, cols.first_k};
  std::vector<float> sums(static_cast<std::size_t>(kLanes));
  for (std::int64_t m = rows.begin; m < rows.end(); ++m) {
    std::fill(sums.begin(), sums.end(), 0.0F);
    const float* x = by_row.data() + m * depth;
    simd::panel_partials(options_.set, weight.panel(panel), x, before, fp16_sums(), sums.data());
    if (cols.first_k > 0) simd::panel_partials(options_.set, weight.panel(panel), x, after, fp16_sums(), sums.data());
    round_in_place(type(step.output), sums);
    for (std::int64_t n = begin; n < end; ++n)
      c.values[static_cast<std::size_t>(n * c.ys + m)] = sums[static_cast<std::size_t>(n - panel * kLanes)];
  }
}

/// Of each rotation or panel the busiest PE; a recorder is given what each PE does in all of them.
void Machine::count_tiles(const Step& step, const std::vector<std::int64_t>& starts, StepCounters& counters) {
  const models::StoredType& stored = tensor(step.second).stored;
  const Extent extent = schedule_->extent;
  const std::int64_t k = buffer(step.input).xs;
  std::vector<Range> blocks = summa_panels(k, extent);
  if (!starts.empty()) {
    blocks.clear();
    for (std::int64_t i = 0; i < extent.rows; ++i) blocks.push_back(Split{k, extent.rows}.range(i));
  }
  counters.repeats = static_cast<std::int64_t>(blocks.size());
  const bool narrow = bits_per_element(stored.dtype) <= 8;
  for (std::int64_t row = 0; row < extent.rows; ++row) {
    const std::int64_t m = tensor(step.output).along_y.size(row);
    for (std::int64_t col = 0; col < extent.cols; ++col) {
      const std::int64_t n = tensor(step.output).along_x.size(col);
      for (const Range& block : blocks) {  // every PE meets every block once
        observe_at(counters, row, col, local_product(n, block.size, m, options_.loop));
        const std::int64_t bytes = stored_bytes(stored, n, block.size).value;
        counters.weight_bytes = std::max(counters.weight_bytes, bytes);
        if (narrow) counters.dequantised = std::max(counters.dequantised, n * block.size);
        if (options_.recorder == nullptr) continue;
        pes_.add(PeField::weight_bytes, row, col, bytes);
        if (narrow) pes_.add(PeField::dequantised, row, col, n * block.size);
      }
    }
  }
}

void Machine::pass_tiles(const Step& step, StepCounters& counters) {
  const Extent extent = schedule_->extent;
  const bool rotates = step.kind == StepKind::shift;
  const Tensor& tile = tensor(step.input);
  const std::int64_t pes = extent.along(step.axis);
  const TensorId weight = find("gemm.b");
  const bool of_weight = tile.name == "gemm.b_tile";
  const std::int64_t k = tensor(find("gemm.a")).along_x.elements();
  const auto blocks = rotates ? std::vector<Range>{} : summa_panels(k, extent);
  std::int64_t depth = rotates ? Split{k, pes}.size(0) : 0;
  for (const Range& block : blocks) depth = std::max(depth, block.size);
  const Bands& others = of_weight ? tile.along_x : tile.along_y;
  for (std::int64_t line = 0; line < extent.along(other(step.axis)); ++line)
    counters.words = std::max(counters.words, others.size(line) * depth);
  counters.wavelets = of_weight ? tile_wavelets(tensor(weight).stored, counters.words / depth, depth)
                                : wavelets(tile.stored.dtype, counters.words);
  counters.line = pes;
  counters.link_wavelets = rotates ? busiest_link(pes, counters.wavelets) : counters.wavelets;
  counters.repeats = rotates ? pes : static_cast<std::int64_t>(blocks.size());
  if (step.label != "gemm.align_a") return;
  counters.repeats = 0;
  for (std::int64_t row = 0; row < extent.rows; ++row) aligned_row(row, pes, counters.repeats);
}

}  // namespace waferline::kernels::emulate
