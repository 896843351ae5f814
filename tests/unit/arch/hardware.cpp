#include "arch/wafer.hpp"
#include "tests/support/catch.hpp"

using namespace waferline;

TEST_CASE("the shipped wafers load, rows and columns the right way round") {
  CHECK(list_wafers() == std::vector<std::string>{"cs4", "tiny", "wse2", "wse3"});
  CHECK(load_wafer("wse2").usable() == Extent{994, 750});
  CHECK(usable_pes(load_wafer("wse2")) == 745'500);
  CHECK(load_wafer("wse3").usable() == Extent{1170, 755});
  CHECK(usable_pes(load_wafer("wse3")) == 883'350);
  CHECK(usable_pes(load_wafer("tiny")) == 256);
}
