#pragma once
// A layer in double precision without a mesh, from the numbers that a machine holds: what its emulation is compared
// with. Written from the papers' equations, not from the schedule: latent attention here is not absorbed, heads have
// their own matrices, and nothing is split.

#include <optional>
#include <string>
#include <vector>

#include "kernels/emulate/seeded/seeded_layer.hpp"

namespace waferline::kernels::emulate {

/// Hidden vectors after the layer, one token after the other, from the state of `layer` before it runs.
/// Empty, with the reason in `why_not`, for what has no reference here (a sparse indexer, shared caches).
std::optional<std::vector<double>> reference_layer(const SeededLayer& layer, std::string& why_not);

}  // namespace waferline::kernels::emulate
