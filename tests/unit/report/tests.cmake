waferline_test(unit report SOURCES report/number.cpp report/page.cpp DEPENDS Waferline::report)
