// Follows: MeshGEMM (WaferLLM, arXiv 2502.04563, section 6: cyclic shift with interleaved neighbours); SUMMA (van de
// Geijn and Watts, Concurrency: Practice and Experience 9(4), 1997).
#include "kernels/gemm.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/error.hpp"

namespace waferline::kernels {
namespace {

constexpr auto kRole = models::WeightRole::attention;

/// What both algorithms hold.
struct Operands {
  TensorId a = kNoTensor;
  TensorId a_tile = kNoTensor;  ///< the tile that arrives
  TensorId b_tile = kNoTensor;
  TensorId b = kNoTensor;
  TensorId c = kNoTensor;
};

/// `a_width` and `b_depth`: k of the largest tile that arrives.
Operands add_operands(Builder& b, const GemmSizes& sizes, std::int64_t arriving, Schedule& out) {
  Operands o;
  const Bands rows = b.split(Axis::y, sizes.m);
  const Bands cols = b.split(Axis::x, sizes.n);
  const Bands k_along_y = b.split(Axis::y, sizes.k);
  o.a = b.grid("gemm.a", b.split(Axis::x, sizes.k), rows);
  o.a_tile = b.grid("gemm.a_tile", b.everywhere(Axis::x, arriving), rows);
  o.b_tile =
      b.resident("gemm.b_tile", SramUse::buffer, b.storage().of(kRole).dtype, cols, b.everywhere(Axis::y, arriving));
  out.tensors.back().bytes_per_pe = stored_bytes(b.storage().of(kRole), cols.elements_per_pe(), arriving).value;
  o.b = b.matrix("gemm.b", kRole, Axis::y, k_along_y, cols);
  o.c = b.grid("gemm.c", cols, rows);
  return o;
}

/// One product of tiles: for each element of B's, the local rows of A are multiplied and added.
void append_product(Builder& b, const GemmSizes& sizes, const Operands& o, ElementOp op, std::int64_t depth,
                    std::int64_t repeats) {
  const std::int64_t rows = ceil_div(sizes.m, b.extent().rows);
  const std::int64_t cols = ceil_div(sizes.n, b.extent().cols);
  Step& step = b.multiply(Part::ffn, op, "gemm.product", o.a, o.b, o.c, Axis::y, {cols, depth, rows});
  step.span = 3;  // the tiles that arrive are there at the same time
  step.repeats = repeats;
  const models::StoredType& stored = b.storage().of(kRole);
  step.weight_bytes = stored_bytes(stored, cols, depth).value;
  if (bits_per_element(stored.dtype) <= 8) step.dequantised = cols * depth;
  const std::int64_t sum_bytes = packed_bytes(b.options().accumulate, 1).value;
  const bool by_output = b.options().loop == LoopOrder::shorter && rows < depth;
  step.read_bytes = step.weight_bytes + 2 * step.macs * sum_bytes;
  step.write_bytes = (by_output ? step.instructions : step.macs) * sum_bytes;
}

/// A tile of `words` elements and `wavelets` under way along an axis.
Step& append_passing(Builder& b, std::string_view label, Axis axis, TensorId tile, std::int64_t wavelets) {
  Step& step = b.multicast(Part::ffn, label, axis, tile);
  step.op = ElementOp::pass_tile;
  step.wavelets = wavelets;
  return step;
}

/// To the neighbour in the ring, which is at most two hops away.
void append_rotation(Builder& b, std::string_view label, Axis axis, TensorId tile, std::int64_t wavelets,
                     std::int64_t repeats) {
  Step& step = append_passing(b, label, axis, tile, wavelets);
  step.kind = StepKind::shift;
  step.distance = std::min<std::int64_t>(2, step.line - 1);
  step.repeats = repeats;
  step.traffic = count_multicast(step.distance + 1, 0, wavelets);
}

LayerStorage storage_of(const models::StoredType& weight) {
  return LayerStorage({{"gemm.b", kRole, 1, 1, 1, weight}});
}

std::int64_t largest(const std::vector<Range>& panels) {
  std::int64_t most = 0;
  for (const Range& panel : panels) most = std::max(most, panel.size);
  return most;
}

}  // namespace

std::int64_t ring_position(std::int64_t index, std::int64_t pes) {
  return index % 2 == 0 ? index / 2 : pes - (index + 1) / 2;
}

std::vector<Range> summa_panels(std::int64_t k, Extent extent) {
  std::vector<std::int64_t> cuts;
  for (const std::int64_t parts : {extent.rows, extent.cols}) {
    for (std::int64_t part = 0; part < parts; ++part) cuts.push_back(Split{k, parts}.begin(part));
  }
  cuts.push_back(k);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<Range> panels;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) panels.push_back({cuts[i], cuts[i + 1] - cuts[i]});
  return panels;
}

std::int64_t tile_wavelets(const models::StoredType& stored, std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t kWaveletBytes = 4;
  return ceil_div(stored_bytes(stored, rows, cols).value, kWaveletBytes);
}

void build_mesh_gemm(const GemmSizes& sizes, const models::StoredType& weight, Extent extent, Workshop& shop,
                     Schedule& out) {
  if (extent.rows != extent.cols) {
    throw ConfigError(
        fmt::format("gemm: {} x {} PEs (rotating tiles need a square; SUMMA does not)", extent.rows, extent.cols));
  }
  out.clear();
  const LayerStorage storage = storage_of(weight);
  Builder b(out, extent, {}, shop.options, shop.plans, storage);
  const std::int64_t side = extent.rows;
  const std::int64_t depth = ceil_div(sizes.k, side);
  const Operands o = add_operands(b, sizes, depth, out);
  const std::int64_t a_wavelets = wavelets(shop.options.accumulate, b.local(o.a_tile));
  const std::int64_t b_wavelets = tile_wavelets(weight, ceil_div(sizes.n, side), depth);
  if (side > 1) {
    // Row r begins with the block that is its own place in the ring further on: the shorter way round.
    append_rotation(b, "gemm.align_a", Axis::x, o.a_tile, a_wavelets, side / 2);
    append_rotation(b, "gemm.rotate_a", Axis::x, o.a_tile, a_wavelets, side);
    append_rotation(b, "gemm.rotate_b", Axis::y, o.b_tile, b_wavelets, side);
  }
  append_product(b, sizes, o, ElementOp::tile_product, depth, side);
}

void build_summa(const GemmSizes& sizes, const models::StoredType& weight, Extent extent, Workshop& shop,
                 Schedule& out) {
  out.clear();
  const LayerStorage storage = storage_of(weight);
  Builder b(out, extent, {}, shop.options, shop.plans, storage);
  const std::vector<Range> panels = summa_panels(sizes.k, extent);
  const std::int64_t depth = largest(panels);
  const auto repeats = static_cast<std::int64_t>(panels.size());
  const Operands o = add_operands(b, sizes, depth, out);
  const auto pass = [&](std::string_view label, Axis axis, TensorId tile, std::int64_t tile_wavelets) {
    if (extent.along(axis) < 2) return;
    Step& step = append_passing(b, label, axis, tile, tile_wavelets);
    step.repeats = repeats;
    step.traffic = count_multicast(step.line, 0, tile_wavelets);
  };
  pass("gemm.panel_a", Axis::x, o.a_tile, wavelets(shop.options.accumulate, b.local(o.a_tile)));
  pass("gemm.panel_b", Axis::y, o.b_tile, tile_wavelets(weight, ceil_div(sizes.n, extent.cols), depth));
  append_product(b, sizes, o, ElementOp::panel_product, depth, repeats);
}

}  // namespace waferline::kernels
