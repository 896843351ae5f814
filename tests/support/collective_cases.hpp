#pragma once
// Random arrangements of collectives, and the vectors that they work on.

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/fabric/compile.hpp"
#include "kernels/fabric/memory.hpp"

namespace waferline::tests {

/// One collective on all lines of a rectangle.
struct CollectiveCase {
  kernels::CollectivePlan plan;
  kernels::fabric::Lineup lineup;
  kernels::fabric::FabricTiming timing;
};

class CollectiveCases {
 public:
  explicit CollectiveCases(std::uint32_t seed) : random_(seed) {}

  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool chance(int one_in) { return draw(1, one_in) == 1; }

  kernels::CollectivePlan tree(std::int64_t pes) {
    kernels::CollectivePlan plan;
    plan.algorithm = chance(4) ? kernels::Algorithm::chain : kernels::Algorithm::k_tree;
    plan.root = chance(2) ? kernels::Root::end : kernels::Root::middle;
    plan.levels = static_cast<int>(draw(1, kernels::CollectivePlan::kMaxLevels));
    std::int64_t items = pes;
    for (int level = 0; level < plan.levels; ++level) {
      const bool last = level + 1 == plan.levels;
      const std::int64_t group = last ? items : draw(1, std::min<std::int64_t>(items, chance(3) ? items : 12));
      plan.groups[static_cast<std::size_t>(level)] = group;
      items = ceil_div(items, group);
    }
    return plan;
  }

  kernels::CollectivePlan any_plan(std::int64_t pes) {
    if (!chance(3)) return tree(pes);
    return {chance(2) ? kernels::Algorithm::star : kernels::Algorithm::ring,
            chance(2) ? kernels::Root::end : kernels::Root::middle,
            1,
            {}};
  }

  kernels::fabric::FabricTiming timing() {
    kernels::fabric::FabricTiming timing;
    timing.hop = static_cast<int>(draw(1, 2));
    timing.ramp = static_cast<int>(draw(1, 4));
    timing.stage = chance(2) ? 1 : static_cast<int>(draw(1, 30));
    timing.task_switch = chance(2) ? 0 : static_cast<int>(draw(0, 30));
    timing.startup = static_cast<int>(draw(0, 60));
    return timing;
  }

  /// Lines of up to `most_pes`, up to `most_lines` of them, one word in every third case.
  kernels::fabric::Lineup lineup(std::int64_t most_pes, std::int64_t most_lines, std::int64_t most_words) {
    return {draw(1, most_pes), draw(1, most_lines), chance(3) ? 1 : draw(1, most_words)};
  }

  /// Small integers, so that every order of summation gives the same sum.
  kernels::fabric::FabricMemory vectors(const kernels::fabric::FabricProgram& program, std::int64_t words) {
    kernels::fabric::FabricMemory memory(program.lines, program.positions(), program.words);
    for (std::int64_t line = 0; line < program.lines; ++line) {
      for (std::int64_t position = 0; position < program.positions(); ++position) {
        for (std::int64_t word = 0; word < words; ++word)
          memory.at(line, position, word) = static_cast<float>(draw(-100, 100));
      }
    }
    return memory;
  }

 private:
  std::mt19937 random_;
};

/// What a collective over each line should give, [line][word].
template <class Combine>
std::vector<float> combined_lines(const kernels::fabric::FabricMemory& memory, std::int64_t words, Combine&& combine) {
  std::vector<float> result(static_cast<std::size_t>(memory.lines() * words));
  for (std::int64_t line = 0; line < memory.lines(); ++line) {
    for (std::int64_t word = 0; word < words; ++word) {
      float& value = result[static_cast<std::size_t>(line * words + word)];
      value = memory.at(line, 0, word);
      for (std::int64_t position = 1; position < memory.positions(); ++position)
        value = combine(value, memory.at(line, position, word));
    }
  }
  return result;
}

/// Words on PEs [first, last] of each line that differ from `expected`.
inline std::int64_t wrong_words(const kernels::fabric::FabricMemory& memory, const std::vector<float>& expected,
                                std::int64_t words, std::int64_t first, std::int64_t last) {
  std::int64_t wrong = 0;
  for (std::int64_t line = 0; line < memory.lines(); ++line) {
    for (std::int64_t position = first; position <= last; ++position) {
      for (std::int64_t word = 0; word < words; ++word) {
        wrong += memory.at(line, position, word) != expected[static_cast<std::size_t>(line * words + word)];
      }
    }
  }
  return wrong;
}

}  // namespace waferline::tests
