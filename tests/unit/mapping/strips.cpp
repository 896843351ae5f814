#include "mapping/strips.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using waferline::Axis;
using waferline::Extent;
using waferline::load_wafer;
using waferline::PePosition;
using waferline::Region;
using waferline::Wafer;
using waferline::mapping::Strips;

namespace {

Wafer of_size(Extent usable) {
  Wafer wafer = load_wafer("tiny");
  wafer.fabric.extent.value = usable;
  wafer.fabric.usable.value = usable;
  return wafer;
}

std::vector<std::int64_t> columns(const Strips& strips, std::int64_t strip, std::int64_t length) {
  std::vector<std::int64_t> all;
  for (std::int64_t slot = 0; slot < strips.slots(strip, length); ++slot) {
    all.push_back(strips.region(strip, slot, length).col);
  }
  return all;
}

}  // namespace

TEST_CASE("Strips are walked forwards and backwards by turns, and a further wafer begins anew") {
  const Strips strips(of_size({10, 9}), Axis::x, 3);
  CHECK(strips.per_wafer() == 3);
  CHECK(strips.thickness() == 3);
  CHECK(columns(strips, 0, 4) == std::vector<std::int64_t>{0, 4});
  CHECK(columns(strips, 1, 4) == std::vector<std::int64_t>{4, 0});
  CHECK(columns(strips, 2, 4) == std::vector<std::int64_t>{0, 4});
  CHECK(strips.region(3, 1, 4) == Region{1, 0, 4, {3, 4}});
}

TEST_CASE("Strips along columns are strips along rows of the turned wafer") {
  const Strips strips(of_size({9, 10}), Axis::y, 3);
  CHECK(strips.thickness() == 3);
  CHECK(strips.length() == 9);
  CHECK(strips.region(1, 0, 4) == Region{0, 4, 3, {4, 3}});
}

TEST_CASE("No strip contains a defective row, and regions begin anew behind a defective column or PE") {
  Wafer wafer = of_size({10, 12});
  wafer.defects.rows = {4};
  wafer.defects.cols = {7};
  wafer.defects.pes = {PePosition{1, 2}};
  const Strips strips(wafer, Axis::x, 3);
  // Three rows each: 0 to 2, then 3 would hit row 4, so 5 to 7; the third would need row 10.
  REQUIRE(strips.per_wafer() == 2);
  CHECK(strips.region(1, 0, 3).row == 5);
  CHECK(columns(strips, 0, 3) == std::vector<std::int64_t>{3, 8});
  CHECK(columns(strips, 1, 3) == std::vector<std::int64_t>{8, 3, 0});
  CHECK(strips.slots(0, 5) == 0);
}
