#include "mapping/packing.hpp"

#include "mapping/strip_options.hpp"
#include "tests/support/catch.hpp"

using waferline::Bytes;
using waferline::Cycles;
using waferline::mapping::fewest_regions;
using waferline::mapping::fits;
using waferline::mapping::PartCost;
using waferline::mapping::SramUse;
using waferline::mapping::with_part;

namespace {

const PartCost kSmall{Bytes{100}, Bytes{10}, Bytes{30}, Cycles{1}};
const PartCost kLarge{Bytes{300}, Bytes{20}, Bytes{50}, Cycles{1}};

/// 40 bytes of code, 60 of system, 20 of buffers.
SramUse of_capacity(std::int64_t bytes) {
  return {Bytes{0}, Bytes{0}, Bytes{20}, Bytes{40}, Bytes{60}, Bytes{bytes}};
}

}  // namespace

TEST_CASE("A region filled to its last byte fits, and with one byte less it does not") {
  // Weights and caches add up, buffers are shared: 100 + 10 + 300 + 20 + max(20, 30, 50) + 40 + 60.
  CHECK(fits(with_part(with_part(of_capacity(580), kSmall), kLarge), 1, 1));
  CHECK_FALSE(fits(with_part(with_part(of_capacity(579), kSmall), kLarge), 1, 1));
}

TEST_CASE("Caches grow with the users, weights and buffers do not") {
  // 400 + 50 + 100 without caches; 30 for each user of a batch of one.
  CHECK(fits(with_part(with_part(of_capacity(550 + 5 * 30), kSmall), kLarge), 1, 5));
  CHECK_FALSE(fits(with_part(with_part(of_capacity(550 + 5 * 30 - 1), kSmall), kLarge), 1, 5));
  // The same bytes of caches for a batch of two: 15 a user.
  CHECK(fits(with_part(with_part(of_capacity(550 + 5 * 30), kSmall), kLarge), 2, 10));
  CHECK_FALSE(fits(with_part(with_part(of_capacity(550 + 5 * 30), kSmall), kLarge), 2, 11));
}

TEST_CASE("A part is dealt out over the fewest regions in which its share fits") {
  const auto share = [](std::int64_t regions) {
    return PartCost{Bytes{waferline::ceil_div(1000, regions)}, Bytes{0}, Bytes{0}, Cycles{1}};
  };
  CHECK(fewest_regions(of_capacity(120 + 250), 9, share) == 4);
  CHECK(fewest_regions(of_capacity(120 + 249), 9, share) == 5);
  CHECK(fewest_regions(of_capacity(120 + 249), 4, share) == 0);
}
