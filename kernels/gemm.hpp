#pragma once
// C (m, n) = A (m, k) B (k, n) on a rectangle of PEs, without transposing anything: by rotating tiles, or by
// multicasting panels.

#include <cstdint>
#include <vector>

#include "arch/region.hpp"
#include "kernels/layer_schedule.hpp"
#include "kernels/partition.hpp"
#include "kernels/schedule.hpp"
#include "models/stored_type.hpp"

namespace waferline::kernels {

struct GemmSizes {
  std::int64_t m = 1;  ///< rows of A and C, such as tokens of a prompt: along y
  std::int64_t k = 1;  ///< summed over: along x in A, along y in B
  std::int64_t n = 1;  ///< columns of B and C: along x
};

/// MeshGEMM: as many rotations as a side has PEs. Each PE multiplies its tiles of A and B, then passes A's along its
/// row and B's along its column to the PE that comes before it in a ring whose neighbours are two hops apart at most.
/// Model: F34. Tensors: "gemm.a" (column of PEs `c` holds block ring_position(c) of k), "gemm.b" (the weight, which
/// lies as the first rotation needs it), "gemm.c". Errors: ConfigError unless the rectangle is square.
void build_mesh_gemm(const GemmSizes& sizes, const models::StoredType& weight, Extent extent, Workshop& shop,
                     Schedule& out);

/// SUMMA: one panel of k after the other, A's multicast along rows, B's along columns. Model: F35.
void build_summa(const GemmSizes& sizes, const models::StoredType& weight, Extent extent, Workshop& shop,
                 Schedule& out);

/// Place of PE `index` of a line in the two-hop ring 0, 2, 4, ..., 5, 3, 1.
std::int64_t ring_position(std::int64_t index, std::int64_t pes);

/// SUMMA's panels of k: each within one column's share of A and one row's share of B.
std::vector<Range> summa_panels(std::int64_t k, Extent extent);

/// Wavelets of a tile of a stored matrix with `rows` outputs and `cols` inputs, its scales included.
std::int64_t tile_wavelets(const models::StoredType& stored, std::int64_t rows, std::int64_t cols);

}  // namespace waferline::kernels
