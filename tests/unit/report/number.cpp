#include "report/number.hpp"

#include "tests/support/catch.hpp"

using namespace waferline;
using namespace waferline::report;

TEST_CASE("counts have commas between thousands") {
  CHECK(count_text(0) == "0");
  CHECK(count_text(999) == "999");
  CHECK(count_text(1000) == "1,000");
  CHECK(count_text(-1234567) == "-1,234,567");
}

TEST_CASE("significant digits survive rounding up to the next power of ten") {
  CHECK(significant(99.97, 3) == "100");
  CHECK(significant(9.996, 3) == "10.0");
  CHECK(significant(1790.3, 3) == "1,790");
  CHECK(significant(0.041349, 3) == "0.0413");
  CHECK(significant(-55.56, 3) == "-55.6");
  CHECK(significant(0, 3) == "0");
  CHECK(significant(1.5e-9, 2) == "1.5e-09");
}

TEST_CASE("times take the unit that keeps them short") {
  CHECK(seconds_text(Seconds{594.8e-6}) == "594.8 us");
  CHECK(seconds_text(Seconds{999.96e-6}) == "1.000 ms");
  CHECK(seconds_text(Seconds{12}) == "12.00 s");
  CHECK(seconds_text(Seconds{0}) == "0 s");
  CHECK(plain_seconds(Seconds{0.75}) == "0.75 s");
  CHECK(plain_number(1790.3) == "1,790.3");
}

TEST_CASE("bytes and parameters take decimal units") {
  CHECK(bytes_text(Bytes{65'248'815'744}) == "65.25 GB");
  CHECK(bytes_text(Bytes{49152}) == "49.15 KB");
  CHECK(bytes_text(Bytes{999}) == "999 B");
  CHECK(bytes_text(Bytes{999'960}) == "1.000 MB");
  CHECK(parameters_text(70'553'706'496) == "70.55B");
  CHECK(parameters_text(751'632'384) == "751.6M");
  CHECK(parameters_text(512) == "512");
}

TEST_CASE("rates, ratios and errors") {
  CHECK(rate_text(1790.3) == "1,790");
  CHECK(rate_text(55.556) == "55.6");
  CHECK(times_text(15.068) == "15.07x");
  CHECK(times_text(15234.4) == "15,234x");
  CHECK(signed_percent(3.14) == "+3.1 %");
}
