#include <cstdint>

#include "arch/error.hpp"
#include "kernels/collective.hpp"
#include "tests/support/catch.hpp"

namespace waferline::kernels {
namespace {

// Ramps of 2, hops of 1 and stages of 1 cycle: a fold to the neighbour takes 2 T_R + 2 = 6.
const CollectiveRates kRates;

double cycles(const CollectiveCounts& counts) {
  return time(counts, kRates).value;
}

TEST_CASE("a chain takes B + (2 T_R + 2)(P - 1)") {
  const CollectivePlan chain{Algorithm::chain, Root::end, 1, {}};
  CHECK(cycles(count_reduce(chain, 2, 1)) == 7);
  CHECK(cycles(count_reduce(chain, 512, 4096)) == 4096 + 6 * 511);
  const CollectiveCounts counts = count_reduce(chain, 5, 10);
  CHECK(counts.stages == 4);
  CHECK(counts.hops == 4);
  CHECK(counts.ramps == 8);
  CHECK(counts.payload_slots == 10);
  CHECK(counts.link_wavelets == 10);
  CHECK(counts.combines == 10);
  CHECK(counts.switches == 0);
}

TEST_CASE("a multicast from the end takes B + P + 2 T_R and a 2-D broadcast B + M + N - 2 + 2 T_R + 1") {
  CHECK(cycles(count_multicast(512, 0, 4096)) == 4096 + 512 + 4);
  CHECK(cycles(count_multicast(512, 511, 4096)) == 4096 + 512 + 4);
  CHECK(cycles(count_multicast(9, 4, 1)) == 1 + 5 + 4);
  CHECK(cycles(count_broadcast_2d({7, 5}, 100)) == 100 + 7 + 5 - 2 + 4 + 1);
  CHECK(cycles(count_broadcast_2d({1, 5}, 100)) == cycles(count_multicast(5, 0, 100)));
}

TEST_CASE("a star is bound by the root's ramp") {
  const CollectivePlan star{Algorithm::star, Root::end, 1, {}};
  CHECK(cycles(count_reduce(star, 10, 100)) == 100 * 9 + 6);
  CHECK(count_reduce(star, 10, 100).combines == 900);
  CHECK(count_reduce(star, 10, 100).link_wavelets == 900);
  CHECK(count_reduce({Algorithm::star, Root::middle, 1, {}}, 10, 100).link_wavelets == 500);
}

TEST_CASE("a ring follows its chunk when chunks are short, and streams when they are long") {
  const CollectivePlan ring{Algorithm::ring, Root::end, 1, {}};
  // P = 4, chunk 1: six steps to the neighbour's neighbour, two of them over the three links back.
  const CollectiveCounts brief = count_allreduce(ring, 4, 4);
  CHECK(brief.stages == 6);
  CHECK(brief.hops == 4 + 2 * 3);
  CHECK(brief.payload_slots == 1);
  // Chunk 1000: the first PE takes six chunks back to back, the first of them over the three links back.
  const CollectiveCounts lengthy = count_allreduce(ring, 4, 4000);
  CHECK(lengthy.payload_slots == 6000);
  CHECK(lengthy.stages == 1);
  CHECK(lengthy.hops == 3);
  CHECK(lengthy.link_wavelets == 6000);
  CHECK(lengthy.combines == 3000);
  CHECK(count_allreduce(ring, 4, 4001).link_wavelets == 6 * 1001);
}

TEST_CASE(
    "two-phase with its root at the end takes 2B + (2 T_R + 2)(S - 1) + (G - 2)(S + 2 T_R + 1) for long payloads") {
  for (const std::int64_t group : {2, 4, 8, 16, 32}) {
    CAPTURE(group);
    const std::int64_t groups = 64 / group;
    const CollectiveCounts counts = count_reduce(k_tree_plan(64, {group, groups}, Root::end), 64, 1000);
    CHECK(cycles(counts) == static_cast<double>(2 * 1000 + 6 * (group - 1) + (groups - 2) * (group + 5)));
    CHECK(counts.switches == 1);
    CHECK(counts.combines == 2000);
  }
}

TEST_CASE("a payload of one word streams through all groups when the root is at the end") {
  const CollectiveCounts counts = count_reduce(k_tree_plan(64, {8, 8}, Root::end), 64, 1);
  CHECK(cycles(counts) == 1 + 7 * 6 + 7 * (8 + 5));
}

TEST_CASE("groups that fold to their middle take (g + G) / 2 stages and P / 2 hops each way") {
  for (const auto& [pes, group] : {std::pair{360, 20}, std::pair{360, 18}, std::pair{660, 30}, std::pair{64, 8}}) {
    CAPTURE(pes, group);
    const std::int64_t groups = pes / group;
    const CollectivePlan plan = k_tree_plan(pes, {group, groups}, Root::middle);
    const CollectiveCounts counts = count_allreduce(plan, pes, 12);
    CHECK(counts.stages == (group + groups) / 2);
    CHECK(counts.hops == pes / 2 + pes / 2);
    CHECK(counts.payload_slots == 5 * 12 + 1);  // two sides at each of two levels, and the way back
    CHECK(root_index(plan, pes) == pes / 2);
  }
}

TEST_CASE("stages do not depend on the rates when groups are equal and fold to their middle") {
  CollectiveRates slow;
  slow.stage_cycles = 40;
  slow.switch_cycles = 13;
  slow.hop_cycles = 2;
  const CollectivePlan plan = k_tree_plan(360, {20, 18}, Root::middle);
  CHECK(count_allreduce(plan, 360, 7, slow) == count_allreduce(plan, 360, 7));
}

TEST_CASE("nothing moves on one PE or without wavelets, and it takes no time") {
  CollectiveRates rates;
  rates.startup_cycles = 50;
  for (const Algorithm algorithm : {Algorithm::chain, Algorithm::star, Algorithm::ring}) {
    CHECK(count_allreduce({algorithm, Root::end, 1, {}}, 1, 9) == CollectiveCounts{});
    CHECK(count_allreduce({algorithm, Root::end, 1, {}}, 9, 0) == CollectiveCounts{});
  }
  CHECK(time(CollectiveCounts{}, rates).value == 0);
  CHECK(time(count_multicast(2, 0, 1), rates).value == 50 + 1 + 2 + 4);
}

TEST_CASE("a line, payload or root out of range is refused") {
  const CollectivePlan chain{Algorithm::chain, Root::end, 1, {}};
  CHECK_THROWS_AS(count_reduce(chain, 0, 1), ConfigError);
  CHECK_THROWS_AS(count_reduce(chain, 4, -1), ConfigError);
  CHECK_THROWS_AS(count_multicast(4, 4, 1), ConfigError);
  CHECK_THROWS_AS(count_multicast(4, -1, 1), ConfigError);
  CHECK_NOTHROW(count_multicast(4, 3, 1));
}

}  // namespace
}  // namespace waferline::kernels
