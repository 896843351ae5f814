#pragma once
// Improving a plan by trial: moves that leave the space of strips.

#include <cstdint>

#include "mapping/assemble.hpp"

namespace waferline::mapping {

/// What trying brought.
struct Refined {
  Plan plan;
  std::int64_t steps = 0;
  std::int64_t accepted = 0;
};

/// Simulated annealing from `start`: the border between two neighbouring regions moves by some PEs, the border between
/// two strips moves, a layer changes to the next region, a region is turned, or its experts or its latent cache are
/// dealt out anew. Plans without room for `users` are never taken. The result is at least as good as `start` under
/// `assembly.request.objective`, and sound. Preconditions: `start` is sound.
Refined refine(const Assembly& assembly, const Problem& problem, const Plan& start, std::int64_t users,
               const Refinement& how);

}  // namespace waferline::mapping
